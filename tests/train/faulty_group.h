// A process group with a bug planted in it: everything is passed on, except what a subclass spoils.
#pragma once

#include <cstring>
#include <map>

#include "ringside/comm/views.h"
#include "ringside/train/trainer.h"

namespace ringside::testing {

class FaultyGroup : public ProcessGroup {
 public:
  explicit FaultyGroup(std::unique_ptr<ProcessGroup> inner) : inner_(std::move(inner)) {}
  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  const std::string& name() const override { return inner_->name(); }
  WorkPtr all_reduce(View buffer, Tag tag, ReduceOp op) override {
    return inner_->all_reduce(buffer, tag, op);
  }
  WorkPtr reduce_scatter(ConstView input, View output, Tag tag) override {
    return inner_->reduce_scatter(input, output, tag);
  }
  WorkPtr all_gather(ConstView input, View output, Tag tag) override {
    return inner_->all_gather(input, output, tag);
  }
  WorkPtr broadcast(View buffer, int root, Tag tag) override { return inner_->broadcast(buffer, root, tag); }
  WorkPtr all_to_all(ConstView input, View output, Tag tag) override {
    return inner_->all_to_all(input, output, tag);
  }
  WorkPtr send(ConstView buffer, int peer, Tag tag) override { return inner_->send(buffer, peer, tag); }
  WorkPtr recv(View buffer, int peer, Tag tag) override { return inner_->recv(buffer, peer, tag); }
  WorkPtr barrier(Tag tag) override { return inner_->barrier(tag); }
  void abort(const std::string& reason) override { inner_->abort(reason); }

 protected:
  std::unique_ptr<ProcessGroup> inner_;
};

template <typename Fault>
TrainerHooks with_fault() {
  TrainerHooks hooks;
  hooks.wrap_group = [](std::unique_ptr<ProcessGroup> inner) {
    return std::make_unique<Fault>(std::move(inner));
  };
  return hooks;
}

// A collective that is over when it is waited for, and then does something more on this rank.
class ThenWork : public Work {
 public:
  explicit ThenWork(
      WorkPtr work, std::function<void()> then = [] {})
      : work_(std::move(work)), then_(std::move(then)) {}
  void wait() override {
    if (work_) work_->wait();
    then_();
  }
  bool done() const override { return !work_ || work_->done(); }

 private:
  WorkPtr work_;
  std::function<void()> then_;
};

// ---- The bugs ----------------------------------------------------------------

// The tenth reduction of gradients never happens, on any rank.
struct DropsAReduction : FaultyGroup {
  using FaultyGroup::FaultyGroup;
  WorkPtr reduce_scatter(ConstView input, View output, Tag tag) override {
    if (++count == 10) return std::make_shared<ThenWork>(nullptr);
    return inner_->reduce_scatter(input, output, tag);
  }
  int count = 0;
};

// The same on rank 1 alone.
struct OneRankDropsAReduction : DropsAReduction {
  using DropsAReduction::DropsAReduction;
  WorkPtr reduce_scatter(ConstView input, View output, Tag tag) override {
    return rank() == 1 ? DropsAReduction::reduce_scatter(input, output, tag)
                       : inner_->reduce_scatter(input, output, tag);
  }
};

struct GathersTwice : FaultyGroup {
  using FaultyGroup::FaultyGroup;
  WorkPtr all_gather(ConstView input, View output, Tag tag) override {
    if (tag.what == "parameters") inner_->all_gather(input, output, tag)->wait();
    return inner_->all_gather(input, output, tag);
  }
};

// Divides the sum of the gradients by the ranks, which the optimizer does again by the samples.
struct DividesByRanksToo : FaultyGroup {
  using FaultyGroup::FaultyGroup;
  WorkPtr all_reduce(View buffer, Tag tag, ReduceOp op) override {
    WorkPtr work = inner_->all_reduce(buffer, tag, op);
    if (tag.what != "gradients") return work;
    return std::make_shared<ThenWork>(std::move(work), [buffer, ranks = static_cast<float>(size())] {
      auto* values = static_cast<float*>(buffer.data);
      for (int64_t i = 0; i < buffer.count; ++i) values[i] /= ranks;
    });
  }
};

// Every rank contributes the next rank's shard of its own copy.
struct ShardOffByOne : FaultyGroup {
  using FaultyGroup::FaultyGroup;
  WorkPtr all_gather(ConstView input, View output, Tag tag) override {
    if (tag.what != "parameters") return inner_->all_gather(input, output, tag);
    const ConstView next = slice(ConstView(output), (rank() + 1) % size() * input.count, input.count);
    const auto copy = std::make_shared<std::vector<std::byte>>(static_cast<size_t>(input.bytes()));
    std::memcpy(copy->data(), next.data, copy->size());
    WorkPtr work = inner_->all_gather({copy->data(), input.count, input.dtype}, output, tag);
    return std::make_shared<ThenWork>(std::move(work), [copy] {});
  }
};

// A gather that is used before it has arrived: what is there is what the one before it brought.
struct StalePrefetch : FaultyGroup {
  using FaultyGroup::FaultyGroup;
  WorkPtr all_gather(ConstView input, View output, Tag tag) override {
    WorkPtr work = inner_->all_gather(input, output, tag);
    if (tag.what != "parameters" || size() == 1) return work;
    return std::make_shared<ThenWork>(std::move(work), [this, output, unit = tag.unit] {
      const auto* bytes = static_cast<const std::byte*>(output.data);
      std::vector<std::byte> fresh(bytes, bytes + output.bytes());
      std::vector<std::byte>& before = last[{unit, output.count}];
      if (!before.empty()) std::memcpy(output.data, before.data(), before.size());
      before = std::move(fresh);
    });
  }
  std::map<std::pair<std::string, int64_t>, std::vector<std::byte>> last;
};

// Each rank clips by the norm of its own shard.
struct KeepsTheNormToItself : FaultyGroup {
  using FaultyGroup::FaultyGroup;
  WorkPtr all_reduce(View buffer, Tag tag, ReduceOp op) override {
    if (tag.what == "norm") return std::make_shared<ThenWork>(nullptr);
    return inner_->all_reduce(buffer, tag, op);
  }
};

}  // namespace ringside::testing
