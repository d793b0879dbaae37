#include "ringside_sockets/socket_transport.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <numeric>
#include <sstream>

#include "ringside/base/error.h"
#include "socket_call.h"
#include "socket_state.h"

namespace ringside {
namespace {

// FNV-1a over the name, the ranks and how often they have been connected: the same in every process.
uint64_t hash_of(const std::string& name, const std::vector<int>& ranks, int round) {
  uint64_t hash = 14695981039346656037ull;
  const auto add = [&](uint64_t byte) { hash = (hash ^ byte) * 1099511628211ull; };
  add(static_cast<uint64_t>(round));
  for (const char letter : name) add(static_cast<unsigned char>(letter));
  for (const int rank : ranks)
    for (int shift = 0; shift < 32; shift += 8) add((static_cast<uint32_t>(rank) >> shift) & 0xff);
  return hash == 0 ? 1 : hash;
}

// A whole number and nothing else; -2 where `text` is none.
int number_of(const std::string& text) {
  int number = -2;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : -2;
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
    FrameHeader header;
    header.kind = FrameKind::kBreak;
    header.group = group_;
    state_.tell(ranks_, header, pack(failure));
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
    FrameHeader header;
    header.kind = FrameKind::kLeave;
    header.group = group_;
    state_.tell(ranks_, header, {});
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
  for (std::string word; std::getline(words, word, ',');) numbers.push_back(number_of(word));
  const int own = number_of(rank);
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
  FrameHeader header;
  header.kind = FrameKind::kBreak;
  std::vector<int> all(state_->sockets.size());
  std::iota(all.begin(), all.end(), 0);
  state_->tell(all, header, pack(failure));
}

}  // namespace ringside
