// Dumps made by hand: ranks that call collectives one after another on one clock.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ringside/flight/dump.h"

namespace ringside {

struct Called {
  Op op = Op::kAllReduce;
  int64_t elements = 8;
  std::string tag = "gradients", unit = "bucket 0";
  Dtype dtype = Dtype::kFloat32;
  int peer = -1;
};

class Scene {
 public:
  // Ranks 0 to ranks-1, all in every group.
  Scene(int ranks, const std::vector<std::string>& groups) {
    std::vector<int> all;
    for (int rank = 0; rank < ranks; ++rank) all.push_back(rank);
    for (int rank = 0; rank < ranks; ++rank) {
      dumps.push_back({.rank = rank, .groups = {}, .entries = {}, .forgotten = 0, .time_ns = 0});
      for (const std::string& group : groups) dumps.back().groups.push_back({group, group + " group", all});
    }
  }

  FlightEntry& call(int rank, const std::string& group, const Called& called = {}) {
    FlightDump& dump = dumps[static_cast<size_t>(rank)];
    FlightEntry entry;
    entry.record_id = static_cast<int64_t>(dump.entries.size());
    entry.group = group;
    entry.op = called.op;
    int64_t& number = numbers_[{rank, entry.is_p2p() ? lane(group, rank, called) : group}];
    (entry.is_p2p() ? entry.p2p_seq_id : entry.collective_seq_id) = number++;
    entry.dtype = called.dtype;
    const auto ranks = static_cast<int64_t>(dump.groups.front().ranks.size());
    entry.elements_in = called.elements * (called.op == Op::kReduceScatter ? ranks : 1);
    entry.elements_out = called.elements * (called.op == Op::kAllGather ? ranks : 1);
    entry.peer = called.peer;
    entry.tag = called.tag;
    entry.unit = called.unit;
    entry.timeout_ms = 1500;
    entry.time_created_ns = tick();
    entry.state = CollectiveState::kStarted;
    entry.time_discovered_started_ns = tick();
    dump.entries.push_back(entry);
    return dump.entries.back();
  }
  void finish(FlightEntry& entry) {
    entry.state = CollectiveState::kCompleted;
    entry.retired = true;
    entry.time_discovered_completed_ns = tick();
  }
  // On `ranks`, and it completes; `times` times.
  void together(const std::vector<int>& ranks, const std::string& group, const Called& called = {},
                int times = 1) {
    for (int i = 0; i < times; ++i)
      for (const int rank : ranks) finish(call(rank, group, called));
  }
  // On `ranks`, and it does not.
  void stuck(const std::vector<int>& ranks, const std::string& group, const Called& called = {}) {
    for (const int rank : ranks) call(rank, group, called);
  }
  // The watchdog fires so much later, and every rank dumps.
  std::vector<FlightDump> end(int64_t later_ns = 1'500'000'000) {
    for (FlightDump& dump : dumps) dump.time_ns = now_ + later_ns;
    return dumps;
  }

  std::vector<FlightDump> dumps;

 private:
  int64_t tick() { return now_ += 1'000'000; }
  static std::string lane(const std::string& group, int rank, const Called& called) {
    const int from = called.op == Op::kSend ? rank : called.peer;
    return group + (called.op == Op::kSend ? ">" : "<") + std::to_string(from) + std::to_string(called.peer);
  }
  int64_t now_ = 1'000'000'000;
  std::map<std::pair<int, std::string>, int64_t> numbers_;
};

}  // namespace ringside
