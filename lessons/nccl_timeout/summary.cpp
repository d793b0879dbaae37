#include "summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <set>
#include <sstream>

#include "arithmetic.h"
#include "cases.h"
#include "claims.h"
#include "evidence.h"
#include "figures.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/comm/link_model.h"
#include "ringside/figures/compute.h"
#include "ringside/figures/instant.h"
#include "ringside/figures/text.h"
#include "ringside/ledger/ledger.h"
#include "ringside/lesson/summary_text.h"
#include "ringside/lesson/tr.h"
#include "scenario.h"
#include "sections.h"

namespace ringside::nccl_lesson {
namespace {

constexpr size_t kIn = 2;  // of what an act says

std::string count(std::optional<double> value) {
  return value ? format_count(static_cast<int64_t>(*value)) : "—";
}
std::string milliseconds(std::optional<double> ms) {
  return ms && *ms > 0 ? format_duration(*ms * 1e-3) : "—";
}

class Summarizer : private SummaryText {
 public:
  Summarizer(const Config& config, const Trace& trace, int width, bool colour)
      : SummaryText(width, colour), config_(config), trace_(trace), colour_(colour) {}

  std::string summarize() {
    title("nccl_timeout", tr("Which tensor timed out, and which rank?"),
          tr("{} threads, no GPU, {:.0f} s", config_.integer("ranks"), *outcome(trace_, "seconds")));
    surprise();
    own_plan();
    symptom();
    numbers();
    versions();
    autopsy();
    cases();
    std::vector<ClaimRow> tried = trace_.rows().claims;
    std::erase_if(tried, [](const ClaimRow& row) { return row.evidence == kActsNotRun; });
    if (!tried.empty()) line("");
    if (!tried.empty()) claims(tried);
    in_short();
    next_steps();
    return text();
  }

 private:
  const SectionView* section(const std::string& name) const { return trace_.find(name); }
  std::string of(const std::string& name, const char* key) const { return attribute(trace_, name, key); }
  std::string in_figures(const std::string& name) const {
    const auto found = trace_.rows().outcome_text.find(name);
    return found == trace_.rows().outcome_text.end() ? "" : found->second;
  }
  void act(const std::string& name, const std::string& point) {
    line("");
    line(bold(name) + (point.empty() ? "" : "   " + point));
  }
  void lines(const std::string& content, size_t indent) {
    for (const std::string& one : split(content, '\n')) line(std::string(indent, ' ') + one);
  }
  // A figure of the lesson, at the end of that section.
  void figure(const std::string& id, const std::string& name) {
    const SectionView* shown = section(name);
    for (const FigureSpec& spec : figures()) {
      if (spec.id != id) continue;
      const FigureInput input{config_, trace_, shown, shown == nullptr ? 0 : time_range(*shown).last};
      lines(figure::to_text(spec.value(input), static_cast<int>(width()) - 4, colour_), 4);
      if (const std::string says = spec.sentence ? spec.sentence(input) : "";
          !says.empty() && says != spec.title)
        paragraph(says, 4);
    }
  }
  void ended(const std::string& label, const std::string& name) {
    if (section(name) == nullptr) return;
    const bool well = of(name, kEnded) == "completed";
    const std::string at = of(name, kStuck).empty() ? "" : tr(", {}", of(name, kStuck));
    const bool fits = columns(label) < 58;
    if (!fits) paragraph(label, kIn);
    line("  " + pad(fits ? label : "", 58) + paint(well ? "32" : "31", ended_words(*section(name)) + at));
  }

  // Whoever reads three lines has it.
  void surprise() {
    const auto logged = outcome(trace_, "arithmetic_logged"),
               hidden = outcome(trace_, "arithmetic_hidden_size"),
               rest = outcome(trace_, "arithmetic_remainder");
    if (!logged) return paragraph(line_of_source(config_), 0);
    line(tr("After an evaluation, eight GPUs stand still: NumelIn={}. The source: \"hidden states\".",
            config_.text("logged")));
    const auto number = static_cast<int64_t>(*logged), width_of_state = static_cast<int64_t>(*hidden);
    if (number % 2 != 0 && width_of_state % 2 == 0)
      line(bold(tr("A hidden state has {} numbers, which is even. {} is odd: it is something else.",
                   count(*hidden), count(*logged))));
    else
      line(bold(
          *rest == 0
              ? tr("{} is a multiple of {}: it may be hidden states.", count(*logged), count(*hidden))
              : tr("{} mod {} = {}: it is no hidden state.", count(*logged), count(*hidden), count(*rest))));
  }

