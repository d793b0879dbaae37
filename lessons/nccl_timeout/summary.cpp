#include "summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "arithmetic.h"
#include "causes.h"
#include "claims.h"
#include "look.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/comm/link_model.h"
#include "ringside/ledger/ledger.h"
#include "ringside/lesson/summary_text.h"
#include "ringside/lesson/tr.h"
#include "scenario.h"
#include "sections.h"

namespace ringside::nccl_lesson {
namespace {

constexpr size_t kIn = 2;  // of what an act says

std::string megabytes(std::optional<double> bytes) {
  return bytes ? fmt::format("{:.2f} MB", *bytes * 1e-6) : "—";
}
std::string count(std::optional<double> value) {
  return value ? format_count(static_cast<int64_t>(*value)) : "—";
}
std::string seconds_of(std::optional<double> ms) { return ms && *ms > 0 ? format_duration(*ms * 1e-3) : ""; }

class Summarizer : private SummaryText {
 public:
  Summarizer(const Config& config, const Trace& trace, int width, bool colour)
      : SummaryText(width, colour), config_(config), trace_(trace) {}

  std::string summarize() {
    title("nccl_timeout", "Which tensor timed out, and which rank?",
          fmt::format("{} threads, no GPU, {:.0f} s", config_.integer("ranks"), *outcome(trace_, "seconds")));
    in_short();
    own_plan();
    symptom();
    source_arithmetic();
    versions();
    autopsy();
    culprits();
    if (const auto tried = tried_claims(); !tried.empty()) {
      line("");
      claims(tried);
    }
    next_steps();
    return text();
  }

 private:
  bool ran(const std::string& section) const { return trace_.find(section) != nullptr; }
  std::string of(const std::string& section, const std::string& key) const {
    return attribute(trace_, section, key);
  }
  std::optional<double> figure_of(const std::string& section, const std::string& key) const {
    return figure(trace_, section, key);
  }

  void act(const std::string& name, const std::string& point) {
    line("");
    line(bold(name) + (point.empty() ? "" : "   " + point));
  }
  void lines(const std::string& content, size_t indent) {
    std::istringstream in(content);
    for (std::string one; std::getline(in, one);) line(std::string(indent, ' ') + one);
  }
  std::string ending(const std::string& section) const {
    const std::string ended = of(section, kEnded);
    if (ended == "completed") return paint("32", "✓ runs to its end");
    return paint("31", pad("✗ " + ended, 12)) + pad_left(seconds_of(figure_of(section, kEndedMs)), 9);
  }

  // Only what was run, and as it ended.
  void in_short() {
    std::string words;
    const auto first = outcome(trace_, "arithmetic_first_bucket"),
               logged = outcome(trace_, "arithmetic_logged");
    if (first && *first == *logged)
      words += count(logged) + " is the first bucket of gradients of a backward pass, not hidden states. ";
    int hung = 0, tried = 0;
    for (const char* fix : {"fix timeout", "fix outputs", "hang chunked", "hang compressed"}) {
      if (!ran(fix)) continue;
      ++tried;
      hung += of(fix, kEnded) == "timeout" ? 1 : 0;
    }
    if (tried > 0)
      words += fmt::format("{} fixes do not look for the missing rank: {} of them still hang. ", tried, hung);
    if (of("fix rank", kEnded) == "completed") words += "Removing the cause on that rank ends the hang. ";
    const std::string lines = lines_and_causes();
    if (!lines.empty()) words += lines + ": the line alone does not say which rank is missing.";
    if (!words.empty()) labelled("In short", words);
  }

  // "1 log line, 4 causes": of the cases that were run, lines compared without the rank that prints them.
  std::string lines_and_causes() const {
    std::set<std::string> lines, causes;
    for (int which = 1; which <= 4; ++which) {
      const std::string name = fmt::format("case {}", which), log = of(name, kShownLog);
      if (log.empty()) continue;
      lines.insert(log.substr(log.find(']') + 1));
      causes.insert(of(name, kCause));
    }
    if (causes.size() < 2) return "";
    return fmt::format("{} log line{}, {} causes", lines.size(), lines.size() == 1 ? "" : "s", causes.size());
  }

  void unnoticed() {
    const auto& words = trace_.rows().outcome_text;
    const std::string with = words.at("own_parameters_sha256"),
                      without = words.at("own_without_parameters_sha256");
    paragraph("It ran to its end: nothing noticed the fault.", kIn);
    paragraph(with == without
                  ? "Its parameters are those of the same run without it."
                  : fmt::format("Its parameters are others than without it: {}... instead of {}...",
                                with.substr(0, 12), without.substr(0, 12)),
              kIn);
  }

