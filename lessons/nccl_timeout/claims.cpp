#include "claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arithmetic.h"
#include "ringside/base/median.h"
#include "ringside/base/units.h"
#include "ringside/lesson/ratio_claim.h"
#include "ringside/train/in_turns.h"
#include "sections.h"

namespace ringside::nccl_lesson {
namespace {

const ClaimResult kNotRun{Verdict::kNotTestable, kActsNotRun};
constexpr const char* kFirst = "A, 1st document";
constexpr const char* kSecond = "A, 2nd document";

ClaimResult verdict(bool holds, std::string evidence) {
  return {holds ? Verdict::kHolds : Verdict::kFails, std::move(evidence)};
}

std::string count(double value) { return format_count(static_cast<int64_t>(value)); }
std::string megabytes(double bytes) { return fmt::format("{:.2f} MB", bytes * 1e-6); }

// The first of these sections that was run; "" where none was.
std::string first_run(const Trace& trace, const std::vector<std::string>& sections) {
  for (const std::string& section : sections)
    if (!attribute(trace, section, kEnded).empty()) return section;
  return "";
}
std::string a_hang(const Trace& trace) { return first_run(trace, {"live", "symptom", "hang chunked"}); }

bool times_out(const Trace& trace, const std::string& section) {
  return attribute(trace, section, kEnded) == "timeout";
}

// ---- The first document ---------------------------------------------------------

ClaimResult is_hidden_states(const Trace& trace) {
  const auto logged = outcome(trace, "arithmetic_logged"), rest = outcome(trace, "arithmetic_remainder"),
             bucket = outcome(trace, "arithmetic_first_bucket");
  const std::string hang = a_hang(trace);
  if (!logged && hang.empty()) return kNotRun;
  std::string evidence;
  if (logged) {
    evidence = fmt::format(
        "calculated: {} modulo the hidden size is {}, not 0, so no batch of hidden states has it; the first "
        "gradient bucket has {}",
        count(*logged), count(*rest), count(*bucket));
  }
  const std::string carried = attribute(trace, hang, "stuck_tag");
  if (!hang.empty())
    evidence += (evidence.empty() ? "" : "; ") + ("what hangs in the run here carries " + carried);
  const bool by_number = logged && *rest == 0 && *bucket != *logged;
  const bool by_run = !hang.empty() && carried.find("hidden states") != std::string::npos;
  return verdict((by_number || !logged) && (by_run || hang.empty()), evidence);
}

ClaimResult arithmetic(const Trace& trace) {
  const auto product = outcome(trace, "arithmetic_product"),
             claimed = outcome(trace, "arithmetic_claimed_product"),
             over = outcome(trace, "arithmetic_product_over_gpus"),
             logged = outcome(trace, "arithmetic_logged");
  if (!product) return kNotRun;
  const SourceArithmetic source;
  return verdict(*product == *claimed && *over == *logged,
                 fmt::format("calculated: {} × {} × {} = {}; × {} = {}, which misses the log's {} by {}",
                             source.batch, source.length, source.hidden, count(*product), source.gpus,
                             count(*over), count(*logged), count(std::abs(*over - *logged))));
}

// What each rank passed in, against what the line says.
ClaimResult counts_all_ranks(const Trace& trace) {
  const std::string hang = a_hang(trace);
  const auto logged = figure(trace, hang, "stuck_elements");
  if (!logged) return kNotRun;
  const SectionView& section = *trace.find(hang);
  const std::string stuck = attribute(trace, hang, kStuck);
  double sum = 0, own = 0;
  int ranks = 0;
  for (int rank = 0; rank < section.ranks(); ++rank) {
    for (const CollectiveEvent& event : section.collectives(rank)) {
      const std::string name = fmt::format("{}#{}", trace.name(event.group), event.collective_seq_id);
      if (name != stuck || event.state != CollectiveState::kScheduled) continue;
      own = static_cast<double>(event.elements);
      sum += own;
      ++ranks;
    }
  }
  if (ranks == 0) return kNotRun;
  return verdict(sum == *logged && own != *logged,
                 fmt::format("{} ranks are in it with {} elements each, and the line says {}", ranks,
                             count(own), count(*logged)));
}

// Collectives of an evaluation that its own loop did not ask for.
ClaimResult synchronised(const Trace& trace) {
  const SectionView* section = trace.find("original");
  if (section == nullptr || attribute(trace, "original", kKind).empty()) return kNotRun;
  int64_t asked = 0, others = 0;
  for (const SpanEvent& span : section->spans(0)) {
    if (trace.name(span.name) != "evaluate") continue;
    for (const CollectiveEvent& event : section->collectives(0)) {
      const bool within = event.time_created_ns >= span.start_ns && event.time_created_ns <= span.end_ns;
      if (!within || event.state != CollectiveState::kScheduled) continue;
      ++(trace.name(event.tag).starts_with("evaluation") ? asked : others);
    }
  }
  return verdict(others > 0,
                 fmt::format("{} collectives within evaluations: {} that the evaluation loop asked for, "
                             "{} by themselves",
                             asked + others, asked, others));
}

ClaimResult too_large(const Trace& trace) {
  const auto fast = outcome(trace, "arithmetic_wire_ms_nvlink"),
             slow = outcome(trace, "arithmetic_wire_ms_ethernet");
  if (!fast) return kNotRun;
  return verdict(
      *slow * 1e-3 > SourceArithmetic().deadline_s,
      fmt::format("calculated from the links' figures, bf16, 8 ranks: {:.1f} ms over NVLink, {:.1f} s over "
                  "1 Gbit Ethernet, of {:.0f} s",
                  *fast, *slow * 1e-3, SourceArithmetic().deadline_s));
}

ClaimResult dropping_mends(const Trace& trace) {
  if (attribute(trace, "fix outputs", kEnded).empty()) return kNotRun;
  return verdict(
      !times_out(trace, "fix outputs"),
      fmt::format("without any hidden states: {} after {:.2f} s, in the same all-reduce of {} elements",
                  attribute(trace, "fix outputs", kEnded),
                  figure(trace, "fix outputs", kEndedMs).value_or(0) * 1e-3,
                  count(figure(trace, "fix outputs", "stuck_elements").value_or(0))));
}

ClaimResult longer_is_no_help(const Trace& trace) {
  const auto before = figure(trace, "symptom", kEndedMs), after = figure(trace, "fix timeout", kEndedMs);
  if (!before || !after) return kNotRun;
  return verdict(
      times_out(trace, "fix timeout"),
      fmt::format("it dies after {:.2f} s instead of {:.2f} s: {:.2f} times later, at the same place",
                  *after * 1e-3, *before * 1e-3, *after / *before));
}

ClaimResult transfer_mends(const Trace& trace, const std::string& name) {
  const std::string hang = "hang " + name;
  const auto whole = figure(trace, "original", kGathered), here = figure(trace, name, kGathered);
  if (attribute(trace, hang, kEnded).empty() || !whole || !here) return kNotRun;
  const std::string gathers = *here == *whole
                                  ? fmt::format("{}, as without it", megabytes(*here))
                                  : fmt::format("{} instead of {}", megabytes(*here), megabytes(*whole));
  return verdict(
      !times_out(trace, hang),
      fmt::format("an evaluation gathers {}; the fault remains: {} after {:.2f} s", gathers,
                  attribute(trace, hang, kEnded), figure(trace, hang, kEndedMs).value_or(0) * 1e-3));
}

// ---- The second document --------------------------------------------------------

ClaimResult flag_disagrees(const Trace& trace) {
  const std::string agreed = attribute(trace, "V1", kReturnedEvaluation),
                    disagreed = attribute(trace, "V1 mismatch", kReturnedEvaluation);
  const std::string without = attribute(trace, "fix outputs", kEnded);
  if (agreed.empty() || disagreed.empty()) return kNotRun;
  const bool real = !is_yes(*trace.find("V1"), kReturnedEvaluation) &&
                    is_yes(*trace.find("V1 mismatch"), kReturnedEvaluation);
  std::string evidence =
      fmt::format("V1 returns hidden states in evaluation: flags agree {}, disagree {}", agreed, disagreed);
  if (!without.empty())
    evidence += fmt::format("; but a run that never returns any ends by {} as well", without);
  if (!real) return {Verdict::kFails, evidence};
  return {without == "timeout" ? Verdict::kPartly : Verdict::kHolds, evidence};
}

ClaimResult no_such_collective(const Trace& trace) {
  const auto before = figure(trace, "original", "first_bucket_after_evaluation"),
             after = figure(trace, "V3", "first_bucket_after_evaluation");
  if (!before || !after) return kNotRun;
  return verdict(*after != *before,
                 fmt::format("first all-reduce of gradients after an evaluation: {} elements with "
                             "the original, {} with V3",
                             count(*before), count(*after)));
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
  const std::string evidence = fmt::format(
      "peak of rank 0 in training {} -> {}, in evaluation {} -> {}: autograd keeps most of them in training "
      "anyway",
      megabytes(training->original), megabytes(training->v3), megabytes(evaluation->original),
      megabytes(evaluation->v3));
  if (in_evaluation <= 0) return {Verdict::kFails, evidence};
  return {in_training >= 0.5 * in_evaluation ? Verdict::kHolds : Verdict::kPartly, evidence};
}

// A step's times, or an evaluation's, but those that warmed the training up.
std::vector<double> compared_ms(const Trace& trace, const char* section, const char* span) {
  const SectionView* view = trace.find(section);
  return view == nullptr ? std::vector<double>() : without_warm_up(span_ms(trace, *view, span));
}

// "So many percent faster" is read as so much less time.
ClaimResult faster(const Trace& trace, const char* span, double least, double most) {
  const auto original = compared_ms(trace, kOriginalInTurns, span), v3 = compared_ms(trace, kV3InTurns, span);
  if (v3.empty() || v3.size() != original.size()) return kNotRun;
  return judge_ratio(ratio_interval(v3, original), 1 - most, 1 - least,
                     fmt::format("times as long with V3 as with the original, where {:.1f} to {:.1f} is "
                                 "claimed (median {:.1f} and {:.1f} ms)",
                                 1 - most, 1 - least, median(v3), median(original)));
}

ClaimResult only_logits_are_used(const Trace& trace) {
  const auto original = figure(trace, "original", "accuracy"), v3 = figure(trace, "V3", "accuracy");
  if (!original || !v3) return kNotRun;
  return verdict(*original == *v3,
                 fmt::format("accuracy {:.4f} with the original, {:.4f} with V3", *original, *v3));
}

ClaimResult saved_megabytes(const Trace& trace) {
  const auto one = outcome(trace, "arithmetic_megabytes_of_claimed_product"),
             all = outcome(trace, "arithmetic_megabytes_bf16_all_layers");
  if (!one) return kNotRun;
  return {
      Verdict::kPartly,
      fmt::format("calculated: {:.0f} MB is one fp32 tensor of that many elements; what output_hidden_states "
                  "returns is one a layer and one more: {:.0f} MB in bf16",
                  *one, *all)};
}

}  // namespace

std::vector<ClaimSpec> claims() {
  return {
      {"tensor", kFirst, "the all-reduce of 467,019,003 elements is the hidden_states that forward returns",
       is_hidden_states},
      {"arithmetic", kFirst,
       "8 x 2048 x 3584 = 58,851,328 per GPU, x 8 = 470,810,624, almost exactly the logged number",
       arithmetic},
      {"numel", kFirst, "the logged number counts all 8 GPUs", counts_all_ranks},
      {"outputs_synchronised", kFirst, "after eval() all outputs of the model are synchronised by themselves",
       synchronised},
      {"size", kFirst, "a tensor of that size is why the collective timed out", too_large},
      {"v1_mends", kFirst, "not returning hidden states takes the timeouts from 100% to 0%", dropping_mends},
      {"chunked", kFirst, "sending hidden states in chunks would help",
       [](const Trace& trace) { return transfer_mends(trace, "chunked"); }},
      {"compressed", kFirst, "sending hidden states compressed would help",
       [](const Trace& trace) { return transfer_mends(trace, "compressed"); }},
      {"longer", kFirst, "a longer timeout is no help", longer_is_no_help},
      {"flags", kSecond, "V1 failed because the wrapper's training flag and the inner model's differ",
       flag_disagrees},
      {"v3_mends", kSecond, "with V3 no such all-reduce is left", no_such_collective},
      {"megabytes", kSecond, "235 MB per GPU are saved in each forward pass", saved_megabytes},
      {"both", kSecond, "V3 saves that memory in training as well as in evaluation", saves_in_both},
      {"training_faster", kSecond, "training becomes 20 to 40% faster",
       [](const Trace& trace) { return faster(trace, "step", 0.2, 0.4); }},
      {"evaluation_faster", kSecond, "evaluation becomes 80 to 90% faster",
       [](const Trace& trace) { return faster(trace, "evaluate", 0.8, 0.9); }},
      {"unused", kSecond, "neither training nor evaluation uses hidden states, only loss and logits",
       only_logits_are_used},
  };
}

}  // namespace ringside::nccl_lesson
