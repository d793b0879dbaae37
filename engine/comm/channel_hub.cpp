#include <algorithm>
#include <numeric>

#include "channel_call.h"
#include "channel_state.h"
#include "ringside/base/random.h"
#include "ringside/comm/channel.h"

namespace ringside {
namespace {

// The same in every process: of the name, the ranks and how often they have been connected.
uint64_t hash_of(const std::string& name, const std::vector<int>& ranks, int round) {
  uint64_t hash = mix_seed(static_cast<uint64_t>(round), name);
  for (const int rank : ranks) hash = mix_seed(hash, name, static_cast<uint64_t>(rank));
  return std::max<uint64_t>(hash, 1);
}

}  // namespace

// This rank's end of one group.
class ChannelHub::End final : public Transport {
 public:
  End(std::shared_ptr<ChannelHub> hub, uint64_t group, std::vector<int> ranks, int place)
      : hub_(std::move(hub)), state_(*hub_->state_), group_(group), ranks_(std::move(ranks)), place_(place) {}
  ~End() override { leave(); }
  std::string description() const override { return hub_->description_; }

  Outcome carry(const std::shared_ptr<TransportCall>& call) override {
    return carry_over_channels({*this, state_, group_, ranks_, place_}, *call);
  }

  void break_off(const Failure& failure) override {
    {
      const std::lock_guard lock(state_.mutex);
      ChannelState::Group& group = state_.groups[group_];
      if (group.failure) return;
      state_.break_locked(group, failure);
    }
    state_.tell(ranks_, FrameKind::kBreak, group_, pack(failure));
  }
  std::optional<Failure> failure() override {
    const std::lock_guard lock(state_.mutex);
    return state_.groups[group_].failure;
  }
  void on_broken(std::function<void(const Failure&)> listener) override {
    const std::lock_guard lock(state_.mutex);
    ChannelState::Group& group = state_.groups[group_];
    if (group.failure) listener(*group.failure);
    group.listener = std::move(listener);
  }
  void leave() override {
    {
      const std::lock_guard lock(state_.mutex);
      ChannelState::Group& group = state_.groups[group_];
      group.listener = nullptr;
      if (!group.left.insert(state_.rank).second) return;
      state_.changed.notify_all();
    }
    state_.tell(ranks_, FrameKind::kLeave, group_);
  }

 private:
  const std::shared_ptr<ChannelHub> hub_;
  ChannelState& state_;
  const uint64_t group_;
  const std::vector<int> ranks_;
  const int place_;
};

ChannelHub::ChannelHub(int rank, std::vector<std::unique_ptr<Channel>> channels, std::string description)
    : state_(std::make_unique<ChannelState>(rank, std::move(channels))),
      description_(std::move(description)) {}
ChannelHub::~ChannelHub() = default;

int ChannelHub::rank() const { return state_->rank; }
int ChannelHub::size() const { return static_cast<int>(state_->channels.size()); }

std::unique_ptr<Transport> ChannelHub::connect(const std::string& name, const std::vector<int>& ranks,
                                               int place) {
  const std::lock_guard lock(state_->mutex);
  const uint64_t hash = hash_of(name, ranks, state_->rounds[{name, ranks}]++);
  ChannelState::Group& group = state_->groups[hash];
  group.ranks = ranks;
  for (const auto& [rank, failure] : state_->aborted)
    if (holds(ranks, rank)) state_->break_locked(group, failure);
  return std::make_unique<End>(shared_from_this(), hash, ranks, place);
}

void ChannelHub::abort(int rank, const Failure& failure) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->aborted.emplace(rank, failure);
    for (auto& [hash, group] : state_->groups)
      if (holds(group.ranks, rank)) state_->break_locked(group, failure);
  }
  std::vector<int> all(state_->channels.size());
  std::iota(all.begin(), all.end(), 0);
  state_->tell(all, FrameKind::kBreak, 0, pack(failure));
}

}  // namespace ringside
