#include "causes.h"

#include <algorithm>
#include <array>

#include "ringside/base/random.h"
#include "scenario.h"

namespace ringside::nccl_lesson {
namespace {

constexpr std::array<const char*, 4> kCauses = {"late_gather", "one_batch_more", "evaluates_alone", "killed"};
constexpr int kLongerThanAnyDeadline = 20;  // deadlines that a late rank sleeps; an abort wakes it

uint64_t draw(const Config& config, const std::string& what) {
  return mix_seed(static_cast<uint64_t>(config.integer("seed")), what);
}

// Any rank but 0, whose part in evaluations is special in many trainers.
int any_other_rank(const Config& config, const std::string& what) {
  return 1 + static_cast<int>(draw(config, what) % static_cast<uint64_t>(config.integer("ranks") - 1));
}

// The last gather of an evaluation: of its last batch, the last layer's hidden states.
std::string last_gather(const Training& training) {
  constexpr int64_t kBatches = 2;
  return "batch " + std::to_string(kBatches - 1) + ", " +
         unit_name(training.model.units() - 2, training.model.layers);
}

}  // namespace

Culprit culprit_of_symptom(const Config& config) {
  return {"stuck_loader", any_other_rank(config, "symptom")};
}

Culprit culprit_of_case(const Config& config, int which) {
  std::array<const char*, 4> causes = kCauses;
  for (size_t left = causes.size(); left > 1; --left) {
    const auto other = static_cast<size_t>(draw(config, "order " + std::to_string(left)) % left);
    std::swap(causes[left - 1], causes[other]);
  }
  const std::string cause = causes.at(static_cast<size_t>(which - 1));
  if (cause == "evaluates_alone") return {cause, 0};
  return {cause, any_other_rank(config, cause)};
}

FaultPlan plan_of(const Culprit& culprit, const Training& training) {
  Fault fault;
  fault.rank = culprit.rank;
  fault.step = kEvaluatedStep;
  if (culprit.cause == "late_gather") {
    fault.kind = FaultKind::kDelay;
    fault.tag = "evaluation hidden states";
    fault.unit = last_gather(training);
    fault.when = FaultMoment::kAfter;
    fault.time = kLongerThanAnyDeadline * training.timeout;
  } else if (culprit.cause == "one_batch_more") {
    fault.kind = FaultKind::kOneBatchMore;
  } else if (culprit.cause == "evaluates_alone") {
    fault.kind = FaultKind::kEvaluatesAlone;
  } else {
    fault.kind = culprit.cause == "killed" ? FaultKind::kKill : FaultKind::kStop;
    fault.step = kEvaluatedStep + 1;
    fault.tag = "gradients";
    fault.silent = culprit.cause == "killed";
  }
  return {{fault}};
}

std::string in_words(const std::string& cause) {
  if (cause == "late_gather") return "gathers hidden states, writes them out and comes late";
  if (cause == "one_batch_more") return "has one batch more than the others";
  if (cause == "evaluates_alone") return "evaluates, and nobody else does";
  if (cause == "killed") return "was killed, and nobody was told";
  return "waits for input that never comes";
}

std::string fix_of(const std::string& cause) {
  if (cause == "late_gather") return "gather logits only: nothing is left to write out";
  if (cause == "one_batch_more") return "as many batches on every rank (drop the last, or join)";
  if (cause == "evaluates_alone") return "every rank evaluates, or none";
  if (cause == "killed") return "bring the rank back, and find out what killed it";
  return "find the rank that is missing, and mend its input";
}

void apply_fix(const Culprit& culprit, Training& training, FaultPlan& faults) {
  if (culprit.cause == "late_gather") {  // the fault stays planned: it has nothing left to strike
    training.outputs = OutputVersion::kV3;
    training.evaluation_gather = EvaluationGather::kLogits;
  } else {
    faults.faults.clear();
  }
}

}  // namespace ringside::nccl_lesson
