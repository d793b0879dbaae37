#include "ringside/data_parallel/bucket_storage.h"

#include <algorithm>

#include "ringside/base/check.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside {
namespace {

void allocate_parameters(BucketStorage& bucket, ParameterSet& set, bool bf16, bool sharded, int ranks) {
  const auto type = bf16 ? at::kBFloat16 : at::kFloat;
  MemoryScope scope(Category::kParameters, "", bucket.name);
  bucket.parameters = at::zeros({bucket.layout.padded}, type);
  for (const BucketSlot& slot : bucket.layout.slots) {
    const auto index = static_cast<size_t>(slot.parameter);
    const ParameterShape& shape = set.shapes[index];
    set.leaves[index] = leaf_in(bucket.parameters, slot.offset, shape.shape, shape.trainable);
  }
  if (sharded) {
    bucket.parameter_shard = at::zeros({bucket.layout.padded / ranks}, type);
    free_storage(bucket.parameters);
  }
}

void allocate_gradients(BucketStorage& bucket, ParameterSet& set, bool bf16, bool sharded, int ranks) {
  MemoryScope scope(Category::kGradients, "", bucket.name);
  const int64_t count = sharded ? bucket.layout.padded / ranks : bucket.layout.padded;
  bucket.gradients = at::zeros({count}, bf16 ? at::kBFloat16 : at::kFloat);
  if (sharded) return;
  for (const BucketSlot& slot : bucket.layout.slots) {
    const auto index = static_cast<size_t>(slot.parameter);
    set.leaves[index].mutable_grad() =
        bucket.gradients.narrow(0, slot.offset, slot.numel).view(set.shapes[index].shape);
  }
}

void allocate_optimizer(BucketStorage& bucket, bool bf16, const Optimizer& optimizer) {
  MemoryScope scope(Category::kOptimizer, "", bucket.name);
  if (bf16) bucket.master = at::zeros({bucket.owned_count}, at::kFloat);
  for (const StateSpec& spec : optimizer.state())
    bucket.state.push_back({spec.name, at::zeros({bucket.owned_count}, at::kFloat)});
}

}  // namespace

at::Tensor BucketStorage::owned(const at::Tensor& tensor) const {
  return tensor.size(0) == owned_count ? tensor : tensor.narrow(0, owned_begin, owned_count);
}

at::Tensor BucketStorage::owned_parameters() const {
  return parameter_shard.defined() ? parameter_shard : owned(parameters);
}

std::vector<StatePiece> BucketStorage::pieces(const BucketSlot& slot, const ParameterShape& shape,
                                              Extent extent) const {
  std::vector<StatePiece> pieces;
  const auto add = [&](const std::string& kind, const at::Tensor& tensor, int64_t first) {
    // tensor[0] is the bucket's element `first`.
    const int64_t begin = std::max(slot.offset, first);
    const int64_t end = std::min(slot.offset + slot.numel, first + tensor.size(0));
    if (begin >= end) return;
    pieces.push_back({shape.name, kind, shape.shape, begin - slot.offset, end - begin,
                      tensor.narrow(0, begin - first, end - begin)});
  };
  const bool whole = extent == Extent::kHeld && !parameter_shard.defined();
  add(kParameterState, whole ? parameters : owned_parameters(), whole ? 0 : owned_begin);
  if (master.defined()) add(kMasterState, master, owned_begin);
  for (const OptimizerState& one : state) add(one.name, one.values, owned_begin);
  return pieces;
}

std::vector<at::Tensor> BucketStorage::live(Category category) const {
  std::vector<at::Tensor> tensors;
  const auto add = [&](const at::Tensor& tensor) {
    if (tensor.defined() && has_storage(tensor)) tensors.push_back(tensor);
  };
  if (category == Category::kParameters) {
    add(parameters);
    add(parameter_shard);
  } else if (category == Category::kGradients) {
    add(gradients);
    add(staging);
  } else if (category == Category::kOptimizer) {
    add(master);
    for (const OptimizerState& one : state) add(one.values);
  }
  return tensors;
}

std::vector<BucketStorage> allocate_buckets(ParameterSet& parameters, const Distribution& options,
                                            const Optimizer& optimizer, int rank, int ranks) {
  const bool bf16 = options.precision == Precision::kBFloat16;
  const bool shards = options.stage >= 1;
  if (shards) require_shards(optimizer, options.stage, ranks);
  std::vector<BucketStorage> buckets;
  for (Bucket& layout : make_buckets(parameters.shapes, bucket_options(options, ranks))) {
    BucketStorage bucket;
    bucket.layout = std::move(layout);
    bucket.name = "bucket " + std::to_string(buckets.size());
    if (shards) RINGSIDE_CHECK_EQ(bucket.layout.padded % ranks, 0);
    bucket.owned_count = shards ? bucket.layout.padded / ranks : bucket.layout.padded;
    bucket.owned_begin = shards ? bucket.owned_count * rank : 0;
    allocate_parameters(bucket, parameters, bf16, options.stage >= 3, ranks);
    if (bucket.layout.trainable) {
      allocate_gradients(bucket, parameters, bf16, options.stage >= 2, ranks);
      allocate_optimizer(bucket, bf16, optimizer);
    }
    buckets.push_back(std::move(bucket));
  }
  return buckets;
}

}  // namespace ringside
