#include "ringside/nn/evaluation.h"

#include "ringside/data/sampler.h"
#include "ringside/planner/run_rows.h"
#include "ringside/tensor/memory_hook.h"

namespace ringside::inline nn {

Score score_of(const at::Tensor& logits, const Batch& batch) {
  return {weighted_loss(logits, batch).item<float>(),
          (logits.argmax(1).eq(batch.labels).to(at::kFloat) * batch.weights).sum().item<float>(),
          batch.weights.sum().item<float>()};
}

Score& operator+=(Score& sum, const Score& more) {
  sum = {sum.loss + more.loss, sum.correct + more.correct, sum.samples + more.samples};
  return sum;
}

int64_t HeldOut::batches() const {
  return count_evaluation_batches(task.count(Split::kHeldOut), data.size(), rows);
}

Batch HeldOut::batch(int64_t index, BatchShape at_least) const {
  const std::vector<int64_t> samples =
      evaluation_samples(task.count(Split::kHeldOut), data.rank(), data.size(), rows, index);
  return on(model.parameters().device, task.batch(Split::kHeldOut, samples, at_least));
}

Score add_up_scores(const HeldOut& held_out) {
  Score own;
  for (int64_t b = 0; b < held_out.batches(); ++b) {
    const MemoryScope scope(Category::kActivations);
    const Batch batch = held_out.batch(b);
    const ModelOutput output = held_out.forward(batch);
    if (output.logits.defined()) own += held_out.task.score(output, batch);
  }
  double sums[3] = {own.loss, own.correct, own.samples};
  held_out.group.all_reduce_now({sums, 3, Dtype::kFloat64}, {"evaluation", ""});
  return {sums[0], sums[1], sums[2]};
}

}  // namespace ringside::inline nn
