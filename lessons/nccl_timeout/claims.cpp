// What the source's documents say about the timeout, each put to the trace.
#include <algorithm>
#include <cmath>

#include "lesson.h"
#include "numbers.h"
#include "ringside/base/units.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/tr.h"

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
  return holds_if(*slow * 1e-3 > kSourceDeadlineS,
                  tr("calculated from the links' figures, bf16, 8 ranks: {:.1f} ms over NVLink, {:.1f} s "
                     "over 1 Gbit Ethernet, of {:.0f} s",
                     *fast, *slow * 1e-3, kSourceDeadlineS));
}

// Whether a change helps, tried where a rank never comes and where one is only late.
ClaimResult helps(bool never, bool late, const std::string& evidence) {
  return {never && late ? Verdict::kHolds : never || late ? Verdict::kPartly : Verdict::kFails, evidence};
}

ClaimResult dropping_mends(const Trace& trace) {
  const std::string never = attribute(trace, "fix outputs", kEnded),
                    late = attribute(trace, "late outputs", kEnded);
  if (never.empty() || late.empty()) return {};
  std::string evidence;
  if (const auto logs = rows_in<LogRow>(trace); logs.size() > 1 && logs[1].elements == logs[0].elements)
    evidence = tr("the same number was logged again after V1 (SeqNum={}). ", logs[1].sequence);
  evidence +=
      tr("Here, without any hidden states: {} after {:.2f} s in the same all-reduce of {} elements, where a "
         "rank never comes; {} where a rank was late because it wrote them out",
         never, number_in(trace, "fix outputs", kEndedMs).value_or(0) * 1e-3,
         whole(number_in(trace, "fix outputs", kStuckElements).value_or(0)), late);
  return helps(never == "completed", late == "completed", evidence);
}

// The opposite is claimed.
ClaimResult longer_is_no_help(const Trace& trace) {
  const auto before = number_in(trace, "symptom", kEndedMs),
             after = number_in(trace, "fix timeout", kEndedMs);
  const std::string never = attribute(trace, "fix timeout", kEnded),
                    late = attribute(trace, "late timeout", kEnded);
  if (!before || !after || late.empty()) return {};
  return helps(never != "completed", late != "completed",
               tr("where a rank never comes: {} after {:.2f} s instead of {:.2f} s, at the same place; where "
                  "a rank saves a checkpoint for two deadlines and then comes: {}",
                  never, *after * 1e-3, *before * 1e-3, late));
}

// ---- What was on the wire, and what was kept -------------------------------------------------------------

ClaimResult counts_all_ranks(const Trace& trace) {
  const auto line = number_in(trace, "symptom", kStuckElements), bucket = outcome(trace, "first_bucket_here");
  if (!line || !bucket) return {};
  return holds_if(
      *line > *bucket,
      tr("the line here says {} elements; one rank's first bucket has {}, that of all {} ranks {}. PyTorch's "
         "source code: ProcessGroupNCCL.cpp sets numelIn_ = input.numel(), of the rank that prints",
         whole(*line), whole(*bucket), trace.find("symptom")->ranks(),
         whole(*bucket * trace.find("symptom")->ranks())));
}

// The first all-reduce after an evaluation that kept hidden states, and after one that had none.
std::function<ClaimResult(const Trace&)> next_all_reduce(bool is_smaller_claimed) {
  return [=](const Trace& trace) -> ClaimResult {
    const auto kept = number_in(trace, "original", kNextBucket), none = number_in(trace, "V3", kNextBucket),
               limit = number_in(trace, kSource, kLimit);
    if (!kept || !none) return {};
    std::string evidence =
        tr("the first all-reduce after an evaluation has {} elements where hidden states are returned and "
           "kept, and {} with V3: gradients, both times",
           whole(*kept), whole(*none));
    if (is_smaller_claimed)
      evidence +=
          tr(". The source's program returned none at all (output_hidden_states occurs nowhere in it)");
    else if (limit)
      evidence +=
          tr(". The threshold that exists is reduce_bucket_size, {} elements of gradients", whole(*limit));
    return holds_if(*none < *kept, evidence);
  };
}

ClaimResult graph_is_enough(const Trace& trace) {
  const auto v3 = number_in(trace, "V3", kKeptForBackward),
             original = number_in(trace, "original", kKeptForBackward);
  if (!v3 || !original) return {};
  return holds_if(*v3 == 0, tr("V3 returns no hidden states, and {} of them are in memory when backward "
                               "begins; the original returns them: {}. Autograd keeps what backward needs. "
                               "Less is kept with recomputation: ./run recompute",
                               format_bytes(*v3), format_bytes(*original)));
}

ClaimResult line_proves(const Trace& trace) {
  const std::string ended = attribute(trace, "fix outputs", kEnded);
  if (ended.empty()) return {};
  return holds_if(ended == "completed",
                  tr("here the outputs are simplified ({}), as the line says, and the run ended: {}. The "
                     "line shows that the code ran. A test that can fail: does the same number come back?",
                     attribute(trace, "fix outputs", kReturns), ended));
}

ClaimResult flag_disagrees(const Trace& trace) {
  const SectionView *v1 = trace.find("V1"), *missed = trace.find("V1 mismatch"),
                    *v2 = trace.find("V2 mismatch");
  if (v1 == nullptr || missed == nullptr || v2 == nullptr || !v1->has(kReturnedEvaluation)) return {};
  const auto yes = [](const SectionView* one) { return is_yes(*one, kReturnedEvaluation) ? "yes" : "no"; };
  return holds_if(is_yes(*v1, kReturnedEvaluation) && !is_yes(*v2, kReturnedEvaluation),
                  tr("V1 returns hidden states in evaluation: {}. DeepSpeedEngine.eval() calls "
                     "self.module.train(False), so it sets the inner flag, which V1 reads. If eval() had "
                     "missed that flag, V1: {}; V2: {}, because both flags that V2 reads are inside",
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

}  // namespace

std::vector<ClaimOf> claims() {
  std::vector<ClaimOf> all = {{"tensor", is_hidden_states},
                              {"arithmetic", arithmetic},
                              {"size", too_large},
                              {"v1_mends", dropping_mends},
                              {"longer", longer_is_no_help},
                              {"flags", flag_disagrees},
                              {"both", saves_in_both},
                              {"numel", counts_all_ranks},
                              {"threshold", next_all_reduce(false)},
                              {"v3_mends", next_all_reduce(true)},
                              {"graph", graph_is_enough},
                              {"log_line", line_proves}};
  for (const TextBlock& block : texts().all())
    if (block.has("answer")) {  // a source has said it: quoted
      const Verdict verdict = block.has("refuted") ? Verdict::kFails : Verdict::kNotTestable;
      all.push_back({block.id, [verdict, why = block.text("answer")](const Trace& trace) {
                       return outcome(trace, "arithmetic_logged") ? ClaimResult{verdict, why} : ClaimResult();
                     }});
    }
  return all;
}

}  // namespace ringside::nccl_lesson
