// The one process group there is, over any transport: it numbers calls, records them, gives them a deadline,
// compares records, looks for NaN, waits for a simulated link and ends every call with a typed error where
// the group broke.
//
// A rank's collectives are carried out first in, first out, by one communication thread ("rank3.comm"), or by
// who waits for the one that is next: it wakes no other thread of its rank. Each direction of its messages
// with a peer has a queue and a thread of its own, made on first use.
//
// A call that cannot complete (a rank is late, gone, stopped inside, or calls something else) breaks the
// group: it and every later call fail on all ranks, with the first failure's type and ranks. Calls on a
// broken group fail at once and are not recorded.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ringside/comm/link_model.h"
#include "ringside/comm/process_group.h"
#include "ringside/comm/transport.h"
#include "ringside/flight/recorder.h"
#include "ringside/trace/trace.h"

namespace ringside::inline comm {

struct GroupOptions {
  std::string name = "dp";
  std::chrono::nanoseconds timeout = std::chrono::seconds(60);  // from a call's turn on; at most a day
  bool check = true;  // compare records before data moves; off: silence, then the deadline
  LinkModel link{};
  // Looks at calls whose tag asks for it on their own rank, before anything is added: afterwards the
  // NaN is in every rank's sum.
  bool check_finite = false;
  // A rank that has waited this long leaves a note "late" naming whom it waits for; 0: none.
  std::chrono::nanoseconds late_after{0};
  // Asked on a rank's own thread when it has been blocked in wait() for a moment: does it close a cycle of
  // waits over several groups? Null: cycles are not looked for.
  std::function<void()> on_blocked{};
};

// Of this rank of the world; each may be null.
struct Observers {
  Recorder* recorder = nullptr;
  FlightRecorder* flight = nullptr;
};

struct GroupState;
class CallLane;

class ObservedGroup final : public ProcessGroup {
 public:
  // ranks: of the world, in the order of their places; the observers belong to ranks[place].
  ObservedGroup(const GroupOptions& options, std::vector<int> ranks, int place, const Observers& observers,
                std::unique_ptr<Transport> transport);
  // Peers that still need this rank get PeerLostError.
  ~ObservedGroup() override;

  WorkPtr start(Collective call) override;
  void abort(const std::string& reason) override;

 private:
  void check(const Collective& call) const;
  CallRecord record_of(const Collective& call, int64_t seq) const;
  CallLane& lane_of(const Collective& call);

  const std::shared_ptr<GroupState> state_;
  std::mutex mutex_;  // keeps numbers and queues in the same order; guards lanes_
  std::map<std::pair<Op, int>, std::shared_ptr<CallLane>>
      lanes_;  // (send or recv, peer); (barrier, -1): collectives
};

}  // namespace ringside::inline comm
