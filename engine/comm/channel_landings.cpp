// A reader puts data that a call waits for into the call's own buffer, so that it is not copied once more.
// Other frames have memory of their own, and so has data that comes before its call expects it.
#include "channel_state.h"

namespace ringside::inline comm {
namespace {

constexpr std::chrono::milliseconds kToFinish{100};  // a peer's time to end what it is sending

}  // namespace

void ChannelState::expect_locked(const Sender& sender, const MutableView& to) {
  const bool may_come = !lost[size_t(sender.second)] && inbox[sender].empty();
  if (may_come && to.bytes() > 0 && to.device == Device::kCpu)
    landings[sender] = {static_cast<std::byte*>(to.data), uint64_t(to.bytes())};
}

std::byte* ChannelState::landing_of(int peer, const FrameHeader& header) {
  const std::lock_guard lock(mutex);
  const auto found = landings.find({header.lane, peer});
  if (header.kind != FrameKind::kData || found == landings.end() || found->second.bytes != header.bytes)
    return nullptr;
  found->second.filling = true;
  return found->second.at;
}

void ChannelState::withdraw(const Sender& sender) {
  std::unique_lock lock(mutex);
  const auto found = landings.find(sender);
  if (found != landings.end() && !found->second.filling) landings.erase(found);
  const auto is_gone = [&] { return !landings.contains(sender); };
  if (changed.wait_for(lock, kToFinish, is_gone)) return;
  lock.unlock();
  channels[size_t(sender.second)]->shut();
  lock.lock();
  changed.wait(lock, is_gone);  // shut() ends the read, and the reader forgets its landings
}

}  // namespace ringside::inline comm