  void in_short() {
    std::string words;
    const auto first = outcome(trace_, "arithmetic_first_bucket"),
               logged = outcome(trace_, "arithmetic_logged");
    if (first && *first == *logged)
      words += tr("{} is the first bucket of gradients of a backward pass. ", count(logged));
    int hung = 0, tried = 0;
    for (const char* fix : {"fix timeout", "fix outputs", "fix barrier"}) {
      if (section(fix) == nullptr) continue;
      ++tried;
      hung += of(fix, kEnded) == "timeout" ? 1 : 0;
    }
    if (tried > 0) words += tr("{} fixes do not look for the missing rank: {} still hang. ", tried, hung);
    if (of("fix rank", kEnded) == "completed") words += tr("Removing the cause on that rank ends the hang. ");
    std::set<std::string> logs, causes;
    for (int which = 1; which <= kCasesOfOneLine; ++which) {
      const std::string name = fmt::format("case {}", which), log = of(name, kShownLog);
      if (log.empty()) continue;
      logs.insert(log.substr(log.find(']') + 1));
      causes.insert(of(name, kCause));
    }
    if (causes.size() > 1)
      words += tr("{} cases, {} log line{}: a line does not say which rank is missing.", causes.size(),
                  logs.size(), logs.size() == 1 ? "" : "s");
    if (!words.empty()) line("");
    if (!words.empty()) labelled(tr("In short"), words);
  }

  void own_plan() {
    if (section("own") == nullptr) return;
    act(tr("Planned"), of("own", kTitle));
    if (of("own", kEnded) == "completed") {
      const std::string with = in_figures("own_parameters_sha256"),
                        without = in_figures("own_without_parameters_sha256");
      paragraph(tr("It ran to its end: nothing noticed the fault."), kIn);
      paragraph(with == without ? tr("Its parameters are those of the same run without it.")
                                : tr("Its parameters are others than without it: {}... instead of {}...",
                                     with.substr(0, 12), without.substr(0, 12)),
                kIn);
    }
    for (const LastOfRank& row : rows_as<LastOfRank>(*section("own")))
      if (!row.log.empty()) paragraph(row.log.substr(0, row.log.find('\n')), kIn);
    for (const std::string& report : trace_.rows().lines) lines(report, kIn);
  }

  void symptom() {
    if (section("symptom") == nullptr) return;
    act(tr("1 The symptom"), tr("a hang with the same kind of line; its cause is planted"));
    paragraph(of("symptom", kShownLog), kIn);
    for (const char* name : {"symptom", "fix timeout", "fix outputs", "fix barrier", "fix rank"})
      ended(of(name, kTitle), name);
    if (of("fix barrier", "stuck_op") != "")
      paragraph(
          tr("With the barrier the line names {} element of group {}: cheaper to read, and the same rank is "
             "missing.",
             of("fix barrier", "stuck_elements"), split(of("fix barrier", kStuck) + "#", '#')[0]),
          kIn);
  }

