#include "rank_exchange.h"

#include <algorithm>

#include "ringside/base/check.h"
#include "ringside/base/clock.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/trace/training_rows.h"

namespace ringside {
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
    const ParameterShape& shape = setup.parameters.shapes[static_cast<size_t>(one.parameter)];
    names_.push_back(shape.name);
    if (recorder_ != nullptr && one.owner == ranks_.rank())
      record_row<OwnedMatrix>(*recorder_, {shape.name, ranks_.world_rank(), shape.numel(), one.work});
  }
}

void RankExchange::sum(std::span<double> values, const std::string& meaning) const {
  const View all{values.data(), std::ssize(values), Dtype::kFloat64};
  wait({ranks_.all_reduce(all, {kUpdateSums, meaning})}, "wait for sums");
}

void RankExchange::change(std::span<const WholePart> parts) const {
  RINGSIDE_CHECK_EQ(parts.size(), whole_.size());
  const int self = ranks_.rank();
  for (size_t k = 0; k < parts.size(); ++k) {
    const ShardPart expected = whole_[k].part(self);
    RINGSIDE_CHECK(parts[k].first == expected.first && parts[k].count == expected.count,
                   "the owner of " << names_[k] << " expects another part of it from rank " << self);
  }
  std::vector<at::Tensor> owned(parts.size());
  std::vector<WorkPtr> works;
  // Calls body(values, count, peer, tag) for what this rank exchanges of parameter k.
  const auto for_each_message = [&](size_t k, auto&& body) {
    const WholeParameter& one = whole_[k];
    for (int peer = 0; peer < ranks_.size(); ++peer) {
      const ShardPart part = one.part(one.owner == self ? peer : self);
      if (peer == self || part.count == 0 || (one.owner != self && one.owner != peer)) continue;
      float* values = one.owner == self ? owned[k].data_ptr<float>() + part.first : parts[k].values;
      works.push_back(body(View{values, part.count, Dtype::kFloat32}, peer, Tag{kMatrices, names_[k]}));
    }
  };
  const auto send = [&](View view, int peer, Tag tag) { return ranks_.send(view, peer, std::move(tag)); };
  const auto receive = [&](View view, int peer, Tag tag) { return ranks_.recv(view, peer, std::move(tag)); };

  for (size_t k = 0; k < parts.size(); ++k) {  // to the owners
    const bool owns = whole_[k].owner == self;
    if (!owns) {
      for_each_message(k, send);
      continue;
    }
    owned[k] = floats(whole_[k].elements, names_[k]);
    std::copy_n(parts[k].values, parts[k].count, owned[k].data_ptr<float>() + parts[k].first);
    for_each_message(k, receive);
  }
  wait(works, "wait for matrices");
  works.clear();
  for (size_t k = 0; k < parts.size(); ++k) {  // and back
    if (!owned[k].defined()) {
      for_each_message(k, receive);
      continue;
    }
    parts[k].change(owned[k].data_ptr<float>());
    std::copy_n(owned[k].data_ptr<float>() + parts[k].first, parts[k].count, parts[k].values);
    for_each_message(k, send);
  }
  wait(works, "wait for matrices");
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

}  // namespace ringside
