#include "rank_exchange.h"

#include <algorithm>

#include "ringside/base/check.h"
#include "ringside/base/clock.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/trace/training_rows.h"

namespace ringside::inline data_parallel {
namespace {

at::Tensor floats(int64_t count, std::string_view name) {
  const MemoryScope scope(Category::kOptimizer, "", name);
  return at::empty({count}, at::kFloat);
}

}  // namespace

RankExchange::RankExchange(const StrategySetup& setup, std::span<BucketStorage> trainable)
    : ranks_(setup.shards()), recorder_(setup.recorder) {
  std::vector<Bucket> layouts;
  for (const BucketStorage& bucket : trainable) layouts.push_back(bucket.layout);
  whole_ = whole_parameters(setup.optimizer, setup.parameters.shapes, layouts, ranks_.size());
  for (const WholeParameter& one : whole_) {
    const ParameterShape& shape = setup.parameters.shapes[size_t(one.parameter)];
    names_.push_back(shape.name);
    if (recorder_ != nullptr && one.owner == ranks_.rank())
      record_row<OwnedMatrix>(*recorder_, {shape.name, ranks_.world_rank(), shape.numel(), one.work});
  }
}

void RankExchange::sum(std::span<double> values, const std::string& meaning) const {
  const MutableView all{values.data(), std::ssize(values), Dtype::kFloat64};
  wait({ranks_.all_reduce(all, {kUpdateSums, meaning})}, "wait for sums");
}

// As a matrix' owner with every other rank that has a part of it, else with its owner.
void RankExchange::for_each_message(const WholeParameter& one,
                                    const std::function<void(int peer, const ShardPart&)>& body) const {
  const int self = ranks_.rank();
  for (int peer = 0; peer < ranks_.size(); ++peer) {
    if (peer == self || (one.owner != self && one.owner != peer)) continue;
    const ShardPart part = one.part(one.owner == self ? peer : self);
    if (part.count > 0) body(peer, part);
  }
}

void RankExchange::change(std::span<const WholePart> parts) const {
  check(parts);
  std::vector<at::Tensor> owned(parts.size());
  std::vector<WorkPtr> works;
  const auto view = [&](size_t k, const ShardPart& part) {
    float* values = owned[k].defined() ? owned[k].data_ptr<float>() + part.first : parts[k].values;
    return MutableView{values, part.count, Dtype::kFloat32};
  };
  const auto exchange = [&](size_t k, bool sends) {
    for_each_message(whole_[k], [&](int peer, const ShardPart& part) {
      const Tag tag{kMatrices, names_[k]};
      works.push_back(sends ? ranks_.send(view(k, part), peer, tag) : ranks_.recv(view(k, part), peer, tag));
    });
  };

  for (size_t k = 0; k < parts.size(); ++k) {  // to the owners
    const bool owns = whole_[k].owner == ranks_.rank();
    if (owns) {
      owned[k] = floats(whole_[k].elements, names_[k]);
      std::copy_n(parts[k].values, parts[k].count, owned[k].data_ptr<float>() + parts[k].first);
    }
    exchange(k, !owns);
  }
  wait(works, "wait for matrices");
  works.clear();
  for (size_t k = 0; k < parts.size(); ++k) {  // and back
    if (owned[k].defined()) {
      parts[k].change(owned[k].data_ptr<float>());
      std::copy_n(owned[k].data_ptr<float>() + parts[k].first, parts[k].count, parts[k].values);
    }
    exchange(k, owned[k].defined());
  }
  wait(works, "wait for matrices");
}

// What the optimizer has here is what the owners expect.
void RankExchange::check(std::span<const WholePart> parts) const {
  RINGSIDE_CHECK_EQ(parts.size(), whole_.size());
  for (size_t k = 0; k < parts.size(); ++k) {
    const ShardPart expected = whole_[k].part(ranks_.rank());
    RINGSIDE_CHECK(parts[k].first == expected.first && parts[k].count == expected.count,
                   "the owner of " << names_[k] << " expects another part of it from rank " << ranks_.rank());
  }
}

std::shared_ptr<float[]> RankExchange::room(int64_t count) const {
  const at::Tensor memory = floats(count, "whole");
  return {memory.data_ptr<float>(), [memory](float*) {}};
}

void RankExchange::wait(const std::vector<WorkPtr>& works, const char* what) const {
  const int64_t start = now_ns();
  wait_all(works);
  if (recorder_ != nullptr) recorder_->span(what, start, now_ns());
}

}  // namespace ringside::inline data_parallel
