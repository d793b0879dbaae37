// Who waits for whom, over all groups of a run. Each group alone may be in order and yet nobody can go on:
//
//   rank 3 waits in dp #45 for ranks 0, 1 and 2, which wait in default #10 for rank 3
//
// A collective needs every rank of its group, so a rank whose thread sits in one is stuck for ever if a
// rank that has not called it sits, stuck, in another. The largest set of such ranks is found when the
// last of them sits down, within milliseconds instead of at a deadline.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ringside/comm/checked_group.h"

namespace ringside {

// Ranks that sit in the same call, and the ranks of the set that have not called it.
struct StuckRanks {
  std::vector<int> ranks;
  Fingerprint call;
  std::vector<int> missing;
};

struct WaitCycle {
  std::vector<StuckRanks> stuck;  // by their lowest rank
  std::vector<int> fewest;  // the smallest of them: whom a majority points at; all where none is smallest
  std::string text;         // "a cycle of waits: rank 3 waits at ... for ranks 0, 1 and 2; ranks ..."
};

// One a run. Every group in it is over all of its ranks: make_thread_group refuses any other. Safe from any
// thread; a rank calls and waits on one thread at a time.
class WaitGraph {
 public:
  explicit WaitGraph(int ranks);
  int ranks() const { return ranks_; }

  // on_cycle is called at most once a cycle, outside of any lock of the graph.
  int add_group(std::function<void(const WaitCycle&)> on_cycle);
  void remove_group(int group);
  void called(int rank, int group);  // one collective more, before the rank can wait for it

  // While one lives, the rank's thread sits in that call.
  class Blocked {
   public:
    Blocked(WaitGraph& graph, int rank, int group, const Fingerprint& call);
    ~Blocked();
    Blocked(const Blocked&) = delete;
    Blocked& operator=(const Blocked&) = delete;

   private:
    WaitGraph& graph_;
    int rank_;
  };

 private:
  struct Seat {
    int group = 0;
    Fingerprint call;
  };
  struct Group {
    std::vector<int64_t> calls;  // (rank) collectives that it has called
    std::function<void(const WaitCycle&)> on_cycle;
  };
  void sit(int rank, Seat seat);
  void rise(int rank);
  bool waits_for_a_sitting(const Seat& seat) const;
  std::vector<int> missing(const Seat& seat) const;
  std::vector<int> stuck_ranks() const;
  WaitCycle describe(const std::vector<int>& stuck) const;

  const int ranks_;
  std::mutex mutex_;
  std::map<int, Group> groups_;
  std::vector<std::optional<Seat>> seats_;  // (rank)
};

}  // namespace ringside