  void own_plan() {
    if (!ran("own")) return;
    act("Planned", of("own", kTitle));
    if (of("own", kEnded) == "completed") unnoticed();
    for (int64_t rank = 0; rank < config_.integer("ranks"); ++rank)
      if (const std::string log = last_of(*trace_.find("own"), static_cast<int>(rank)).log; !log.empty())
        paragraph(log, kIn);
    for (const std::string& report : trace_.rows().lines) lines(report, kIn);
  }

  void symptom() {
    if (!ran("symptom")) return;
    act("1 The symptom", "training runs, one evaluation runs, the next step hangs");
    paragraph(of("symptom", kShownLog), kIn);
    line("  " + pad("tried first", 46) + pad("ends", 12) + pad_left("after", 9) + "   stuck at");
    for (const char* section : {"symptom", "fix timeout", "fix outputs", "fix rank"}) {
      if (!ran(section)) continue;
      const std::string name = std::string(section) == "symptom" ? "nothing" : of(section, kTitle);
      const std::string at = of(section, kStuck).empty()
                                 ? ""
                                 : fmt::format("   {}, {} elements", of(section, kStuck),
                                               count(figure_of(section, "stuck_elements")));
      line("  " + pad(name, 46) + ending(section) + at);
    }
  }

  void source_arithmetic() {
    if (!runs_act(config_, "2")) return;
    const auto number = [&](const char* name) {
      return count(outcome(trace_, std::string("arithmetic_") + name));
    };
    const SourceArithmetic source;
    const std::string shape = fmt::format("{} x {} x {}", source.batch, source.length, source.hidden);
    const std::string gpus = fmt::format("x {} GPUs", source.gpus);
    act("2 The source's arithmetic", "hidden states of a batch, over all GPUs");
    line(fmt::format("  {:<22} {:>15}   the source says {:>13}", shape, number("product"),
                     number("claimed_product")));
    line(fmt::format("  {:<22} {:>15}   the source says {:>13}", gpus, number("product_over_gpus"),
                     number("claimed_over_gpus")));
    line(fmt::format("  {:<22} {:>15}   mod {} = {}, not 0: no batch size and no", "the log",
                     number("logged"), number("hidden_size"), number("remainder")));
    line(fmt::format("{:42}length gives this number", ""));
    std::string wire;
    for (const LinkModel& link : link_presets())
      if (const auto ms = outcome(trace_, "arithmetic_wire_ms_" + link.name))
        wire += fmt::format("{}{} {}", wire.empty() ? "" : ", ", link.name, seconds_of(ms));
    paragraph(fmt::format(
                  "on the wire, calculated from the links' figures, bf16, {} ranks: {}; its deadline was {}",
                  source.gpus, wire, format_duration(source.deadline_s)),
              kIn);
  }

  std::string returned_in(const std::string& section) const {
    const bool training = is_yes(*trace_.find(section), kReturnedTraining),
               evaluation = is_yes(*trace_.find(section), kReturnedEvaluation);
    return training && evaluation ? "both" : training ? "training" : evaluation ? "evaluation" : "neither";
  }

  void versions() {
    if (!ran("original")) return;
    act("3 V1, V2, V3", "what returning hidden states costs; rank 0, fp32");
    line("  " + pad("", 26) + pad("returned in", 12) + pad_left("peak train", 12) +
         pad_left("peak eval", 12) + pad_left("gathered", 11) + pad_left("step", 10) + pad_left("eval", 10));
    for (const char* section : {"original", "V1", "V2", "V3", "original mismatch", "V1 mismatch",
                                "V2 mismatch", "V3 mismatch", "chunked", "compressed"}) {
      if (!ran(section)) continue;
      const auto ms = [&](const char* key) {
        return fmt::format("{:.1f} ms", figure_of(section, key).value_or(0));
      };
      std::string name = of(section, kTitle);
      if (name.starts_with("original, gathered")) name = name.substr(10);
      line("  " + pad(name, 26) + pad(returned_in(section), 12) +
           pad_left(megabytes(figure_of(section, kTrainingPeak)), 12) +
           pad_left(megabytes(figure_of(section, kEvaluationPeak)), 12) +
           pad_left(megabytes(figure_of(section, kGathered)), 11) + pad_left(ms(kStepMs), 10) +
           pad_left(ms(kEvaluationMs), 10));
    }
    line("");
    for (const char* section : {"fix outputs", "hang chunked", "hang compressed", "fix timeout"})
      if (ran(section)) line("  " + pad(of(section, kTitle), 46) + ending(section));
    const auto& ledger = trace_.rows().ledger;
    paragraph(unexplained_bytes(ledger) == 0
                  ? fmt::format("Ledger: every byte of these trainings is explained, {} rows.", ledger.size())
                  : "Ledger: " + count(static_cast<double>(unexplained_bytes(ledger))) + " BYTES UNEXPLAINED",
              kIn);
    if (figure_of("original", "first_bucket_after_evaluation") ==
        figure_of("V3", "first_bucket_after_evaluation"))
      paragraph("A version that returns less gathers less. The collective that hangs stays the same: " +
                    count(figure_of("V3", "first_bucket_after_evaluation")) + " elements.",
                kIn);
  }

