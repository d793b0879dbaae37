// What the ranks of one thread_group share: queues, rendezvous, mailbox and the
// first failure, under one lock; and the loop of their communication threads.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ringside/base/threads.h"
#include "ringside/comm/thread_group.h"

#include "call.h"
#include "exchange.h"
#include "mailbox.h"

namespace ringside {

class Hub {
 public:
  Hub(int size, const ThreadGroupOptions& options)
      : options_(options), size_(size), ranks_(size), arrived_(size), mailbox_(size) {}

  int size() const { return size_; }
  const ThreadGroupOptions& options() const { return options_; }
  Recorder* recorder(int rank) const {
    return options_.recorders.empty() ? nullptr : options_.recorders[rank];
  }

  void enqueue(CallPtr call);  // a collective, behind those its rank has queued
  void post(CallPtr call);     // a send or recv
  void abort(int rank, const std::string& reason);
  bool broken();
  void leave(int rank);  // serve(rank) fails what has no partner, and returns
  void serve(int rank);  // the communication thread of `rank`
  void report_cycle(const WaitCycle& cycle);

 private:
  using Lock = std::unique_lock<std::mutex>;
  struct Rank {
    std::condition_variable wake;
    std::deque<CallPtr> queue;           // collectives that have not started
    CallPtr current;                     // the collective that has
    std::shared_ptr<Exchange> exchange;  // of current, once all have arrived and agree
    TimePoint deadline;                  // of current, until its last phase
    std::optional<TimePoint> late;       // when current leaves a note that it waits
    std::optional<WaitScope> waiting;    // while current waits for its peers
    std::deque<Transfer> transfers;      // to this rank, matched
    bool left = false;
  };

  bool run_matched(Lock& lock, int rank);
  bool start_next(Lock& lock, int rank);
  bool is_finite(Lock& lock, int rank);
  void arrive(int rank);
  void stay_inside(Lock& lock, Rank& mine);
  void run_exchange(Lock& lock, Rank& mine);
  void run_transfer(Lock& lock, Rank& mine);
  std::optional<Failure> wait_for_link(Lock& lock, Rank& mine, TimePoint start, int64_t hops, int64_t bytes);
  void wait_for_peers(Lock& lock, int rank);
  void note_late(int rank);

  bool find_failure(int rank);
  std::optional<Failure> find_lost_peer(int rank) const;
  std::optional<Failure> find_timeout(int rank) const;
  Failure late(const Call& call, const std::vector<int>& ranks) const;
  std::vector<int> missing(const Call& call) const;
  void fail(Failure failure);
  void fail_unmatched(int rank, const Failure& failure);
  void wake_all();

  const ThreadGroupOptions options_;
  const int size_;

  std::mutex mutex_;  // guards all below
  std::vector<Rank> ranks_;
  std::vector<CallPtr> arrived_;  // the rendezvous: (rank), null where not there yet
  Mailbox mailbox_;
  std::optional<Failure> failure_;
};

}  // namespace ringside
