#include <algorithm>
#include <chrono>
#include <numeric>

#include "channel_state.h"
#include "ringside/base/random.h"
#include "ringside/base/threads.h"
#include "ringside/comm/channel.h"

namespace ringside::inline comm {
namespace {

// A break or a leave: who cannot take it by then is told nothing. Of a rank that has failed already:
constexpr std::chrono::milliseconds kToTell{1'000}, kToTellFailed{30};
constexpr std::chrono::milliseconds kOnceBegun{100};  // a frame whose turn came just in time

// The same in every process: of the name, the ranks and how often they have been connected.
uint64_t hash_of(const std::string& name, const std::vector<int>& ranks, int round) {
  uint64_t hash = mix_seed(uint64_t(round), name);
  for (const int rank : ranks) hash = mix_seed(hash, name, uint64_t(rank));
  return std::max<uint64_t>(hash, 1);
}

}  // namespace

ChannelState::ChannelState(int of, std::vector<std::unique_ptr<Channel>> connected,
                           std::shared_ptr<OwnCollectives> collectives)
    : rank(of),
      channels(std::move(connected)),
      own(std::move(collectives)),
      memory(4 * channels.size()),
      writing(channels.size()),
      lost(channels.size()),
      heard(channels.size()) {
  for (int peer = 0; peer < std::ssize(channels); ++peer)
    if (peer != rank) readers_.emplace_back([this, peer] { read_all_of(peer); });
  looking_ = std::jthread([this](const std::stop_token& stop) {
    set_thread_name("rank" + std::to_string(rank) + ".looks");
    serve_looks(*this, stop);
  });
}

ChannelState::~ChannelState() {
  looking_ = {};
  wait_until_heard();
  for (const auto& channel : channels)
    if (channel) channel->shut();
  for (std::thread& reader : readers_) reader.join();
}

// A socket that is closed while its peer still writes may drop what it has not sent yet: why a group broke.
// Nobody waits for a rank that has failed already.
void ChannelState::wait_until_heard() {
  const TimePoint until = SteadyClock::now() + kToTell;
  std::vector<int> hearing;
  {
    const std::lock_guard lock(mutex);
    for (int peer = 0; peer < std::ssize(channels); ++peer)
      if (peer != rank && !has_failed(peer)) hearing.push_back(peer);
  }
  for (const int peer : hearing) write(peer, {.kind = FrameKind::kEnd}, nullptr, 0, until);
  std::unique_lock lock(mutex);
  changed.wait_until(lock, until, [&] {
    return std::ranges::all_of(hearing, [&](int peer) { return heard[size_t(peer)] || lost[size_t(peer)]; });
  });
}

bool ChannelState::has_failed(int peer) const {
  return std::ranges::any_of(groups, [&](const auto& group) {
    return group.second.failure && holds(group.second.failure->ranks, peer);
  });
}

void ChannelState::read_all_of(int peer) {
  set_thread_name("rank" + std::to_string(rank) + "<rank" + std::to_string(peer));
  const auto landing = [&](const FrameHeader& header) { return landing_of(peer, header); };
  while (auto frame = read_frame(*channels[size_t(peer)], memory, landing)) {
    if (frame->header.kind == FrameKind::kEnd)
      write(peer, {.kind = FrameKind::kHeard}, nullptr, 0, SteadyClock::now() + kToTell);
    const std::lock_guard lock(mutex);
    if (frame->has_landed) landings.erase({frame->header.lane, peer});
    if (!file(peer, *std::move(frame))) break;
    changed.notify_all();
  }
  const std::lock_guard lock(mutex);
  std::erase_if(landings, [&](const auto& one) { return one.first.second == peer; });
  lost[size_t(peer)] = true;
  // A peer that has left a group has come to the end of its calls there: ours is about to.
  if (own)
    for (const auto& [hash, group] : groups)
      if (holds(group.ranks, peer) && !group.left.contains(peer)) own->stop(hash);
  changed.notify_all();
}

bool ChannelState::file(int peer, Frame frame) {
  const FrameHeader& header = frame.header;
  if (header.kind == FrameKind::kEnd) return true;
  if (header.kind == FrameKind::kHeard) {
    heard[size_t(peer)] = true;
    return true;
  }
  if (header.kind == FrameKind::kAsk) {
    looks.asked[peer] = {header.seq, header.elements};
    looks.changed.notify_all();
    return true;
  }
  if (header.kind == FrameKind::kLook) {
    if (header.seq == looks.round)
      looks.answers[peer] = {reinterpret_cast<const char*>(frame.bytes.data()), frame.bytes.size()};
    looks.changed.notify_all();
    return true;
  }
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
    Group& group = groups[header.lane.group];
    group.hash = header.lane.group;
    break_locked(group, *failure);
    return true;
  }
  abort_locked(peer, *failure);
  return true;
}

void ChannelState::abort_locked(int of, const Failure& failure) {
  aborted.emplace(of, failure);
  for (auto& [hash, group] : groups)
    if (holds(group.ranks, of)) break_locked(group, failure);
}

void ChannelState::break_locked(Group& group, const Failure& failure) {
  if (group.failure) return;
  group.failure = failure;
  if (group.listener) group.listener(failure);
  if (own) own->stop(group.hash);
  changed.notify_all();
}

uint64_t ChannelState::newest_hash(const std::string& name, const std::vector<int>& of) const {
  const auto round = rounds.find({name, of});
  return round == rounds.end() ? 0 : hash_of(name, of, round->second);
}

Channel::Written ChannelState::write(int peer, const FrameHeader& header, const void* bytes, int64_t count,
                                     TimePoint deadline) {
  const auto at = size_t(peer);
  if (!writing[at].take(deadline)) return Channel::Written::kLate;
  const Channel::Written written =
      write_frame(*channels[at], header, bytes, count, std::max(deadline, SteadyClock::now() + kOnceBegun));
  // What followed half a frame would not be understood.
  if (written == Channel::Written::kLate && !channels[at]->keeps_rest()) channels[at]->shut();
  writing[at].give();
  return written;
}

void ChannelState::tell(std::vector<int> ranks, FrameKind kind, uint64_t group, const std::string& bytes) {
  const FrameHeader header{.kind = kind, .lane = {.group = group}};
  std::erase(ranks, rank);
  std::vector<int>::iterator failed;
  {
    const std::lock_guard lock(mutex);
    failed = std::stable_partition(ranks.begin(), ranks.end(), [&](int peer) { return !has_failed(peer); });
  }
  for (auto peer = ranks.begin(); peer != ranks.end(); ++peer)
    write(*peer, header, bytes.data(), std::ssize(bytes),
          SteadyClock::now() + (peer < failed ? kToTell : kToTellFailed));
}

class ChannelHub::End final : public ChannelEnd {
 public:
  End(std::shared_ptr<ChannelHub> hub, uint64_t hash, const std::vector<int>& of, int own)
      : ChannelEnd(*hub->state_, hash, of, own), hub_(std::move(hub)) {}
  ~End() override { leave(); }
  std::string description() const override { return hub_->description_; }
  bool observes_bytes() const override { return !state.own || state.own->counts_bytes(); }
  bool reaches(Device device) const override { return hub_->reaches(device); }

