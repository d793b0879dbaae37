#include "claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arithmetic.h"
#include "ringside/base/median.h"
#include "ringside/base/units.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/ratio_claim.h"
#include "ringside/lesson/tr.h"
#include "ringside/train/in_turns.h"
#include "sections.h"

namespace ringside::nccl_lesson {
namespace {

const ClaimResult kNotRun = not_testable(kActsNotRun);
constexpr const char* kFirst = "A, 1st document";
constexpr const char* kSecond = "A, 2nd document";

std::string count(double value) { return format_count(static_cast<int64_t>(value)); }

// What hangs, in whatever act was run.
std::string a_hang(const Trace& trace) {
  for (const char* section : {"live", "symptom"})
    if (!attribute(trace, section, kEnded).empty()) return section;
  return "";
}

// ---- The first document ---------------------------------------------------------

ClaimResult is_hidden_states(const Trace& trace) {
  const auto logged = outcome(trace, "arithmetic_logged"), rest = outcome(trace, "arithmetic_remainder"),
             bucket = outcome(trace, "arithmetic_first_bucket");
  const std::string hang = a_hang(trace), carried = attribute(trace, hang, "stuck_tag");
  if (!logged && hang.empty()) return kNotRun;
  std::string evidence;
  if (logged)
    evidence = tr("calculated: {} modulo the hidden size is {}; the first gradient bucket has {}",
                  count(*logged), count(*rest), count(*bucket));
  if (!hang.empty())
    evidence += tr("{}what hangs in the run here carries {}", evidence.empty() ? "" : "; ", carried);
  const bool by_number = !logged || (*rest == 0 && *bucket != *logged);
  const bool by_run = hang.empty() || carried.find("hidden states") != std::string::npos;
  return holds_if(by_number && by_run, evidence);
}

ClaimResult arithmetic(const Trace& trace) {
  const auto product = outcome(trace, "arithmetic_product"),
             claimed = outcome(trace, "arithmetic_claimed_product"),
             over = outcome(trace, "arithmetic_product_over_gpus"),
             logged = outcome(trace, "arithmetic_logged");
  if (!product) return kNotRun;
  const SourceArithmetic source;
  return holds_if(*product == *claimed && *over == *logged,
                  tr("calculated: {} × {} × {} = {}; × {} = {}, which misses the log's {} by {}",
                     source.batch, source.length, source.hidden, count(*product), source.gpus, count(*over),
                     count(*logged), count(std::abs(*over - *logged))));
}

ClaimResult too_large(const Trace& trace) {
  const auto fast = outcome(trace, "arithmetic_wire_ms_nvlink"),
             slow = outcome(trace, "arithmetic_wire_ms_ethernet");
  if (!fast) return kNotRun;
  const double deadline = SourceArithmetic().deadline_s;
  return holds_if(
      *slow * 1e-3 > deadline,
      tr("calculated from the links' figures, bf16, 8 ranks: {:.1f} ms over NVLink, {:.1f} s over 1 Gbit "
         "Ethernet, of {:.0f} s",
         *fast, *slow * 1e-3, deadline));
}

// It mends where a rank is late because of them, and nowhere else.
ClaimResult dropping_mends(const Trace& trace) {
  const std::string without = attribute(trace, "fix outputs", kEnded);
  std::string late, late_mended;
  for (const SectionView& section : trace.sections())
    if (section.name() == fmt::format("case {}", case_of(section.name())) &&
        attribute(section, kCause) == "late_gather") {
      late = attribute(section, kEnded);
      late_mended = attribute(trace, section.name() + " fixed", kEnded);
    }
  if (without.empty()) return kNotRun;
  std::string evidence =
      tr("without any hidden states: {} after {:.2f} s, in the same all-reduce of {} elements", without,
         figure(trace, "fix outputs", kEndedMs).value_or(0) * 1e-3,
         count(figure(trace, "fix outputs", "stuck_elements").value_or(0)));
  if (late == "timeout" && late_mended == "completed")
    return {Verdict::kPartly, tr("{}; it mends a rank that is late because of them. The source lists the "
                                 "effect as expected, and the "
                                 "same number came back after V1",
                                 evidence)};
  return holds_if(without != "timeout", evidence);
}

ClaimResult longer_is_no_help(const Trace& trace) {
  const auto before = figure(trace, "symptom", kEndedMs), after = figure(trace, "fix timeout", kEndedMs);
  if (!before || !after) return kNotRun;
  std::string helped;
  for (const SectionView& section : trace.sections())
    if (attribute(section, kCause) == "saves" && section.name().ends_with(" fixed") &&
        attribute(section, kEnded) == "completed")
      helped = section.name();
  const std::string evidence = tr(
      "a rank that never comes: after {:.2f} s instead of {:.2f} s, {:.2f} times as long, at the same place",
      *after * 1e-3, *before * 1e-3, *after / *before);
  if (attribute(trace, "fix timeout", kEnded) != "timeout") return {Verdict::kFails, evidence};
  return helped.empty() ? ClaimResult{Verdict::kHolds, evidence + tr("; case 9 is one where it helps")}
                        : ClaimResult{Verdict::kPartly,
                                      evidence + tr("; {}: a rank that is slow and comes is mended", helped)};
}

// ---- The second document --------------------------------------------------------

ClaimResult flag_disagrees(const Trace& trace) {
  const SectionView *v1 = trace.find("V1"), *missed = trace.find("V1 mismatch"),
                    *v2 = trace.find("V2 mismatch");
  if (v1 == nullptr || missed == nullptr || v2 == nullptr || !v1->has(kReturnedEvaluation)) return kNotRun;
  const auto yes = [](const SectionView* one) { return is_yes(*one, kReturnedEvaluation) ? "yes" : "no"; };
  const std::string evidence =
      tr("V1 returns hidden states in evaluation: {}. DeepSpeedEngine.eval() is self.module.train(False): it "
         "sets the "
         "flag that V1 reads, and leaves its own. Were that one missed, V1: {}, and V2, whose two flags are "
         "both "
         "inside: {}",
         yes(v1), yes(missed), yes(v2));
  return holds_if(is_yes(*v1, kReturnedEvaluation) && !is_yes(*v2, kReturnedEvaluation), evidence);
}

struct Pair {
  double original, v3;
};
std::optional<Pair> compared(const Trace& trace, const char* key) {
  const auto original = figure(trace, "original", key), v3 = figure(trace, "V3", key);
  if (!original || !v3) return std::nullopt;
  return Pair{*original, *v3};
}

// The same memory in training as in evaluation?
ClaimResult saves_in_both(const Trace& trace) {
  const auto training = compared(trace, kTrainingPeak), evaluation = compared(trace, kEvaluationPeak);
  if (!training || !evaluation) return kNotRun;
  const double in_training = training->original - training->v3,
               in_evaluation = evaluation->original - evaluation->v3;
  const std::string evidence =
      tr("of a program that does return them: peak of rank 0 in training {} -> {}, in evaluation {} -> {}: "
         "autograd "
         "keeps most of them in training anyway",
         format_bytes(training->original), format_bytes(training->v3), format_bytes(evaluation->original),
         format_bytes(evaluation->v3));
  if (in_evaluation <= 0) return {Verdict::kFails, evidence};
  return {in_training >= 0.5 * in_evaluation ? Verdict::kHolds : Verdict::kPartly, evidence};
}

// "So many percent faster" is read as so much less time.
ClaimResult faster(const Trace& trace, const char* span, double least, double most) {
  const auto compared_ms = [&](const char* section) {  // but those that warmed the training up
    const SectionView* view = trace.find(section);
    return view == nullptr ? std::vector<double>() : without_warm_up(span_ms(trace, *view, span));
  };
  const auto original = compared_ms(kOriginalInTurns), v3 = compared_ms(kV3InTurns);
  if (v3.empty() || v3.size() != original.size()) return kNotRun;
  return judge_ratio(
      ratio_interval(v3, original), 1 - most, 1 - least,
      tr("times as long with V3 as with the original, where {:.1f} to {:.1f} is claimed (median {:.1f} "
         "and {:.1f} ms)",
         1 - most, 1 - least, median(v3), median(original)));
}

ClaimSpec not_here(const char* id, const char* source, std::string statement, std::string why) {
  return {id, source, std::move(statement), [why](const Trace& trace) {
            return outcome(trace, "arithmetic_logged") ? not_testable(why) : kNotRun;
          }};
}

}  // namespace

std::vector<ClaimSpec> claims() {
  return {
      {"tensor", kFirst,
       tr("the all-reduce of 467,019,003 elements is the hidden_states that forward returns"),
       is_hidden_states},
      {"arithmetic", kFirst,
       tr("8 x 2048 x 3584 = 58,851,328 per GPU, x 8 = 470,810,624, almost exactly the logged number"),
       arithmetic},
      not_here("numel", kFirst, tr("the logged number counts all 8 GPUs"),
               tr("not testable here: PyTorch answers it. ProcessGroupNCCL.cpp sets numelIn_ = "
                  "input.numel(), of the "
                  "rank that prints")),
      not_here("outputs_synchronised", kFirst,
               tr("after eval() the engine may synchronise all outputs of the model"),
               tr("not testable here: DeepSpeed answers it. runtime/engine.py, forward, calls "
                  "self.module(...) and no "
                  "collective; recorded there: 0 in an evaluation's forward (0.14.4, ZeRO-2)")),
      {"size", kFirst, tr("a tensor of that size is why the collective timed out"), too_large},
      {"v1_mends", kFirst,
       tr("expected effect: not returning hidden states takes the timeouts from 100% to 0%"), dropping_mends},
      {"longer", kFirst, tr("a longer timeout is no help"), longer_is_no_help},
      {"flags", kSecond, tr("V1 failed because the wrapper's training flag and the inner model's may differ"),
       flag_disagrees},
      not_here(
          "v3_mends", kSecond, tr("expected effect: with V3 no such all-reduce is left"),
          tr("not testable here: the program never asked for hidden states (output_hidden_states occurs "
             "nowhere in "
             "it), so V3 replaced None by None. Later commits put barriers and an alarm around evaluation")),
      not_here(
          "megabytes", kSecond, tr("expected effect: 235 MB per GPU are saved in each forward pass"),
          tr("not testable here: calculated, 235 MB is one fp32 tensor of 58,851,328 elements. The program "
             "returned none: 0 bytes were saved")),
      {"both", kSecond, tr("V3 saves memory in training as well as in evaluation"), saves_in_both},
      {"training_faster", kSecond, tr("expected effect: training becomes 20 to 40% faster"),
       [](const Trace& trace) { return faster(trace, "step", 0.2, 0.4); }},
      {"evaluation_faster", kSecond, tr("expected effect: evaluation becomes 80 to 90% faster"),
       [](const Trace& trace) { return faster(trace, "evaluate", 0.8, 0.9); }},
  };
}

}  // namespace ringside::nccl_lesson
