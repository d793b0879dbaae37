#include "cases.h"

#include <algorithm>

#include "ringside/base/check.h"
#include "ringside/base/random.h"
#include "ringside/planner/reducer.h"
#include "scenario.h"

namespace ringside::nccl_lesson {
namespace {

using Options = std::array<const char*, 4>;
constexpr Options kOfOneLine = {"late_gather", "one_batch_more", "evaluates_alone", "killed"};

// In the order of the cases. The last one is act 1's.
constexpr Cause kCauses[] = {
    {"late_gather", "writes hidden states out and comes late",
     "gather logits only: nothing is left to write out", Mistake::kWritesOut, false, kOfOneLine},
    {"one_batch_more", "has one batch more than the others",
     "as many batches on every rank: pad, or drop the last one", Mistake::kNone, false, kOfOneLine},
    {"evaluates_alone", "evaluates, and nobody else does", "every rank evaluates, or none", Mistake::kNone,
     true, kOfOneLine},
    {"killed", "was killed, and nobody was told",
     "find out what killed it, and start all ranks again from a checkpoint", Mistake::kNone, false,
     kOfOneLine},
    {"rank0_reduces",
     "adds up counts, and nobody else does",
     "the condition `rank == 0` is taken away: every rank adds up",
     Mistake::kRankZeroReduces,
     true,
     {"rank0_reduces", "own_best", "evaluates_alone", "late_gather"}},
    {"then_barrier",
     "adds up counts; the others' barrier pairs with it",
     "the condition `rank == 0` is taken away: every rank adds up",
     Mistake::kThenBarrier,
     true,
     {"then_barrier", "rank0_reduces", "own_best", "swallows"}},
    {"own_best",
     "enters a barrier by its own accuracy",
     "the accuracy of all ranks decides",
     Mistake::kOwnBest,
     false,
     {"own_best", "rank0_reduces", "evaluates_alone", "one_batch_more"}},
    {"inside",
     "is in the call like all: it hangs below",
     "the link, the card or the kernel below it",
     Mistake::kNone,
     false,
     {"inside", "killed", "stuck_loader", "unfilled"}},
    {"saves",
     "saves a checkpoint for two deadlines",
     "a timeout that is 3 times as long",
     Mistake::kSaves,
     true,
     {"saves", "killed", "stuck_loader", "other_deadline"}},
    {"other_deadline",
     "saves; the other group's timeout was raised",
     "the timeout of group dp raised as well",
     Mistake::kSaves,
     true,
     {"other_deadline", "saves", "killed", "stuck_loader"}},
    {"swallows",
     "swallows an exception and leaves out calls",
     "the exception is not swallowed, and the batch is evaluated",
     Mistake::kSwallows,
     false,
     {"swallows", "one_batch_more", "own_best", "rank0_reduces"}},
    {"unfilled",
     "uses other parameters: its bucket never fills",
     "every rank uses the same parameters, or gives the others a zero gradient",
     Mistake::kNone,
     false,
     {"unfilled", "killed", "one_batch_more", "stuck_loader"}},
    {"straggler",
     "is slow, and comes each time",
     "the load on that rank taken away",
     Mistake::kNone,
     false,
     {"straggler", "stuck_loader", "saves", "killed"}},
    {"stuck_loader",
     "waits for input that never comes",
     "the input of that rank comes",
     Mistake::kStuckLoader,
     false,
     {}}};
// Deadlines: a timeout that is raised, a save, and what never ends (an abort wakes it).
constexpr int kLonger = 3, kLongerThanOne = 2, kLongerThanAny = 20;

uint64_t draw(const Config& config, const std::string& what) {
  return mix_seed(static_cast<uint64_t>(config.integer("seed")), what);
}

Culprit drawn(const Config& config, const Cause& cause, const std::string& what) {
  if (cause.of_rank_zero) return {cause.id, 0};
  return {cause.id,
          1 + static_cast<int>(draw(config, what) % static_cast<uint64_t>(config.integer("ranks") - 1))};
}

}  // namespace

const Cause& cause_of(const std::string& id) {
  const auto found =
      std::find_if(std::begin(kCauses), std::end(kCauses), [&](const Cause& one) { return one.id == id; });
  RINGSIDE_CHECK(found != std::end(kCauses), "there is no cause '" << id << "'");
  return *found;
}

std::vector<std::string> causes() {
  std::vector<std::string> ids;
  for (const Cause& cause : kCauses) ids.emplace_back(cause.id);
  return ids;
}

Culprit culprit_of_symptom(const Config& config) {
  return drawn(config, cause_of("stuck_loader"), "symptom");
}

Culprit culprit_of_case(const Config& config, int which) {
  if (which > kCasesOfOneLine) {
    const Cause& cause = kCauses[which - 1];
    return drawn(config, cause, cause.id);
  }
  Options order = kOfOneLine;
  for (size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[draw(config, "order " + std::to_string(left)) % left]);
  const Cause& cause = cause_of(order[static_cast<size_t>(which - 1)]);
  return drawn(config, cause, cause.id);
}

void plan(const Culprit& culprit, Training& training, FaultPlan& faults) {
  const Cause& cause = cause_of(culprit.cause);
  training.mistake = cause.mistake;
  training.stays = (cause.mistake == Mistake::kSaves ? kLongerThanOne : kLongerThanAny) * training.timeout;
  training.mistaken_rank = culprit.rank;
  const auto add = [&](FaultKind kind, int64_t step) -> Fault& {
    faults.faults.push_back({.kind = kind, .rank = culprit.rank, .step = step, .tag = "gradients"});
    return faults.faults.back();
  };
  const std::string id = cause.id;
  const int64_t next = kEvaluatedStep + 1;
  if (id == "one_batch_more") add(FaultKind::kOneBatchMore, kEvaluatedStep).tag = "";
  if (id == "evaluates_alone") add(FaultKind::kEvaluatesAlone, kEvaluatedStep).tag = "";
  if (id == "killed") add(FaultKind::kKill, next).silent = true;
  if (id == "inside") add(FaultKind::kStop, next).when = FaultMoment::kInside;
  if (id == "other_deadline") training.default_timeout = kLonger * training.timeout;
  const BucketPlan buckets =
      plan_buckets(classifier_shapes(training.model), {.bucket_size = training.bucket_elements});
  for (size_t call = 0; id == "unfilled" && call < buckets.buckets.size(); ++call)
    add(FaultKind::kSkip, next).call = static_cast<int64_t>(call);
  for (int64_t step = 1; id == "straggler" && step < kSteps; ++step)
    add(FaultKind::kDelay, step).time = training.timeout / 5;
}

void mend(const Culprit& culprit, Training& training, FaultPlan& faults) {
  faults.faults.clear();
  const std::string& id = culprit.cause;
  if (id == "late_gather") {  // the mistake stays: it has nothing left to write out
    training.outputs = OutputVersion::kV3;
    training.evaluation_gather = EvaluationGather::kLogits;
  } else if (id == "saves" || id == "other_deadline") {  // and so it does here: the others wait for it
    training.timeout *= kLonger;
  } else {
    training.mended = true;
  }
}

}  // namespace ringside::nccl_lesson