  void numbers() {
    if (!runs_act(config_, "2") || !outcome(trace_, "arithmetic_logged")) return;
    const auto number = [&](const char* name) {
      return count(outcome(trace_, std::string("arithmetic_") + name));
    };
    const SourceArithmetic source;
    act(tr("2 The numbers"), tr("the source's product, and three logs of its program"));
    const auto says = [&](const std::string& what, const char* ours, const char* claimed) {
      line(fmt::format("  {:<24}{:>13}   ", what, number(ours)) + tr("the source says {}", number(claimed)));
    };
    says(fmt::format("{} x {} x {}", source.batch, source.length, source.hidden), "product",
         "claimed_product");
    says(fmt::format("x {} GPUs", source.gpus), "product_over_gpus", "claimed_over_gpus");
    paragraph(tr("the log's {} mod {} = {}, not 0: no batch size and no length gives this number",
                 number("logged"), number("hidden_size"), number("remainder")),
              kIn);
    figure("numbers", "plan 7B");
    paragraph(tr("g and steps: SeqNum = {} broadcasts + steps x (buckets x g + calls of the optimizer) + 1. "
                 "Each is the "
                 "first call after a step boundary; which commit ran is not recorded.",
                 count(outcome(trace_, "broadcasts"))),
              kIn);
    std::string wire;
    for (const LinkModel& link : link_presets())
      if (const auto ms = outcome(trace_, "arithmetic_wire_ms_" + link.name))
        wire += fmt::format("{}{} {}", wire.empty() ? "" : ", ", link.name, milliseconds(ms));
    paragraph(tr("on the wire, calculated from the links' figures, bf16, {} ranks: {}; its deadline was {}",
                 source.gpus, wire, format_duration(source.deadline_s)),
              kIn);
  }

  void versions() {
    if (section("original") == nullptr) return;
    act(tr("3 V1, V2, V3"),
        tr("had hidden states been returned, this is what it would have cost; rank 0, fp32"));
    figure("memory", "original");
    const auto& ledger = trace_.rows().ledger;
    paragraph(unexplained_bytes(ledger) == 0
                  ? tr("Ledger: every byte of these trainings is explained, {} rows.", ledger.size())
                  : tr("Ledger: {} BYTES UNEXPLAINED", unexplained_bytes(ledger)),
              kIn);
    paragraph(
        tr("Memory use changes. The collective that hangs stays the same: {} elements with the original, {} "
           "with V3.",
           count(nccl_lesson::figure(trace_, "original", "first_bucket_after_evaluation")),
           count(nccl_lesson::figure(trace_, "V3", "first_bucket_after_evaluation"))),
        kIn);
  }

  void autopsy() {
    if (!runs_act(config_, "4")) return;
    act(tr("4 The autopsy"), of("plan 7B", kModel) + ", " +
                                 tr("buckets of {}", count(nccl_lesson::figure(trace_, "plan 7B", kLimit))));
    paragraph(bold(in_figures("first_bucket_sum")), kIn);
    const auto first = outcome(trace_, "arithmetic_first_bucket"),
               logged = outcome(trace_, "arithmetic_logged");
    if (const auto next = outcome(trace_, "arithmetic_next_gradient"))
      paragraph(tr("next is {} with {}: {} would be more than {}, so the bucket is sent as it is",
                   in_figures("next_gradient"), count(next), count(*first + *next),
                   count(nccl_lesson::figure(trace_, "plan 7B", kLimit))),
                kIn);
    paragraph(
        first == logged
            ? tr("That is the number in the log: the first bucket of gradients of a backward pass.")
            : tr("The log says {}: with these settings the first bucket is another one.", count(logged)),
        kIn);
    const auto found = [&](const char* name) { return *outcome(trace_, std::string("explain_") + name); };
    paragraph(
        tr("how sure, if the head is one linear layer: {:.1e} runs of gradients and classes tried, {:.0f} "
           "make "
           "the number ({:.2g} by chance), {:.0f} of them is what a reducer would send ({:.2g} by chance)",
           found("tried"), found("hits"), found("expected_by_chance"), found("allowed"),
           found("allowed_by_chance")),
        kIn);
    if (section("live") == nullptr) return;
    paragraph(tr("here: {}; the watchdog says NumelIn={}, carrying {}", in_figures("first_bucket_sum_here"),
                 of("live", "stuck_elements"), of("live", "stuck_tag")),
              kIn);
    figure("calls", "live");
  }

