#include "ringside_sockets/socket_transport.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <sstream>

#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "ringside/base/text.h"
#include "socket_call.h"
#include "socket_state.h"

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
class SocketHub::End final : public Transport {
 public:
  End(std::shared_ptr<SocketHub> hub, uint64_t group, std::vector<int> ranks, int place)
      : hub_(std::move(hub)), state_(*hub_->state_), group_(group), ranks_(std::move(ranks)), place_(place) {}
  ~End() override { leave(); }
  std::string description() const override { return "ranks as processes, Unix sockets"; }

  Outcome carry(const std::shared_ptr<TransportCall>& call) override {
    return carry_over_sockets({*this, state_, group_, ranks_, place_}, *call);
  }

  void break_off(const Failure& failure) override {
    {
      const std::lock_guard lock(state_.mutex);
      SocketState::Group& group = state_.groups[group_];
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
    SocketState::Group& group = state_.groups[group_];
    if (group.failure) listener(*group.failure);
    group.listener = std::move(listener);
  }
  void leave() override {
    {
      const std::lock_guard lock(state_.mutex);
      SocketState::Group& group = state_.groups[group_];
      group.listener = nullptr;
      if (!group.left.insert(state_.rank).second) return;
      state_.changed.notify_all();
    }
    state_.tell(ranks_, FrameKind::kLeave, group_);
  }

 private:
  const std::shared_ptr<SocketHub> hub_;
  SocketState& state_;
  const uint64_t group_;
  const std::vector<int> ranks_;
  const int place_;
};

SocketHub::SocketHub(int rank, std::vector<int> sockets)
    : state_(std::make_unique<SocketState>(rank, std::move(sockets))) {}
SocketHub::~SocketHub() = default;

int SocketHub::rank() const { return state_->rank; }
int SocketHub::size() const { return static_cast<int>(state_->sockets.size()); }

std::shared_ptr<SocketHub> SocketHub::from_environment() {
  const char* rank = std::getenv(kRankVariable);
  const char* sockets = std::getenv(kSocketsVariable);
  if (rank == nullptr || sockets == nullptr) return nullptr;
  std::vector<int> numbers;
  std::istringstream words(sockets);
  for (std::string word; std::getline(words, word, ',');)
    numbers.push_back(read_number<int>(word).value_or(-2));
  const int own = read_number<int>(rank).value_or(-1);
  if (own < 0 || own >= std::ssize(numbers))
    throw UsageError(fmt::format("{}={}: allowed are 0 to {}, one for each of {}={}", kRankVariable, rank,
                                 std::ssize(numbers) - 1, kSocketsVariable, sockets));
  for (int peer = 0; peer < std::ssize(numbers); ++peer)
    if (peer != own && ::fcntl(numbers[static_cast<size_t>(peer)], F_GETFD) < 0)
      throw UsageError(fmt::format("{}={}: rank {}'s is no open socket", kSocketsVariable, sockets, peer));
  numbers[static_cast<size_t>(own)] = -1;
  return std::make_shared<SocketHub>(own, std::move(numbers));
}

std::unique_ptr<Transport> SocketHub::connect(const std::string& name, const std::vector<int>& ranks,
                                              int place) {
  const std::lock_guard lock(state_->mutex);
  const uint64_t hash = hash_of(name, ranks, state_->rounds[{name, ranks}]++);
  SocketState::Group& group = state_->groups[hash];
  group.ranks = ranks;
  for (const auto& [rank, failure] : state_->aborted)
    if (holds(ranks, rank)) state_->break_locked(group, failure);
  return std::make_unique<End>(shared_from_this(), hash, ranks, place);
}

void SocketHub::abort(int rank, const Failure& failure) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->aborted.emplace(rank, failure);
    for (auto& [hash, group] : state_->groups)
      if (holds(group.ranks, rank)) state_->break_locked(group, failure);
  }
  std::vector<int> all(state_->sockets.size());
  std::iota(all.begin(), all.end(), 0);
  state_->tell(all, FrameKind::kBreak, 0, pack(failure));
}

}  // namespace ringside
