// One call over the channels: records first, then data, in the order in which threads move it. A small part
// of the first phase goes along with the record, which saves a round of messages; it is used once all agree.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "call.h"
#include "channel_state.h"
#include "ringside/base/random.h"
#include "ringside/base/threads.h"
#include "ringside/comm/accumulator.h"
#include "ringside/comm/parts.h"
#include "ringside/comm/wiring.h"

namespace ringside::inline comm {
namespace {

// A rank that is ahead may leave this much of each peer's in a receiver's memory.
constexpr int64_t kGoesAlong = int64_t{4} << 20;  // bytes

// Each step returns false where the call cannot go on; the group is broken then, or this rank has left.
class ChannelCall {
 public:
  ChannelCall(ChannelEnd& end, TransportCall& call)
      : end_(end), state_(end.state), call_(call), asked_(call.asked()), size_(int(end.ranks.size())) {
    lane_.group = end.group;
    if (asked_.op == Op::kSend) lane_.from = end.place, lane_.to = asked_.peer;
    if (asked_.op == Op::kRecv) lane_.from = asked_.peer, lane_.to = end.place;
    for (int place = 0; place < size_; ++place)
      if (place != end.place && (!is_p2p(asked_.op) || place == asked_.peer)) others_.push_back(place);
    came_along_.resize(size_t(size_));
  }
  ~ChannelCall() {
    for (const int place : others_) state_.withdraw(sender(place));
  }
  ChannelCall(const ChannelCall&) = delete;
  ChannelCall& operator=(const ChannelCall&) = delete;

  Transport::Outcome run() {
    if (has_ended() || !agree_with_others() || !stay_inside()) return {};
    const TimePoint start = SteadyClock::now();
    if (!move()) return {};
    return {.done = true, .start = start, .most_bytes_sent = call_.bytes_sent()};
  }

 private:
  int rank_at(int place) const { return end_.ranks[size_t(place)]; }
  ChannelState::Sender sender(int place) const { return {lane_, rank_at(place)}; }
  std::deque<Frame>& inbox(int place) { return state_.inbox[sender(place)]; }

  // A message's two ends name what it carries in words of their own.
  uint64_t contents() const {
    const Tag& tag = asked_.tag;
    return is_p2p(asked_.op) || (tag.what.empty() && tag.unit.empty())
               ? 0
               : mix_seed(1, tag.what + '\n' + tag.unit);
  }

  bool agree_with_others() {
    CallRecord own = call_.record();
    own.contents = contents();
    if (!write_records(own) || !wait_for(others_)) return false;
    std::vector<CallRecord> records(static_cast<size_t>(size_), own);
    for (const int place : others_) {
      std::optional<Frame>& frame = came_along_[size_t(place)] = take(place, FrameKind::kRecord);
      if (!frame) return false;
      const FrameHeader& theirs = frame->header;
      records[size_t(place)] = {own.group,   theirs.seq,    theirs.op,       theirs.dtype,  theirs.elements,
                                theirs.root, theirs.reduce, theirs.contents, rank_at(place)};
      if (theirs.has_part == 0) frame.reset();
    }
    return judge(records);
  }

  bool write_records(const CallRecord& own) {
    FrameHeader header{.kind = FrameKind::kRecord,
                       .lane = lane_,
                       .seq = own.seq,
                       .elements = own.elements,
                       .root = own.root,
                       .op = own.op,
                       .dtype = own.dtype,
                       .reduce = own.reduce,
                       .contents = own.contents};
    for (const int place : others_) {
      const std::optional<ConstView> part = goes_along(place);
      header.has_part = part ? 1 : 0;
      if (part) call_.count_sent(part->bytes());
      if (!write(place, header, part ? part->data : nullptr, part ? part->bytes() : 0)) return false;
    }
    return true;
  }

  // What that place takes of this rank's buffer in the first phase, where it is sent with the record.
  std::optional<ConstView> goes_along(int place) const {
    if (asked_.hold || is_by_library()) return std::nullopt;
    const auto taken = part_taken(asked_, size_, 0, place, end_.place);
    if (!taken) return std::nullopt;
    const ConstView part = slice(asked_.input, taken->from);
    return part.bytes() <= kGoesAlong ? std::optional(part) : std::nullopt;
  }
  bool is_by_library() const { return state_.own && state_.own->takes(asked_); }

