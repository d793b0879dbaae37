// What a finished run prints: act by act, the point of each in one line. Pictures are the lesson's figures.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lesson.h"
#include "numbers.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/figures/hang.h"
#include "ringside/figures/instant.h"
#include "ringside/figures/text.h"
#include "ringside/ledger/ledger.h"
#include "ringside/lesson/summary_text.h"
#include "ringside/lesson/tr.h"
#include "scenario.h"

namespace ringside::nccl_lesson {
namespace {

constexpr size_t kIn = 2;  // of what an act says

std::string count(std::optional<double> value) {
  return value ? format_count(static_cast<int64_t>(*value)) : "—";
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
    const std::string untested = texts()["lesson"].text("untested");
    std::erase_if(tried, [&](const ClaimRow& row) { return row.evidence == untested; });
    if (!tried.empty()) line("");
    claims(tried);
    in_short();
    line("");
    next({{"./run nccl_timeout act=5 case=5", tr("the bug of the real program: which line is it?")},
          {"./run nccl_timeout act=5 case=2", tr("only the log line: who is it, and why?")},
          {fmt::format("./run nccl_timeout act=5 seed={}", seed_of_today()), tr("today's four cases")},
          {"./run plan explain 466735788 --help", tr("another log of the program: which data set?")},
          {"./run nccl_timeout faults=skip check=on", tr("a planned fault, and a check at the call")}});
    return text();
  }

 private:
  std::string of(const std::string& name, const char* key) const { return attribute(trace_, name, key); }
  std::optional<double> number(const std::string& name) const { return outcome(trace_, name); }
  std::string counted(const char* name) const { return count(number(std::string("arithmetic_") + name)); }

  void act(const std::string& name, const std::string& point) {
    line("");
    line(bold(name) + "   " + point);
  }
  void says(const std::string& words) { paragraph(words, kIn); }
  void lines(const std::string& content, size_t indent) {
    for (const std::string& one : split(content, '\n')) line(std::string(indent, ' ') + one);
  }
  static const FigureSpec& spec(const std::string& id) {
    const auto& all = find_lesson("nccl_timeout").figures;
    return *std::ranges::find(all, id, &FigureSpec::id);
  }
  // A figure of the lesson, at the end of that section; "": of no one section.
  void figure(const std::string& id, const std::string& name, const Config& config) {
    const SectionView* shown = trace_.find(name);
    const FigureInput input{config, trace_, shown, shown == nullptr ? 0 : time_range(*shown).last};
    lines(figure::to_text(spec(id).value(input), static_cast<int>(width()) - 4, colour_), 4);
    const auto sentence = spec(id).sentence;
    if (const std::string words = sentence ? sentence(input) : ""; !words.empty()) paragraph(words, 4);
  }
  void figure(const std::string& id, const std::string& name) { figure(id, name, config_); }

  // Whoever reads three lines has it.
  void surprise() {
    const auto logged = number("arithmetic_logged"), hidden = number("arithmetic_hidden_size"),
               rest = number("arithmetic_remainder");
    if (!logged) return paragraph(line_of_source(config_), 0);
    line(tr("After an evaluation, eight GPUs stand still: NumelIn={}. The source: \"hidden states\".",
            config_.text("logged")));
    if (std::fmod(*logged, 2) != 0 && std::fmod(*hidden, 2) == 0)
      return line(bold(tr("A hidden state has {} numbers, which is even. {} is odd: it is something else.",
                          count(hidden), count(logged))));
    line(bold(*rest == 0
                  ? tr("{} is a multiple of {}: it may be hidden states.", count(logged), count(hidden))
                  : tr("{} mod {} = {}: it is no hidden state.", count(logged), count(hidden), count(rest))));
  }