  void cases() {
    for (int which = 1; which <= kCases; ++which) {
      const std::string name = fmt::format("case {}", which);
      if (section(name) == nullptr) continue;
      if (which == 1 || config_.text("case") != "all")
        act(tr("5 The cases"), tr("which rank is it, and why?"));
      const std::string log = of(name, kShownLog);
      labelled("  " + name,
               log.empty() ? tr("No line at all: it ended as {}, and took long.", of(name, kEnded)) : log);
      if (config_.text("case") != "all") one_case(name, *section(name));
    }
    if (config_.text("case") == "all" && section("case 1") != nullptr)
      paragraph(tr("Nothing is told before you answer: ./run nccl_timeout act=5 case=1"), kIn);
  }

  void one_case(const std::string& name, const SectionView& hang) {
    const auto looks = looks_of(config_);
    for (const std::string& look : looks) {
      line("    " + bold(tr("look: {}", look)));
      if (look == "verdict")
        lines(in_figures("report_" + underscored(name)), 4);
      else
        figure(figure_of_look(look), name);
    }
    const std::string used = looks.size() == 1 ? tr("1 look") : tr("{} looks", looks.size());
    const std::string truth = tr("rank {} {}", of(name, kCulprit), of(name, kSays));
    const std::string &rank = config_.text("culprit"), &cause = config_.text("cause");
    if (rank == "unsaid" && cause == "unsaid") {
      std::string options = of(name, kOptions);
      std::ranges::replace(options, ',', '|');
      return paragraph(
          tr("Collect evidence with look=logs,counters,stacks,dump,verdict: each costs one. Then answer "
             "with culprit=RANK cause={}",
             options),
          4);
    }
    const Answered answered = judge(hang, rank, cause, false);
    if (cause == "tell")
      paragraph(tr("It was this: {}.", truth), 4);
    else if (answered == Answered::kRight)
      paragraph(tr("Right: {}. Solved with {}.", truth, used), 4);
    else
      return paragraph(
          answered == Answered::kOnlyRank
              ? tr("Right rank, but another cause. You used {}. Collect more evidence.", used)
              : tr("Wrong rank: that one was only waiting. You used {}. Collect more evidence.", used),
          4);
    ended(tr("fix    {}", of(name, kFix)), name + " fixed");
    ended(tr("check=on   the same bug"), name + " check");
    if (of(name + " check", kEnded) == "timeout") paragraph(noted_late(name + " check"), 8);
  }

  // Where nothing is wrong with the call itself: what the check notes about the stuck one.
  std::string noted_late(const std::string& name) const {
    const SectionView& view = *section(name);
    std::string stuck = of(name, kStuck);  // "dp#61"; a note begins with "dp #61 "
    if (const size_t at = stuck.find('#'); at != std::string::npos) stuck.insert(at, " ");
    for (int rank = 0; rank < view.ranks(); ++rank)
      for (const NoteEvent& note : view.notes(rank))
        if (trace_.name(note.name) == "late" && trace_.name(note.unit).starts_with(stuck + " "))
          return tr(
              "The check finds no fault in a call that is only late; it notes it before the deadline: {}",
              trace_.name(note.unit));
    return of(name, kSentence);
  }

  void next_steps() {
    const std::time_t now = std::time(nullptr);
    std::tm today{};
    gmtime_r(&now, &today);
    const int seed = (today.tm_year + 1900) * 10000 + (today.tm_mon + 1) * 100 + today.tm_mday;
    line("");
    next({{"./run nccl_timeout act=5 case=5", tr("the bug of the real program: which line is it?")},
          {"./run nccl_timeout act=5 case=2", tr("only the log line: who is it, and why?")},
          {fmt::format("./run nccl_timeout act=5 seed={}", seed), tr("today's four cases")},
          {"./run plan explain 466735788 --help", tr("another log of the program: which data set?")},
          {"./run nccl_timeout faults=skip check=on", tr("a planned fault, and a check at the call")}});
  }

  const Config& config_;
  const Trace& trace_;
  const bool colour_;
};

}  // namespace

std::string summarize(const Config& config, const Trace& trace, int width, bool colour) {
  return Summarizer(config, trace, width, colour).summarize();
}

}  // namespace ringside::nccl_lesson