  bool judge(const std::vector<CallRecord>& records) {
    std::vector<const CallRecord*> by_place;  // of a message: its two ends
    for (int place = 0; place < size_; ++place)
      if (place == end_.place || holds(others_, place)) by_place.push_back(&records[size_t(place)]);
    const TransportCall::Verdict verdict = call_.judge(by_place);
    if (verdict.kind == TransportCall::Verdict::Kind::kMove) return true;
    if (verdict.kind == TransportCall::Verdict::Kind::kBreak) return breaks(*verdict.failure);
    std::vector<int> odd;
    for (const int place : others_)
      if (!ringside::agree(records[size_t(place)], records[size_t(end_.place)])) odd.push_back(place);
    std::unique_lock lock(state_.mutex);
    if (state_.changed.wait_until(lock, call_.deadline(), [&] { return is_over(); })) return false;
    lock.unlock();
    return breaks(call_.timed_out(odd));
  }

  bool breaks(const Failure& failure) {
    end_.break_off(failure);
    return false;
  }
  bool has_ended() {
    const std::lock_guard lock(state_.mutex);
    return is_over();
  }
  bool is_over() {  // with the lock held
    const ChannelState::Group& group = state_.groups[end_.group];
    return group.failure || group.left.contains(state_.rank);
  }

  // The others wait for this rank's data, until the deadline. Where they need none it ends by itself.
  bool stay_inside() {
    if (!asked_.hold) return true;
    const TimePoint until = SteadyClock::now() + *asked_.hold;
    std::unique_lock lock(state_.mutex);
    const bool over =
        state_.changed.wait_until(lock, std::min(until, call_.deadline()), [&] { return is_over(); });
    if (over || until <= call_.deadline()) return !over;
    lock.unlock();
    return breaks(call_.timed_out({end_.place}));
  }

  // Until a frame of each of these places is there.
  bool wait_for(const std::vector<int>& places) {
    const WaitScope scope("peers, at " + to_string(call_.record()));
    std::unique_lock lock(state_.mutex);
    while (true) {
      std::vector<int> missing, gone;
      for (const int place : places) {
        if (!inbox(place).empty()) continue;
        missing.push_back(place);
        const int rank = rank_at(place);
        const bool left = state_.groups[end_.group].left.contains(rank);
        if (left || state_.lost[size_t(rank)]) gone.push_back(place);
      }
      if (missing.empty()) return true;
      if (is_over()) return false;
      const TimePoint now = SteadyClock::now();
      if (!gone.empty() || now >= call_.deadline()) {
        lock.unlock();
        return breaks(gone.empty() ? call_.timed_out(missing) : call_.lost({gone.front()}));
      }
      if (call_.look_at() && now >= *call_.look_at()) {
        lock.unlock();
        call_.waits_for(missing);
        lock.lock();
        continue;
      }
      state_.changed.wait_until(lock, std::min(call_.look_at().value_or(call_.deadline()), call_.deadline()));
    }
  }

  // A frame of another kind than the protocol has next: its sender is not to be believed.
  std::optional<Frame> take(int place, FrameKind kind) {
    std::unique_lock lock(state_.mutex);
    std::deque<Frame>& frames = inbox(place);
    Frame frame = std::move(frames.front());
    frames.pop_front();
    if (frame.header.kind == kind) return frame;
    lock.unlock();
    end_.break_off(call_.lost({place}));
    return std::nullopt;
  }

  bool write(int place, const FrameHeader& header, const void* bytes, int64_t count) {
    const Channel::Written written = state_.write(rank_at(place), header, bytes, count, call_.deadline());
    if (written == Channel::Written::kAll) return true;
    if (written == Channel::Written::kLate) return breaks(call_.timed_out({place}));
    std::unique_lock lock(state_.mutex);  // a peer that has closed may have said before why
    const auto at = size_t(rank_at(place));
    state_.changed.wait_until(lock, call_.deadline(), [&] { return is_over() || state_.lost[at]; });
    lock.unlock();
    return breaks(call_.lost({place}));
  }

  bool send(int place, ConstView part) {
    call_.count_sent(part.bytes());
    return write(place, {.kind = FrameKind::kData, .lane = lane_}, part.data, part.bytes());
  }
  std::optional<Frame> receive(int place, int64_t bytes) {
    std::optional<Frame> frame = std::exchange(came_along_[size_t(place)], std::nullopt);
    if (!frame) {
      if (!wait_for({place})) return std::nullopt;
      frame = take(place, FrameKind::kData);
    }
    if (!frame || int64_t(frame->header.bytes) == bytes) return frame;
    end_.break_off(call_.lost({place}));
    return std::nullopt;
  }
  bool receive_into(int place, MutableView part) {
    const std::optional<Frame> frame = receive(place, part.bytes());
    if (frame && !frame->has_landed) copy_into(part, {frame->bytes.data(), part.count, part.dtype});
    return frame.has_value();
  }

