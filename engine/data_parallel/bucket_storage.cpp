#include "ringside/data_parallel/bucket_storage.h"

#include "ringside/base/check.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside {
namespace {

at::Tensor window(const at::Tensor& tensor, int64_t begin, int64_t count) {
  return tensor.size(0) == count ? tensor : tensor.narrow(0, begin, count);
}

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

void allocate_training_state(BucketStorage& bucket, bool bf16, bool sharded, const Optimizer& optimizer,
                             int ranks) {
  {
    MemoryScope scope(Category::kGradients, "", bucket.name);
    const int64_t count = sharded ? bucket.layout.padded / ranks : bucket.layout.padded;
    bucket.gradients = at::zeros({count}, bf16 ? at::kBFloat16 : at::kFloat);
  }
  MemoryScope scope(Category::kOptimizer, "", bucket.name);
  if (bf16) bucket.master = at::zeros({bucket.owned_count}, at::kFloat);
  for (size_t i = 0; i < optimizer.state().size(); ++i)
    bucket.state.push_back(at::zeros({bucket.owned_count}, at::kFloat));
}

}  // namespace

at::Tensor BucketStorage::owned_parameters() const {
  return parameter_shard.defined() ? parameter_shard : window(parameters, owned_begin, owned_count);
}

at::Tensor BucketStorage::owned_gradients() const { return window(gradients, owned_begin, owned_count); }

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
    for (const at::Tensor& values : state) add(values);
  }
  return tensors;
}

std::vector<BucketStorage> allocate_buckets(ParameterSet& parameters, const Distribution& options,
                                            Sharding sharding, const Optimizer& optimizer, int rank,
                                            int ranks) {
  std::vector<BucketStorage> buckets;
  const bool bf16 = options.precision == Precision::kBFloat16;
  const BucketOptions rule{.bucket_elements = options.bucket_elements,
                           .multiple_of = sharding.optimizer ? ranks : 1,
                           .keep_units = sharding.parameters};
  for (Bucket& layout : make_buckets(parameters.shapes, rule)) {
    BucketStorage bucket;
    bucket.layout = std::move(layout);
    bucket.name = "bucket " + std::to_string(buckets.size());
    const bool sharded = sharding.optimizer;
    if (sharded) RINGSIDE_CHECK_EQ(bucket.layout.padded % ranks, 0);
    bucket.owned_count = sharded ? bucket.layout.padded / ranks : bucket.layout.padded;
    bucket.owned_begin = sharded ? bucket.owned_count * rank : 0;
    allocate_parameters(bucket, parameters, bf16, sharding.parameters, ranks);
    if (bucket.layout.trainable) allocate_training_state(bucket, bf16, sharding.gradients, optimizer, ranks);
    buckets.push_back(std::move(bucket));
  }
  return buckets;
}

}  // namespace ringside
