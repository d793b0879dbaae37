#include "channel_state.h"

#include <chrono>

#include "ringside/base/threads.h"
#include "ringside/comm/wiring.h"

namespace ringside {
namespace {

constexpr std::chrono::seconds kToTell{1};  // a break or a leave: who cannot take it by then is told nothing

}  // namespace

ChannelState::ChannelState(int own, std::vector<std::unique_ptr<Channel>> connected)
    : rank(own), channels(std::move(connected)), writing(channels.size()), lost(channels.size()) {
  for (int peer = 0; peer < std::ssize(channels); ++peer)
    if (peer != rank) readers_.emplace_back([this, peer] { read_all_of(peer); });
}

ChannelState::~ChannelState() {
  for (const auto& channel : channels)
    if (channel) channel->shut();
  for (std::thread& reader : readers_) reader.join();
}

void ChannelState::read_all_of(int peer) {
  set_thread_name("rank" + std::to_string(rank) + "<rank" + std::to_string(peer));
  while (auto frame = read_frame(*channels[static_cast<size_t>(peer)])) {
    const std::lock_guard lock(mutex);
    if (!file(peer, *std::move(frame))) break;
    changed.notify_all();
  }
  const std::lock_guard lock(mutex);
  lost[static_cast<size_t>(peer)] = true;
  changed.notify_all();
}

bool ChannelState::file(int peer, Frame frame) {
  const FrameHeader& header = frame.header;
  if (header.kind == FrameKind::kLeave) {
    groups[header.lane.group].left.insert(peer);
    return true;
  }
  if (header.kind != FrameKind::kBreak) {
    inbox[{header.lane, peer}].push_back(std::move(frame));
    return true;
  }
  const std::optional<Failure> failure =
      unpack({reinterpret_cast<const char*>(frame.bytes.data()), frame.bytes.size()});
  if (!failure) return false;
  if (header.lane.group != 0) {
    break_locked(groups[header.lane.group], *failure);
    return true;
  }
  aborted.emplace(peer, *failure);
  for (auto& [hash, group] : groups)
    if (holds(group.ranks, peer)) break_locked(group, *failure);
  return true;
}

void ChannelState::break_locked(Group& group, const Failure& failure) {
  if (group.failure) return;
  group.failure = failure;
  if (group.listener) group.listener(failure);
  changed.notify_all();
}

Channel::Written ChannelState::write(int peer, const FrameHeader& header, const void* bytes, int64_t count,
                                     TimePoint deadline) {
  const auto at = static_cast<size_t>(peer);
  const std::lock_guard lock(writing[at]);
  return write_frame(*channels[at], header, bytes, count, deadline);
}

void ChannelState::tell(const std::vector<int>& ranks, FrameKind kind, uint64_t group,
                        const std::string& bytes) {
  const FrameHeader header{.kind = kind, .lane = {.group = group}};
  for (const int peer : ranks)
    if (peer != rank) write(peer, header, bytes.data(), std::ssize(bytes), SteadyClock::now() + kToTell);
}

}  // namespace ringside