  Outcome carry(const std::shared_ptr<TransportCall>& call) override {
    return carry_over_channels(*this, *call);
  }

  void break_off(const Failure& failure) override {
    {
      const std::lock_guard lock(state.mutex);
      ChannelState::Group& known = state.groups[group];
      if (known.failure) return;
      state.break_locked(known, failure);
    }
    state.tell(ranks, FrameKind::kBreak, group, pack(failure));
  }
  std::optional<Failure> failure() override {
    const std::lock_guard lock(state.mutex);
    return state.groups[group].failure;
  }
  void on_broken(std::function<void(const Failure&)> listener) override {
    const std::lock_guard lock(state.mutex);
    ChannelState::Group& known = state.groups[group];
    if (known.failure) listener(*known.failure);
    known.listener = std::move(listener);
  }
  void leave() override {
    std::optional<Failure> why;
    {
      const std::lock_guard lock(state.mutex);
      ChannelState::Group& known = state.groups[group];
      known.listener = nullptr;
      if (!known.left.insert(state.rank).second) return;
      if (state.own) state.own->stop(group);
      state.changed.notify_all();
      why = known.failure;
    }
    if (why) state.tell(ranks, FrameKind::kBreak, group, pack(*why));
    state.tell(ranks, FrameKind::kLeave, group);
  }

