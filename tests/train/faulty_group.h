// A process group with a bug planted in it: everything is passed on, except what a subclass spoils.
#pragma once

#include <cstring>
#include <map>

#include "ringside/comm/then_work.h"
#include "ringside/train/trainer.h"

namespace ringside::testing {

using FaultyGroup = GroupDecorator;

template <typename Fault>
TrainerHooks with_fault() {
  TrainerHooks hooks;
  hooks.wrap_group = [](std::unique_ptr<ProcessGroup> inner) {
    return std::make_unique<Fault>(std::move(inner));
  };
  return hooks;
}

// ---- The bugs ----------------------------------------------------------------

// The tenth reduction of gradients never happens, on any rank.
struct DropsAReduction : FaultyGroup {
  using FaultyGroup::FaultyGroup;
  WorkPtr start(Collective call) override {
    if (call.op == Op::kReduceScatter && ++count == 10) return std::make_shared<ThenWork>();
    return inner_->start(std::move(call));
  }
  int count = 0;
};

// The same on rank 1 alone.
struct OneRankDropsAReduction : DropsAReduction {
  using DropsAReduction::DropsAReduction;
  WorkPtr start(Collective call) override {
    return rank() == 1 ? DropsAReduction::start(std::move(call)) : inner_->start(std::move(call));
  }
};

inline bool gathers_parameters(const Collective& call) {
  return call.op == Op::kAllGather && call.tag.what == "parameters";
}

struct GathersTwice : FaultyGroup {
  using FaultyGroup::FaultyGroup;
  WorkPtr start(Collective call) override {
    if (gathers_parameters(call)) inner_->start(call)->wait();
    return inner_->start(std::move(call));
  }
};

// Divides the sum of the gradients by the ranks, which the optimizer does again by the samples.
struct DividesByRanksToo : FaultyGroup {
  using FaultyGroup::FaultyGroup;
  WorkPtr start(Collective call) override {
    const bool spoils = call.op == Op::kAllReduce && call.tag.what == "gradients";
    const MutableView buffer = call.output;
    WorkPtr work = inner_->start(std::move(call));
    if (!spoils) return work;
    return std::make_shared<ThenWork>(std::move(work), [buffer, ranks = static_cast<float>(size())] {
      auto* values = static_cast<float*>(buffer.data);
      for (int64_t i = 0; i < buffer.count; ++i) values[i] /= ranks;
    });
  }
};

// Every rank contributes the next rank's shard of its own copy.
struct ShardOffByOne : FaultyGroup {
  using FaultyGroup::FaultyGroup;
  WorkPtr start(Collective call) override {
    if (!gathers_parameters(call)) return inner_->start(std::move(call));
    const int64_t count = call.input.count;
    const ConstView next = slice(ConstView(call.output), (rank() + 1) % size() * count, count);
    const auto copy = std::make_shared<std::vector<std::byte>>(static_cast<size_t>(call.input.bytes()));
    std::memcpy(copy->data(), next.data, copy->size());
    call.input.data = copy->data();
    return std::make_shared<ThenWork>(inner_->start(std::move(call)), [copy] {});
  }
};

// A gather that is used before it has arrived: what is there is what the one before it brought.
struct StalePrefetch : FaultyGroup {
  using FaultyGroup::FaultyGroup;
  WorkPtr start(Collective call) override {
    const bool spoils = gathers_parameters(call) && size() > 1;
    const MutableView output = call.output;
    const std::string unit = call.tag.unit;
    WorkPtr work = inner_->start(std::move(call));
    if (!spoils) return work;
    return std::make_shared<ThenWork>(std::move(work), [this, output, unit] {
      const auto* bytes = static_cast<const std::byte*>(output.data);
      std::vector<std::byte> fresh(bytes, bytes + output.bytes());
      std::vector<std::byte>& before = last[{unit, output.count}];
      if (!before.empty()) std::memcpy(output.data, before.data(), before.size());
      before = std::move(fresh);
    });
  }
  std::map<std::pair<std::string, int64_t>, std::vector<std::byte>> last;
};

// Calls with a tag are never made: on any rank, or on one.
struct LeavesOut : FaultyGroup {
  LeavesOut(std::unique_ptr<ProcessGroup> inner, std::string tag, int on_rank)
      : FaultyGroup(std::move(inner)), what(std::move(tag)), only(on_rank) {}
  WorkPtr start(Collective call) override {
    const bool here = only < 0 || rank() == only;
    if (here && call.tag.what == what) return std::make_shared<ThenWork>();
    return inner_->start(std::move(call));
  }
  std::string what;
  int only;
};
inline TrainerHooks leaving_out(const std::string& what, int on_rank = -1) {
  TrainerHooks hooks;
  hooks.wrap_group = [=](std::unique_ptr<ProcessGroup> inner) {
    return std::make_unique<LeavesOut>(std::move(inner), what, on_rank);
  };
  return hooks;
}

}  // namespace ringside::testing
