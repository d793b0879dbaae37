#include "ringside/data_parallel/bucket_storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside::inline data_parallel {

BucketStorage::BucketStorage(const StrategySetup& setup, Bucket bucket, size_t index)
    : layout(std::move(bucket)), name(fmt::format("bucket {}", index)) {
  const int stage = setup.options.stage, ranks = setup.shards().size();
  if (stage >= 1) RINGSIDE_CHECK_EQ(layout.padded % ranks, 0);
  const int64_t whole = layout.padded, shard = whole / ranks;
  owned_count = stage >= 1 ? shard : whole;
  owned_begin = stage >= 1 ? shard * setup.shards().rank() : 0;
  const bool bf16 = setup.options.precision == Precision::kBFloat16;
  const at::TensorOptions fp32 = at::TensorOptions(at::kFloat).device(setup.parameters.device),
                          type = bf16 ? fp32.dtype(at::kBFloat16) : fp32;
  {
    const MemoryScope scope(Category::kParameters, "", name);
    parameters = at::zeros({whole}, type);
    for (const BucketSlot& slot : layout.slots) {
      const auto p = size_t(slot.parameter);
      const ParameterShape& shape = setup.parameters.shapes[p];
      setup.parameters.leaves[p] = leaf_in(parameters, slot.offset, shape.shape, shape.trainable);
      places.push_back({shape.name, shape.shape, slot.offset - owned_begin, slot.numel});
    }
    if (stage >= 3) parameter_shard = at::zeros({shard}, type);
    if (stage >= 3) free_storage(parameters);
  }
  if (!layout.trainable) return;
  {
    const MemoryScope scope(Category::kGradients, "", name);
    gradients = at::zeros({stage >= 2 ? shard : whole}, type);
    if (stage < 2)
      for (const BucketSlot& slot : layout.slots) {
        at::Tensor& leaf = setup.parameters.leaves[size_t(slot.parameter)];
        leaf.mutable_grad() = gradients.narrow(0, slot.offset, slot.numel).view(leaf.sizes());
      }
  }
  const MemoryScope scope(Category::kOptimizer, "", name);
  if (bf16) master = at::zeros({owned_count}, fp32);
  for (const StateSpec& spec : setup.optimizer.state()) {
    const bool flat = spec.per == Per::kElement;
    const int64_t count = flat ? owned_count : state_before(spec, places.data() + places.size());
    state.emplace_back(spec, at::zeros({count}, fp32));
  }
}

int64_t BucketStorage::state_before(const StateSpec& spec, const ParameterPlace* end) const {
  int64_t count = 0;
  for (const ParameterPlace* place = places.data(); place != end; ++place)
    count += spec.count(place->shape, place->count_in(owned_count));
  return count;
}

FlatElements BucketStorage::elements() const {
  const at::Tensor weights = owned_parameters(), own_gradients = owned(gradients);
  Elements elements;
  elements.count = owned_count;
  elements.weights = (master.defined() ? master : weights).data_ptr<float>();
  elements.gradient = own_gradients.data_ptr();
  elements.gradient_dtype = dtype_of(own_gradients);
  elements.rounded = master.defined() ? static_cast<uint16_t*>(weights.data_ptr()) : nullptr;
  for (const auto& [spec, values] : state) elements.state.push_back(values.data_ptr<float>());
  return {elements, places};
}

at::Tensor BucketStorage::owned(const at::Tensor& tensor) const {
  return tensor.size(0) == owned_count ? tensor : tensor.narrow(0, owned_begin, owned_count);
}

std::vector<std::pair<int64_t, int64_t>> BucketStorage::counted(const ParameterSet& set) const {
  if (set.parts.empty()) return {{0, owned_count}};
  std::vector<std::pair<int64_t, int64_t>> stretches;
  for (const BucketSlot& slot : layout.slots) {
    const int64_t begin = std::clamp(slot.offset - owned_begin, int64_t{0}, owned_count);
    const int64_t end = std::clamp(slot.offset + slot.numel - owned_begin, int64_t{0}, owned_count);
    if (begin < end && set.parts[size_t(slot.parameter)].counts) stretches.emplace_back(begin, end - begin);
  }
  return stretches;
}

at::Tensor BucketStorage::owned_parameters() const {
  return parameter_shard.defined() ? parameter_shard : owned(parameters);
}

