// What the source's documents say about the timeout, each put to the trace.
#include "lesson.h"

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
  const double product = calculated(trace, "product"), over = calculated(trace, "product_over_gpus"),
               logged = calculated(trace, "logged");
  return judged(product == calculated(trace, "claimed_product") && over == logged, kBatch, kLength, kHidden,
                whole(product), kRanksOfTheCase, whole(over), whole(logged), whole(std::abs(over - logged)));
}

ClaimResult too_large(const Trace& trace) {
  const double fast = calculated(trace, "wire_ms_nvlink"), slow = calculated(trace, "wire_ms_ethernet");
  return judged(slow * 1e-3 > kSourceDeadlineS, fast, slow * 1e-3, kSourceDeadlineS);
}

// In words, as a section of the run has it.
std::string said(const Trace& trace, const char* section, const char* key) {
  std::string text = attribute(trace, section, key);
  return text.empty() ? throw NotRun() : text;
}
double number_of(const Trace& trace, const char* section, const char* key) {
  return needed(number_in(trace, section, key));
}

// Whether a change helps is tried where a rank never comes, and where one is only late.
ClaimResult dropping_mends(const Trace& trace) {
  const std::string never = said(trace, "fix outputs", kEnded), late = said(trace, "late outputs", kEnded);
  std::string evidence;
  if (const auto logs = rows_in<LogRow>(trace); logs.size() > 1 && logs[1].elements == logs[0].elements)
    evidence = tr("the same number was logged again after V1 (SeqNum={}). ", logs[1].sequence);
  evidence +=
      tr("Here, without any hidden states: {} after {:.2f} s in the same all-reduce of {} elements, where a "
         "rank never comes; {} where a rank was late because it wrote them out",
         never, number_in(trace, "fix outputs", kEndedMs).value_or(0) * 1e-3,
         whole(number_in(trace, "fix outputs", kStuckElements).value_or(0)), late);
  return {both(never == "completed", late == "completed"), evidence};
}

// The opposite is claimed.
ClaimResult longer_is_no_help(const Trace& trace) {
  const std::string never = said(trace, "fix timeout", kEnded), late = said(trace, "late timeout", kEnded);
  return judged(both(never != "completed", late != "completed"), never,
                number_of(trace, "fix timeout", kEndedMs) * 1e-3,
                number_of(trace, "symptom", kEndedMs) * 1e-3, late);
}

// ---- What was on the wire, and what was kept -------------------------------------------------------------

ClaimResult counts_all_ranks(const Trace& trace) {
  const double line = number_of(trace, "symptom", kStuckElements),
               bucket = needed(outcome(trace, "first_bucket_here"));
  const int ranks = trace.find("symptom")->ranks();
  return judged(line > bucket, whole(line), whole(bucket), ranks, whole(bucket * ranks));
}

// The first all-reduce after an evaluation that kept hidden states, and after one that had none.
std::function<ClaimResult(const Trace&)> next_all_reduce(bool is_smaller_claimed) {
  return [=](const Trace& trace) -> ClaimResult {
    const double kept = number_of(trace, "original", kNextBucket), none = number_of(trace, "V3", kNextBucket);
    std::string evidence =
        tr("the first all-reduce after an evaluation has {} elements where hidden states are returned and "
           "kept, and {} with V3: gradients, both times",
           whole(kept), whole(none));
    if (is_smaller_claimed)
      evidence +=
          tr(". The source's program returned none at all (output_hidden_states occurs nowhere in it)");
    else if (const auto limit = number_in(trace, kSource, kLimit))
      evidence +=
          tr(". The threshold that exists is reduce_bucket_size, {} elements of gradients", whole(*limit));
    return holds_if(none < kept, evidence);
  };
}

ClaimResult graph_is_enough(const Trace& trace) {
  const double v3 = number_of(trace, "V3", kKeptForBackward),
               original = number_of(trace, "original", kKeptForBackward);
  return judged(v3 == 0 ? Verdict::kHolds : Verdict::kPartly, format_bytes(v3), format_bytes(original));
}

ClaimResult line_proves(const Trace& trace) {
  const std::string ended = said(trace, "fix outputs", kEnded);
  return judged(ended == "completed", attribute(trace, "fix outputs", kReturns), ended);
}

ClaimResult flag_disagrees(const Trace& trace) {
  const auto returns = [&](const char* version) {
    return said(trace, version, kReturnedEvaluation) == "yes";
  };
  const auto yes = [&](const char* version) { return returns(version) ? "yes" : "no"; };
  return judged(returns("V1") && !returns("V2 mismatch"), yes("V1"), yes("V1 mismatch"), yes("V2 mismatch"));
}

// The same memory in training as in evaluation?
ClaimResult saves_in_both(const Trace& trace) {
  const auto peak = [&](const char* section, const char* key) { return number_of(trace, section, key); };
  const double training[] = {peak("original", kTrainingPeak), peak("V3", kTrainingPeak)},
               evaluation[] = {peak("original", kEvaluationPeak), peak("V3", kEvaluationPeak)};
  const double saved = evaluation[0] - evaluation[1];
  return judged(both(saved > 0, saved > 0 && training[0] - training[1] >= 0.5 * saved),
                format_bytes(training[0]), format_bytes(training[1]), format_bytes(evaluation[0]),
                format_bytes(evaluation[1]));
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
                       calculated(trace, "logged");  // NotRun
                       return ClaimResult{verdict, why};
                     }});
    }
  return all;
}

}  // namespace ringside::nccl_lesson