 private:
  const std::shared_ptr<ChannelHub> hub_;
};

ChannelHub::ChannelHub(int rank, std::vector<std::unique_ptr<Channel>> channels, std::string description,
                       std::shared_ptr<OwnCollectives> own)
    : state_(std::make_unique<ChannelState>(rank, std::move(channels), std::move(own))),
      description_(std::move(description)) {}
ChannelHub::~ChannelHub() = default;

int ChannelHub::rank() const { return state_->rank; }
int ChannelHub::size() const { return int(state_->channels.size()); }
bool ChannelHub::reaches(Device device) const {
  return device == Device::kCpu || (state_->own && state_->own->reaches(device));
}

std::unique_ptr<Transport> ChannelHub::connect(const std::string& name, const std::vector<int>& ranks,
                                               int place) {
  const std::lock_guard lock(state_->mutex);
  ++state_->rounds[{name, ranks}];
  const uint64_t hash = state_->newest_hash(name, ranks);
  ChannelState::Group& group = state_->groups[hash];
  group.hash = hash, group.ranks = ranks;
  for (const auto& [rank, failure] : state_->aborted)
    if (holds(ranks, rank)) state_->break_locked(group, failure);
  return std::make_unique<End>(shared_from_this(), hash, ranks, place);
}

void ChannelHub::show(const FlightRecorder& flight, const std::string& prefix) {
  const std::lock_guard lock(state_->mutex);
  const uint64_t id = mix_seed(uint64_t(++state_->looks.begun[prefix]), prefix);
  state_->looks.runs[&flight] = {id, prefix};
}
void ChannelHub::hide(const FlightRecorder& flight) {
  const std::lock_guard lock(state_->mutex);
  state_->looks.runs.erase(&flight);
}

void ChannelHub::look_for_cycle() {
  const std::lock_guard lock(state_->mutex);
  state_->looks.wanted = true;
  state_->looks.changed.notify_all();
}

// Where another rank's failure ends this one, that one is to blame in every group. Of a group that this rank
// has not connected it does not know the ranks.
void ChannelHub::abort(int rank, const Failure& why) {
  std::vector<int> all(state_->channels.size());
  std::iota(all.begin(), all.end(), 0);
  Failure failure = why;
  std::vector<std::pair<uint64_t, ChannelState::Group>> broken;
  {
    const std::lock_guard lock(state_->mutex);
    for (const auto& [hash, group] : state_->groups) {
      if (!group.failure) continue;
      broken.emplace_back(hash, group);
      if (group.left.contains(state_->rank)) continue;
      failure.ranks = group.failure->ranks;
      // A mismatch, of which a cycle of waits is one, stays what it is: a peer may hear of this rank's end in
      // a group before it hears of the cycle there.
      if (group.failure->kind == Failure::Kind::kMismatch) failure = *group.failure;
    }
    state_->abort_locked(rank, failure);
  }
  for (const auto& [hash, group] : broken)
    state_->tell(group.ranks.empty() ? all : group.ranks, FrameKind::kBreak, hash, pack(*group.failure));
  state_->tell(all, FrameKind::kBreak, 0, pack(failure));
}

}  // namespace ringside::inline comm