  void autopsy() {
    const auto& words = trace_.rows().outcome_text;
    if (!runs_act(config_, "4")) return;
    act("4 The autopsy", of("plan 7B", kModel) + ", buckets of " + count(figure_of("plan 7B", kLimit)));
    paragraph(bold(words.at("first_bucket_sum")), kIn);
    if (const auto next = outcome(trace_, "arithmetic_next_gradient")) {
      const double sum = *outcome(trace_, "arithmetic_first_bucket") + *next;
      paragraph(fmt::format("next is {} with {}: {} would be more than {}, so the bucket is sent as it is",
                            words.at("next_gradient"), count(next), count(sum),
                            count(figure_of("plan 7B", kLimit))),
                kIn);
    }
    const double first = *outcome(trace_, "arithmetic_first_bucket"),
                 logged = *outcome(trace_, "arithmetic_logged");
    paragraph(first == logged
                  ? "That is the number in the log: the first bucket of gradients of a backward pass."
                  : fmt::format("The log says {}: with these settings the first bucket is another one.",
                                count(logged)),
              kIn);
    paragraph(fmt::format("how sure: {:.1e} runs of gradients and classes tried, {:.0f} make the number "
                          "({:.2g} by chance), "
                          "{:.0f} of them is what a reducer would send ({:.2g} by chance)",
                          *outcome(trace_, "explain_tried"), *outcome(trace_, "explain_hits"),
                          *outcome(trace_, "explain_expected_by_chance"), *outcome(trace_, "explain_allowed"),
                          *outcome(trace_, "explain_allowed_by_chance")),
              kIn);
    if (!ran("live")) return;
    paragraph("here: " + words.at("first_bucket_sum_here") + "; the watchdog says NumelIn=" +
                  of("live", "stuck_elements") + ", carrying " + of("live", "stuck_tag"),
              kIn);
    lines(words.at("report_live"), kIn);
  }

  void culprits() {
    for (int which = 1; which <= 4; ++which) {
      const std::string name = fmt::format("case {}", which);
      if (!ran(name)) continue;
      if (which == 1 || config_.text("case") != "all") act("5 The culprits", lines_and_causes());
      if (config_.text("case") != "all")
        labelled("  " + name, of(name, kShownLog));
      else
        line("  " + bold(name) + "   " + of(name, kShownLog).substr(0, of(name, kShownLog).find(']') + 1) +
             " ... " + fmt::format("OpType=ALLREDUCE, NumelIn={}", of(name, "stuck_elements")));
      const Answer answer = answer_of(config_, trace_, name);
      for (const Look& look : answer.looks) {
        line("    " + bold("look: " + look.name));
        lines(look.shows, 6);
      }
      paragraph(answer.verdict, 4);
      if (!answer.reveals) continue;
      line("    " + pad("fix    " + of(name + " fixed", kTitle), 64) + ending(name + " fixed"));
      line("    " + pad("check=on   the same bug", 64) + ending(name + " check"));
      if (of(name + " check", kEnded) == "timeout") paragraph(noted_late(name + " check"), 8);
    }
  }

  // The last scene, where nothing is wrong with the call itself: what the check notes about the stuck one.
  std::string noted_late(const std::string& section) const {
    const SectionView& view = *trace_.find(section);
    std::string stuck = of(section, kStuck);  // "dp#61"; a note begins with "dp #61 "
    if (const size_t at = stuck.find('#'); at != std::string::npos) stuck.insert(at, " ");
    for (int rank = 0; rank < view.ranks(); ++rank)
      for (const NoteEvent& note : view.notes(rank))
        if (trace_.name(note.name) == "late" && trace_.name(note.unit).starts_with(stuck + " "))
          return tr(
              "The check finds no fault in a call that is only late; it notes it before the deadline: {}",
              trace_.name(note.unit));
    return of(section, kSentence);
  }

  std::vector<ClaimRow> tried_claims() const {
    std::vector<ClaimRow> rows = trace_.rows().claims;
    std::erase_if(rows, [](const ClaimRow& row) { return row.evidence == kActsNotRun; });
    return rows;
  }

  void next_steps() {
    line("");
    next({{"./run nccl_timeout act=5 case=2", "only the log line: who is it, and why?"},
          {"./run nccl_timeout act=4 classes=1000", "another head: which first bucket?"},
          {"./run nccl_timeout faults=skip check=on", "a planned fault, and what a check says at the call"},
          {"./run plan explain 467019003 --help", "from a number back to gradients"}});
  }

  const Config& config_;
  const Trace& trace_;
};

}  // namespace

std::string summarize(const Config& config, const Trace& trace, int width, bool colour) {
  return Summarizer(config, trace, width, colour).summarize();
}

}  // namespace ringside::nccl_lesson
