// What has come in over a rank's channels, and what it knows of its groups. A thread per channel reads.
//
// Who ends because a group broke says first how: others may not have heard it from who found the failure.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "channel_frames.h"
#include "ringside/comm/transport.h"
#include "ringside/flight/recorder.h"

namespace ringside::inline comm {

// What ranks ask each other for who waits in what (channel_looks.cpp). Guarded by ChannelState::mutex.
struct ChannelLooks {
  struct Question {
    int64_t round = 0, calls = 0;
  };
  struct Run {
    uint64_t id = 0;  // the same in every process
    std::string prefix;
  };
  std::map<const FlightRecorder*, Run> runs;  // that this rank shows
  std::map<std::string, int> begun;           // runs, by prefix
  std::condition_variable_any changed;
  std::map<int, Question> asked;       // by rank: to be answered
  bool wanted = false;                 // this rank has been blocked for a moment
  int64_t round = 0;                   // of questions of this rank's own
  std::map<int, std::string> answers;  // to that round, by rank
};

// Whose turn it is to write to one channel. ThreadSanitizer of GCC 12 does not know a std::timed_mutex.
class WriteTurn {
 public:
  bool take(TimePoint deadline) {
    std::unique_lock lock(mutex_);
    if (!free_.wait_until(lock, deadline, [this] { return !taken_; })) return false;
    return taken_ = true;
  }
  void give() {
    const std::lock_guard lock(mutex_);
    taken_ = false;
    free_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable free_;
  bool taken_ = false;
};

struct ChannelState {
  struct Group {
    uint64_t hash = 0;
    std::vector<int> ranks;
    std::optional<Failure> failure;
    std::function<void(const Failure&)> listener;
    std::set<int> left;  // ranks
  };

  // Memory of a call, to which a reader writes its peer's next data in a lane (channel_landings.cpp).
  struct Landing {
    std::byte* at = nullptr;
    uint64_t bytes = 0;
    bool filling = false;  // a reader writes there
  };
  using Sender = std::pair<ChannelLane, int>;  // a lane, and who sends

  ChannelState(int of, std::vector<std::unique_ptr<Channel>> connected,
               std::shared_ptr<OwnCollectives> collectives);
  ~ChannelState();
  // With the lock held. The first failure stands; the other ranks are not told.
  void break_locked(Group& group, const Failure& failure);
  void abort_locked(int of, const Failure& failure);  // every group that this rank is in
  // With the lock held. That sender's next data is read to this memory, unless it has begun to come. Who
  // expects data withdraws before the memory goes.
  void expect_locked(const Sender& sender, const MutableView& to);
  // Without it. Nobody writes to that memory any more; the channel of a peer that does not end is shut.
  void withdraw(const Sender& sender);
  // The same in every process: of a group as it was connected here the last time.
  uint64_t newest_hash(const std::string& name, const std::vector<int>& of) const;
  // Without it. Two threads may write to one channel; frames stay whole. kLate: perhaps it was not begun.
  Channel::Written write(int peer, const FrameHeader& header, const void* bytes, int64_t count,
                         TimePoint deadline);
  void tell(std::vector<int> ranks, FrameKind kind, uint64_t group, const std::string& bytes = "");

  const int rank;
  const std::vector<std::unique_ptr<Channel>> channels;  // (rank)
  const std::shared_ptr<OwnCollectives> own;             // null: none
  SpareMemory memory;
  std::vector<WriteTurn> writing;  // (rank)
  std::mutex mutex;                // guards what follows
  std::condition_variable changed;
  std::vector<bool> lost;   // (rank) its channel has ended, or it sent what no frame is
  std::vector<bool> heard;  // (rank) it has heard all that this rank said
  std::map<uint64_t, Group> groups;
  std::map<int, Failure> aborted;                                  // by rank
  std::map<std::pair<std::string, std::vector<int>>, int> rounds;  // how often a group was connected here
  std::map<Sender, std::deque<Frame>> inbox;
  std::map<Sender, Landing> landings;
  ChannelLooks looks;

 private:
  bool has_failed(int peer) const;  // under the mutex: in any group
  void read_all_of(int peer);
  std::byte* landing_of(int peer, const FrameHeader& header);
  bool file(int peer, Frame frame);  // false: the peer is not to be believed
  void wait_until_heard();
  std::vector<std::thread> readers_;
  std::jthread looking_;
};

// This rank's end of one group.
struct ChannelEnd : Transport {
  ChannelEnd(ChannelState& hubs, uint64_t hash, std::vector<int> of, int own)
      : state(hubs), group(hash), ranks(std::move(of)), place(own) {}
  ChannelState& state;
  const uint64_t group;
  const std::vector<int> ranks;  // (place)
  const int place;
};

// Answers who asks, and looks for a cycle of waits where this rank wants it, until it is stopped.
void serve_looks(ChannelState& state, const std::stop_token& stop);

Transport::Outcome carry_over_channels(ChannelEnd& end, TransportCall& call);

}  // namespace ringside::inline comm