std::vector<StatePiece> BucketStorage::pieces(const BucketSlot& slot, const ParameterSet& set,
                                              Extent extent) const {
  const auto p = size_t(slot.parameter);
  const ParameterShape& shape = set.shapes[p];
  const Part* part = set.part_of(p);
  const std::vector<int64_t>& whole_shape = part != nullptr ? part->whole : shape.shape;
  std::vector<StatePiece> pieces;
  const auto add = [&](const std::string& kind, const at::Tensor& tensor, int64_t first) {
    // tensor[0] is the bucket's element `first`.
    const int64_t begin = std::max(slot.offset, first);
    const int64_t end = std::min(slot.offset + slot.numel, first + tensor.size(0));
    if (begin >= end) return;
    pieces.push_back({shape.name, kind, whole_shape, begin - slot.offset, end - begin,
                      tensor.narrow(0, begin - first, end - begin), part});
  };
  const bool whole = extent == Extent::kHeld && !parameter_shard.defined();
  add(kParameterState, whole ? parameters : owned_parameters(), whole ? 0 : owned_begin);
  if (master.defined()) add(kMasterState, master, owned_begin);
  const auto is_slot = [&](const ParameterPlace& one) { return one.begin + owned_begin == slot.offset; };
  const auto place = std::ranges::find_if(places, is_slot);
  for (const auto& [spec, values] : state) {
    if (spec.per == Per::kElement) {
      add(spec.name, values, owned_begin);
      continue;
    }
    const int64_t count = spec.count(shape.shape, place->count_in(owned_count));
    if (count == 0) continue;
    const bool of_elements = spec.per == Per::kElementOfVector;
    pieces.push_back({shape.name, spec.name, of_elements ? shape.shape : std::vector{count},
                      of_elements ? std::max<int64_t>(-place->begin, 0) : 0, count,
                      values.narrow(0, state_before(spec, &*place), count)});
  }
  return pieces;
}

std::vector<at::Tensor> BucketStorage::live(Category category) const {
  std::vector<at::Tensor> tensors;
  if (category == Category::kParameters) tensors = {parameters, parameter_shard};
  if (category == Category::kGradients) tensors = {gradients, staging};
  if (category == Category::kOptimizer) {
    tensors = {master};
    for (const auto& [spec, values] : state) tensors.push_back(values);
  }
  std::erase_if(tensors, [](const at::Tensor& tensor) { return !tensor.defined() || !has_storage(tensor); });
  return tensors;
}

GradientBuckets::GradientBuckets(const StrategySetup& setup, Ready ready)
    : parameters_(setup.parameters),
      places_(parameters_.shapes.size()),
      has_arrived_(parameters_.shapes.size()),
      ready_(std::move(ready)) {
  if (setup.options.stage >= 1) require_shards(setup.optimizer, setup.options.stage, setup.shards().size());
  for (Bucket& layout : make_buckets(setup.parameters.shapes, setup.options, setup.group.size()))
    buckets_.emplace_back(setup, std::move(layout), buckets_.size());
  for (BucketStorage& bucket : buckets_) {
    if (bucket.layout.trainable) ++trainable_;
    for (const BucketSlot& slot : bucket.layout.slots) places_[size_t(slot.parameter)] = {&bucket, &slot};
  }
}

GradientBuckets::~GradientBuckets() {
  for (BucketStorage& bucket : buckets_) {
    for (const WorkPtr& work : {bucket.work, bucket.gather_work}) {
      try {
        if (work) work->wait();
      } catch (const std::exception&) {
        // The rank that caused it has reported it; here only the end of all reads matters.
      }
    }
  }
}

void GradientBuckets::begin_micro_batch(bool reduces) {
  next_ = 0, complete_from_ = -1;
  last_ = reduces ? trainable_ : 0;
  has_arrived_.assign(has_arrived_.size(), false);
  for (BucketStorage& bucket : buckets_) bucket.waiting = int(bucket.layout.slots.size());
}

void GradientBuckets::arrived(size_t parameter) {
  BucketStorage& bucket = *places_[parameter].first;
  if (&bucket < buckets_.data() + next_)
    throw UsageError(
        "a gradient of {} has arrived after its bucket was handed over to be reduced: in such a micro-batch "
        "backward reaches a parameter once; add the losses and call backward once, or give each its own "
        "micro-batch",
        parameters_.shapes[parameter].name);
  if (!has_arrived_[parameter]) --bucket.waiting;
  has_arrived_[parameter] = true;
  reduce_complete_buckets();
}

void GradientBuckets::reduce_complete_buckets() {
  while (next_ < last_ && buckets_[next_].waiting == 0 && buckets_[next_].layout.unit >= complete_from_)
    hand_over_next();
}

void GradientBuckets::reduce_rest_of(int unit) {
  while (next_ < last_ && buckets_[next_].layout.unit >= unit) hand_over_next();
  reduce_complete_buckets();
}

void GradientBuckets::reduce_rest() {
  while (next_ < last_) hand_over_next();
}

}  // namespace ringside::inline data_parallel