  // Data that is not added up is read to its place in the output. Nothing is sent from there any more: where
  // an all-reduce has one buffer, a peer sends its sum after it has received this rank's part.
  void expect(int phase) {
    if (phase >= phases_of(asked_.op) || adds_up(asked_.op, phase)) return;
    const std::lock_guard lock(state_.mutex);
    for (const int place : others_) {
      const auto part = part_taken(asked_, size_, phase, end_.place, place);
      if (part && !came_along_[size_t(place)])
        state_.expect_locked(sender(place), slice(asked_.output, part->to));
    }
  }
  bool reduce(const TakenPart& part) {
    std::vector<std::optional<Frame>> frames(static_cast<size_t>(size_));
    const ConstView own = slice(asked_.input, part.from);
    std::vector<ConstView> inputs(static_cast<size_t>(size_), own);
    for (const int place : others_) {
      const std::optional<Frame>& frame = frames[size_t(place)] = receive(place, own.bytes());
      if (!frame) return false;
      inputs[size_t(place)].data = frame->bytes.data();
    }
    expect(1);
    reduce_into(slice(asked_.output, part.to), inputs, asked_.reduce);
    return true;
  }

  // A library's own call. Where it fails the channels know of which rank, a moment later, or it is this one.
  bool move_by_library() {
    const auto [carried, trouble, sent] =
        state_.own->carry(end_.group, end_.ranks, end_.place, asked_, call_.deadline());
    call_.count_sent(sent);
    if (carried == Channel::Written::kAll) return true;
    const auto gone = [&] {
      for (const int place : others_)
        if (state_.lost[size_t(rank_at(place))]) return std::vector<int>{place};
      return std::vector<int>();
    };
    constexpr std::chrono::milliseconds kMoment{250};
    std::unique_lock lock(state_.mutex);
    if (carried == Channel::Written::kLost)
      state_.changed.wait_until(
          lock, trouble.empty() ? call_.deadline() : std::min(call_.deadline(), SteadyClock::now() + kMoment),
          [&] { return is_over() || !gone().empty(); });
    const std::vector<int> lost = gone();
    lock.unlock();
    const int own = rank_at(end_.place);
    if (lost.empty() && !trouble.empty())
      return breaks({Failure::Kind::kPeerLost, {own}, fmt::format("rank {}: {}", own, trouble)});
    return breaks(lost.empty() ? call_.timed_out({}) : call_.lost(lost));
  }

  // Every rank sends the others what they take of it, then takes what is its own.
  bool move() {
    if (is_by_library()) return move_by_library();
    expect(0);
    for (int phase = 0; phase < phases_of(asked_.op); ++phase) {
      for (const int place : others_) {
        if (phase == 0 && goes_along(place)) continue;
        if (const auto part = part_taken(asked_, size_, phase, place, end_.place))
          if (!send(place, slice(asked_.input, part->from))) return false;
      }
      if (!take_parts(phase)) return false;
    }
    return true;
  }

  bool take_parts(int phase) {
    const auto part_of = [&](int place) { return part_taken(asked_, size_, phase, end_.place, place); };
    if (adds_up(asked_.op, phase)) return reduce(*part_of(end_.place));
    if (const auto own = part_of(end_.place))
      copy_into(slice(asked_.output, own->to), slice(asked_.input, own->from));
    for (const int place : others_)
      if (const auto part = part_of(place); part && !receive_into(place, slice(asked_.output, part->to)))
        return false;
    return true;
  }

  ChannelEnd& end_;
  ChannelState& state_;
  TransportCall& call_;
  const Collective& asked_;
  const int size_;
  ChannelLane lane_;
  std::vector<int> others_;                       // places
  std::vector<std::optional<Frame>> came_along_;  // (place) a record with its part, until it is used
};

}  // namespace

void check_frames(const Transport& transport, const Collective& call, int size) {
  constexpr auto kMost = int64_t(kMostFrameBytes);
  if (payload(call).bytes() <= kMost) return;
  const auto* const end = dynamic_cast<const ChannelEnd*>(&transport);
  if (end == nullptr || (end->state.own && end->state.own->takes(call))) return;
  if (const int64_t bytes = largest_part(call, size); bytes > kMost)
    throw UsageError(
        "{} of {} bytes, of which one rank gets {} in one message: {} are allowed. Call it in parts",
        to_string(call.op), payload(call).bytes(), bytes, kMost);
}

Transport::Outcome carry_over_channels(ChannelEnd& end, TransportCall& call) {
  return ChannelCall(end, call).run();
}

}  // namespace ringside::inline comm
