// Ranks that follow one program of calls over groups, and ranks that each skip one of them. A few
// microseconds each, on one thread: who calls next is drawn.
#pragma once

#include "ringside/base/random.h"
#include "ringside/flight/report.h"
#include "scene.h"

namespace ringside {

struct ProgramCall {
  size_t group = 0;
  Called what{};
};
struct Program {
  int ranks = 0;
  std::vector<std::vector<int>> groups;  // named "g0", "g1", ...
  std::vector<ProgramCall> calls;        // each rank makes those of its groups, one after the other
};
struct Skip {
  int rank = 0;
  size_t call = 0;  // of Program::calls
};

// With the check on, calls are compared when all have arrived, and ranks that block look for a cycle: when
// the others have come as far as they can, or at once.
enum class Check : uint8_t { kOff, kOn, kOnAtOnce };

class SimulatedRanks {
 public:
  SimulatedRanks(const Program& program, std::vector<Skip> skips, Check check, uint64_t seed)
      : program_(program),
        skips_(std::move(skips)),
        check_(check),
        stream_(seed, "who calls next"),
        ranks_(static_cast<size_t>(program.ranks)),
        arrived_(program.groups.size()) {
    for (int rank = 0; rank < program.ranks; ++rank) {
      dumps_.push_back({.rank = rank, .groups = {}, .entries = {}});
      for (size_t g = 0; g < program.groups.size(); ++g)
        if (is_in(rank, g)) dumps_.back().groups.push_back({name(g), "", program.groups[g]});
    }
  }

  // Of the first cycle that is seen while they run; else of the dumps that are left when nobody can go on.
  FlightReport run() {
    while (!broken_) {
      std::vector<int> ready;
      for (int rank = 0; rank < program_.ranks; ++rank)
        if (!of(rank).blocked && next_call(rank)) ready.push_back(rank);
      if (ready.empty()) break;
      call(ready[stream_.below(ready.size())]);
      if (check_ != Check::kOnAtOnce) continue;
      if (FlightReport live = find_live_cycle(dumps_); !live.cycle.empty()) return live;
    }
    if (check_ == Check::kOn && !broken_)
      if (FlightReport live = find_live_cycle(dumps_); !live.cycle.empty()) return live;
    for (FlightDump& dump : dumps_) dump.time_ns = now_ + 1'000'000'000;
    return merge_flights(dumps_);
  }

 private:
  struct Rank {
    size_t next = 0;  // in Program::calls
    bool blocked = false;
    std::map<size_t, int64_t> numbers;  // by group
  };

  static std::string name(size_t group) { return "g" + std::to_string(group); }
  bool is_in(int rank, size_t group) const { return std::ranges::count(program_.groups[group], rank) > 0; }
  Rank& of(int rank) { return ranks_[static_cast<size_t>(rank)]; }
  FlightDump& dump(int rank) { return dumps_[static_cast<size_t>(rank)]; }

  bool skips(int rank, size_t call) const {
    return std::ranges::any_of(skips_, [&](const Skip& one) { return one.rank == rank && one.call == call; });
  }
  const ProgramCall* next_call(int rank) {
    for (size_t& next = of(rank).next; next < program_.calls.size(); ++next)
      if (is_in(rank, program_.calls[next].group) && !skips(rank, next)) return &program_.calls[next];
    return nullptr;
  }

  void call(int rank) {
    const ProgramCall& made = *next_call(rank);
    ++of(rank).next;
    dump(rank).entries.push_back({.record_id = std::ssize(dump(rank).entries),
                                  .group = name(made.group),
                                  .collective_seq_id = of(rank).numbers[made.group]++,
                                  .op = made.what.op,
                                  .dtype = made.what.dtype,
                                  .elements_in = made.what.elements,
                                  .elements_out = made.what.elements,
                                  .tag = made.what.tag,
                                  .unit = made.what.unit,
                                  .time_created_ns = ++now_,
                                  .time_discovered_started_ns = now_,
                                  .timeout_ms = 1000,
                                  .state = CollectiveState::kStarted});
    of(rank).blocked = true;
    dump(rank).blocked_in = dump(rank).entries.back().record_id;
    std::vector<int>& here = arrived_[made.group];
    here.push_back(rank);
    if (here.size() == program_.groups[made.group].size()) meet(here);
  }

  void meet(std::vector<int>& here) {
    const auto kind = [&](int rank) {
      const FlightEntry& entry = dump(rank).entries.back();
      return std::tuple(entry.op, entry.elements_in, entry.dtype);
    };
    if (!std::ranges::all_of(here, [&](int rank) { return kind(rank) == kind(here.front()); })) {
      broken_ = check_ != Check::kOff;
      return;
    }
    for (const int rank : here) {
      FlightEntry& entry = dump(rank).entries.back();
      entry.state = CollectiveState::kCompleted;
      entry.retired = true;
      entry.time_discovered_completed_ns = ++now_;
      of(rank).blocked = false;
      dump(rank).blocked_in = -1;
    }
    here.clear();
  }

  const Program& program_;
  const std::vector<Skip> skips_;
  const Check check_;
  RandomStream stream_;
  std::vector<Rank> ranks_;
  std::vector<std::vector<int>> arrived_;  // (group) at the call that is not complete
  std::vector<FlightDump> dumps_;
  bool broken_ = false;
  int64_t now_ = 1'000'000'000;
};

}  // namespace ringside
