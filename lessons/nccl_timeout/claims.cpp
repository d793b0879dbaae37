// What the source's documents say about the timeout, each put to the trace.
#include <algorithm>
#include <cmath>

#include "lesson.h"
#include "numbers.h"
#include "ringside/base/median.h"
#include "ringside/base/units.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/tr.h"
#include "ringside/train/in_turns.h"

namespace ringside::nccl_lesson {
namespace {

ClaimResult is_hidden_states(const Trace& trace) {
  const auto logged = outcome(trace, "arithmetic_logged"), rest = outcome(trace, "arithmetic_remainder"),
             bucket = outcome(trace, "arithmetic_first_bucket");
  const std::string hang = attribute(trace, "live", kEnded).empty() ? "symptom" : "live",
                    carried = attribute(trace, hang, kStuckTag);  // in whatever act was run
  const bool hangs = !attribute(trace, hang, kEnded).empty();
  if (!logged && !hangs) return {};
  std::string evidence;
  if (logged)
    evidence = tr("calculated: {} modulo the hidden size is {}; the first gradient bucket has {}",
                  whole(*logged), whole(*rest), whole(*bucket));
  if (hangs) evidence += tr("{}what hangs in the run here carries {}", evidence.empty() ? "" : "; ", carried);
  const bool by_number = !logged || (*rest == 0 && *bucket != *logged);
  return holds_if(by_number && (!hangs || carried.find("hidden states") != std::string::npos), evidence);
}

ClaimResult arithmetic(const Trace& trace) {
  const auto product = outcome(trace, "arithmetic_product"),
             claimed = outcome(trace, "arithmetic_claimed_product"),
             over = outcome(trace, "arithmetic_product_over_gpus"),
             logged = outcome(trace, "arithmetic_logged");
  if (!product) return {};
  return holds_if(*product == *claimed && *over == *logged,
                  tr("calculated: {} × {} × {} = {}; × {} = {}, which misses the log's {} by {}", kBatch,
                     kLength, kHidden, whole(*product), kRanksOfTheCase, whole(*over), whole(*logged),
                     whole(std::abs(*over - *logged))));
}

ClaimResult too_large(const Trace& trace) {
  const auto fast = outcome(trace, "arithmetic_wire_ms_nvlink"),
             slow = outcome(trace, "arithmetic_wire_ms_ethernet");
  if (!fast) return {};
  return holds_if(
      *slow * 1e-3 > kSourceDeadlineS,
      tr("calculated from the links' figures, bf16, 8 ranks: {:.1f} ms over NVLink, {:.1f} s over 1 Gbit "
         "Ethernet, of {:.0f} s",
         *fast, *slow * 1e-3, kSourceDeadlineS));
}

// Of a case with that cause, whether it hung and its fix mended it: the name of its section, or "".
std::string mended_case(const Trace& trace, const std::string& cause) {
  for (const SectionView& section : trace.sections()) {
    const std::string name = name_of_case(case_of(section.name()));
    if (attribute(section, kCause) == cause && attribute(trace, name, kEnded) != "completed" &&
        attribute(trace, name + " fixed", kEnded) == "completed")
      return name + " fixed";
  }
  return "";
}

// It mends where a rank is late because of them, and nowhere else.
ClaimResult dropping_mends(const Trace& trace) {
  const std::string without = attribute(trace, "fix outputs", kEnded);
  if (without.empty()) return {};
  const std::string evidence =
      tr("without any hidden states: {} after {:.2f} s, in the same all-reduce of {} elements", without,
         number_in(trace, "fix outputs", kEndedMs).value_or(0) * 1e-3,
         whole(number_in(trace, "fix outputs", kStuckElements).value_or(0)));
  if (mended_case(trace, "late_gather").empty()) return holds_if(without != "timeout", evidence);
  return {Verdict::kPartly,
          tr("{}; it mends a rank that is late because of them. The source lists the effect "
             "as expected, and the same number came back after V1",
             evidence)};
}

ClaimResult longer_is_no_help(const Trace& trace) {
  const auto before = number_in(trace, "symptom", kEndedMs),
             after = number_in(trace, "fix timeout", kEndedMs);
  if (!before || !after) return {};
  const std::string evidence = tr(
      "a rank that never comes: after {:.2f} s instead of {:.2f} s, {:.2f} times as long, at the same place",
      *after * 1e-3, *before * 1e-3, *after / *before);
  if (attribute(trace, "fix timeout", kEnded) != "timeout") return {Verdict::kFails, evidence};
  if (const std::string helped = mended_case(trace, "saves"); !helped.empty())
    return {Verdict::kPartly, tr("{}; {}: a rank that is slow and comes is mended", evidence, helped)};
  return {Verdict::kHolds, tr("{}; case 9 is one where it helps", evidence)};
}

ClaimResult flag_disagrees(const Trace& trace) {
  const SectionView *v1 = trace.find("V1"), *missed = trace.find("V1 mismatch"),
                    *v2 = trace.find("V2 mismatch");
  if (v1 == nullptr || missed == nullptr || v2 == nullptr || !v1->has(kReturnedEvaluation)) return {};
  const auto yes = [](const SectionView* one) { return is_yes(*one, kReturnedEvaluation) ? "yes" : "no"; };
  return holds_if(
      is_yes(*v1, kReturnedEvaluation) && !is_yes(*v2, kReturnedEvaluation),
      tr("V1 returns hidden states in evaluation: {}. DeepSpeedEngine.eval() is self.module.train(False): it "
         "sets the flag that V1 reads, and leaves its own. Were that one missed, V1: {}, and V2, whose two "
         "flags are both inside: {}",
         yes(v1), yes(missed), yes(v2)));
}

// The same memory in training as in evaluation?
ClaimResult saves_in_both(const Trace& trace) {
  double training[2] = {}, evaluation[2] = {};
  for (const int nth : {0, 1}) {
    const char* section = nth == 0 ? "original" : "V3";
    const auto trained = number_in(trace, section, kTrainingPeak),
               evaluated = number_in(trace, section, kEvaluationPeak);
    if (!trained || !evaluated) return {};
    training[nth] = *trained;
    evaluation[nth] = *evaluated;
  }
  const std::string evidence =
      tr("of a program that does return them: peak of rank 0 in training {} -> {}, in evaluation {} -> {}: "
         "autograd keeps most of them in training anyway",
         format_bytes(training[0]), format_bytes(training[1]), format_bytes(evaluation[0]),
         format_bytes(evaluation[1]));
  const double saved = evaluation[0] - evaluation[1];
  if (saved <= 0) return {Verdict::kFails, evidence};
  return {training[0] - training[1] >= 0.5 * saved ? Verdict::kHolds : Verdict::kPartly, evidence};
}

// "So many percent faster" is read as so much less time.
std::function<ClaimResult(const Trace&)> faster(const char* span, double least, double most) {
  return [=](const Trace& trace) -> ClaimResult {
    const auto times = [&](const char* section) {  // but those that warmed the training up
      const SectionView* view = trace.find(section);
      return view == nullptr ? std::vector<double>() : without_warm_up(span_ms(trace, *view, span));
    };
    const auto original = times(kOriginalInTurns), v3 = times(kV3InTurns);
    if (v3.empty() || v3.size() != original.size()) return {};
    return judge_ratio(
        ratio_interval(v3, original), 1 - most, 1 - least,
        tr("times as long with V3 as with the original, where {:.1f} to {:.1f} is claimed (median {:.1f} "
           "and {:.1f} ms)",
           1 - most, 1 - least, median(v3), median(original)));
  };
}

}  // namespace

std::vector<ClaimOf> claims() {
  std::vector<ClaimOf> all = {{"tensor", is_hidden_states},
                              {"arithmetic", arithmetic},
                              {"size", too_large},
                              {"v1_mends", dropping_mends},
                              {"longer", longer_is_no_help},
                              {"flags", flag_disagrees},
                              {"both", saves_in_both},
                              {"training_faster", faster("step", 0.2, 0.4)},
                              {"evaluation_faster", faster("evaluate", 0.8, 0.9)}};
  for (const TextBlock& block : texts().all())
    if (block.has("answer"))
      all.push_back({block.id, [why = block.text("answer")](const Trace& trace) {
                       return outcome(trace, "arithmetic_logged") ? not_testable(why) : ClaimResult();
                     }});
  return all;
}

}  // namespace ringside::nccl_lesson