  void in_short() {
    std::string words;
    if (const auto first = number("arithmetic_first_bucket"); first && first == number("arithmetic_logged"))
      words += tr("{} is the first bucket of gradients of a backward pass. ", count(first));
    int hung = 0, tried = 0;
    for (const char* fix : {"fix timeout", "fix outputs", "fix barrier"}) {
      tried += of(fix, kEnded).empty() ? 0 : 1;
      hung += of(fix, kEnded) == "timeout" ? 1 : 0;
    }
    if (tried > 0) words += tr("{} fixes do not look for the missing rank: {} still hang. ", tried, hung);
    if (of("fix rank", kEnded) == "completed") words += tr("Removing the cause on that rank ends the hang. ");
    std::set<std::string> logs, causes;
    for (int which = 1; which <= kCases; ++which) {
      const std::string name = name_of_case(which), log = of(name, kShownLog);
      if (log.empty()) continue;
      logs.insert(log.substr(log.find(']') + 1));
      causes.insert(of(name, kCause));
    }
    if (causes.size() > 1)
      words += tr("{} cases, {} log line{}: a line does not say which rank is missing.", causes.size(),
                  logs.size(), logs.size() == 1 ? "" : "s");
    if (words.empty()) return;
    line("");
    labelled(tr("In short"), words);
  }

  void own_plan() {
    const SectionView* own = trace_.find("own");
    if (own == nullptr) return;
    act(tr("Planned"), of("own", kTitle));
    if (of("own", kEnded) == "completed") {
      const std::string with = outcome_text(trace_, "own_parameters_sha256"),
                        without = outcome_text(trace_, "own_without_parameters_sha256");
      says(tr("It ran to its end: nothing noticed the fault."));
      says(with == without ? tr("Its parameters are those of the same run without it.")
                           : tr("Its parameters are others than without it: {}... instead of {}...",
                                with.substr(0, 12), without.substr(0, 12)));
    }
    for (const LastOfRank& row : rows_in<LastOfRank>(own))
      if (!row.log.empty()) says(row.log.substr(0, row.log.find('\n')));
    for (const std::string& report : trace_.rows().lines) lines(report, kIn);
  }

  void symptom() {
    if (trace_.find("symptom") == nullptr) return;
    act(tr("1 The symptom"), tr("a hang with the same kind of line; its cause is planted"));
    says(of("symptom", kShownLog));
    figure("outcomes", "", config_.with({"cause=tell"}));  // whatever is asked of the cases
    if (of("fix barrier", kStuckOp) != "")
      says(
          tr("With the barrier the line names {} element of group {}: cheaper to read, and the same rank is "
             "missing.",
             of("fix barrier", kStuckElements), split(of("fix barrier", kStuck) + "#", '#')[0]));
  }

  void numbers() {
    if (!runs_act(config_, "2") || !number("arithmetic_logged")) return;
    act(tr("2 The numbers"), tr("the source's product, and three logs of its program"));
    const auto compare = [&](const std::string& what, const char* ours, const char* claimed) {
      line(fmt::format("  {:<24}{:>13}   ", what, counted(ours)) +
           tr("the source says {}", counted(claimed)));
    };
    compare(fmt::format("{} x {} x {}", kBatch, kLength, kHidden), "product", "claimed_product");
    compare(tr("x {} GPUs", kRanksOfTheCase), "product_over_gpus", "claimed_over_gpus");
    says(spec("tensor").sentence({config_, trace_}));
    figure("numbers", kSource);
    says(tr(
        "g and steps: SeqNum = {} broadcasts + steps x (buckets x g + calls of the optimizer) + 1. Each is "
        "the first call after a step boundary; which commit ran is not recorded.",
        count(number("broadcasts"))));
    std::string wire;
    for (const std::string link : {"nvlink", "pcie", "100g", "ethernet"})
      wire += fmt::format("{}{} {}", wire.empty() ? "" : ", ", link,
                          format_duration(number("arithmetic_wire_ms_" + link).value_or(0) * 1e-3));
    says(tr("on the wire, calculated from the links' figures, bf16, {} ranks: {}; its deadline was {}",
            kRanksOfTheCase, wire, format_duration(kSourceDeadlineS)));
  }

