#include "ringside/nn/evaluation.h"

#include <algorithm>
#include <numeric>

#include "ringside/data/sampler.h"
#include "ringside/planner/evaluation_plan.h"
#include "ringside/tensor/memory_hook.h"

namespace ringside {

void Score::add(const at::Tensor& logits, const Batch& batch) {
  loss += weighted_loss(logits, batch).item<float>();
  correct += (logits.argmax(1).eq(batch.labels).to(at::kFloat) * batch.weights).sum().item<float>();
  samples += batch.weights.sum().item<float>();
}

int64_t HeldOut::batches() const {
  return count_evaluation_batches(std::ssize(samples), group.size(), rows);
}

Batch HeldOut::batch(int64_t index, BatchShape at_least) const {
  const Slice slice = rank_slice(std::ssize(samples), group.rank(), group.size());
  const int64_t begin = std::min(slice.begin + index * rows, slice.end);
  std::vector<int64_t> indices(static_cast<size_t>(std::min(slice.end - begin, rows)));
  std::iota(indices.begin(), indices.end(), begin);
  return make_batch(samples, indices, at_least);
}

ModelOutput HeldOut::forward(const Batch& batch) const {
  return model.forward(batch, {.mode = Mode::kEvaluate, .hooks = &hooks});
}

Score add_up_scores(const HeldOut& held_out) {
  Score own;
  for (int64_t b = 0; b < held_out.batches(); ++b) {
    const MemoryScope scope(Category::kActivations);
    const Batch batch = held_out.batch(b);
    own.add(held_out.forward(batch).logits, batch);
  }
  double sums[3] = {own.loss, own.correct, own.samples};
  held_out.group.all_reduce({sums, 3, Dtype::kFloat64}, {"evaluation", ""})->wait();
  return {sums[0], sums[1], sums[2]};
}

}  // namespace ringside