  void versions() {
    if (trace_.find("original") == nullptr) return;
    act(tr("3 V1, V2, V3"),
        tr("had hidden states been returned, this is what it would have cost; rank 0, fp32"));
    figure("memory", "original");
    const auto& ledger = trace_.rows().ledger;
    says(unexplained_bytes(ledger) == 0
             ? tr("Ledger: every byte of these trainings is explained, {} rows.", ledger.size())
             : tr("Ledger: {} BYTES UNEXPLAINED", unexplained_bytes(ledger)));
    says(
        tr("Memory use changes. The collective that hangs stays the same: {} elements with the original, {} "
           "with V3.",
           count(number_in(trace_, "original", kNextBucket)), count(number_in(trace_, "V3", kNextBucket))));
  }

  void autopsy() {
    if (!runs_act(config_, "4")) return;
    const auto limit = number_in(trace_, kSource, kLimit), first = number("arithmetic_first_bucket"),
               next = number("arithmetic_next_gradient");
    act(tr("4 The autopsy"), tr("{}, buckets of {}", of(kSource, kModel), count(limit)));
    says(bold(outcome_text(trace_, "first_bucket_sum")));
    if (next)
      says(tr("next is {} with {}: {} would be more than {}, so the bucket is sent as it is",
              outcome_text(trace_, "next_gradient"), count(next), count(*first + *next), count(limit)));
    says(
        first == number("arithmetic_logged")
            ? tr("That is the number in the log: the first bucket of gradients of a backward pass.")
            : tr("The log says {}: with these settings the first bucket is another one.", counted("logged")));
    const auto found = [&](const char* name) { return *number(std::string("explain_") + name); };
    says(tr(
        "how sure, if the head is one linear layer: {:.1e} runs of gradients and classes tried, {:.0f} make "
        "the number ({:.2g} by chance), {:.0f} of them is what a reducer would send ({:.2g} by chance)",
        found("tried"), found("hits"), found("expected_by_chance"), found("allowed"),
        found("allowed_by_chance")));
    if (trace_.find("live") == nullptr) return;
    says(tr("here: {}; the watchdog says NumelIn={}, carrying {}",
            outcome_text(trace_, "first_bucket_sum_here"), of("live", kStuckElements),
            of("live", kStuckTag)));
    figure("calls", "live");
  }

  void cases() {
    const bool all = config_.text("case") == "all";
    const std::string name = all ? "case 1" : "case " + config_.text("case");
    if (trace_.find(name) == nullptr) return;
    act(tr("5 The cases"), tr("which rank is it, and why?"));
    if (all) {
      figure("cases", name);
      return says(tr("Nothing is told before you answer: ./run nccl_timeout act=5 case=1"));
    }
    const std::string log = of(name, kShownLog);
    labelled("  " + name,
             log.empty() ? tr("No line at all: it ended as {}, and took long.", of(name, kEnded)) : log);
    one_case(name, *trace_.find(name));
  }

  void one_case(const std::string& name, const SectionView& hang) {
    const auto looks = looks_of(config_);
    for (const std::string& look : looks) {
      line("    " + bold(tr("look: {}", look)));
      if (look != "verdict")
        figure(figure_of_look(look), name);
      else
        lines(outcome_text(trace_, fmt::format("report_case_{}", case_of(name))), 4);
    }
    const std::string used = looks_words(looks.size());
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
    if (cause != "tell" && answered != Answered::kRight)
      return paragraph(
          answered == Answered::kOnlyRank
              ? tr("Right rank, but another cause. You used {}. Collect more evidence.", used)
              : tr("Wrong rank: that one was only waiting. You used {}. Collect more evidence.", used),
          4);
    paragraph(cause == "tell" ? tr("It was this: {}.", truth_of(hang))
                              : tr("Right: {}. Solved with {}.", truth_of(hang), used),
              4);
    paragraph(tr("What mends it: {}.", of(name, kFix)), 4);
    figure("outcomes", name);
    if (of(name + " check", kEnded) == "timeout") paragraph(noted_late(name + " check"), 4);
  }

  // Where nothing is wrong with the call itself: what the check notes about the stuck one.
  std::string noted_late(const std::string& name) const {
    const SectionView& view = *trace_.find(name);
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

  const Config& config_;
  const Trace& trace_;
  const bool colour_;
};

}  // namespace

std::string summarize(const Config& config, const Trace& trace, int width, bool colour) {
  return Summarizer(config, trace, width, colour).summarize();
}

}  // namespace ringside::nccl_lesson
