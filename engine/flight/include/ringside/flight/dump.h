// What one rank's flight recorder holds: its last collectives, over all its process groups. Fields
// and their meanings are those of PyTorch's Flight Recorder (torch/csrc/distributed/c10d/FlightRecorder.hpp,
// version 2.10). Where that keeps stack frames, an entry has the tag: what the collective carries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ringside/trace/events.h"

namespace ringside::inline flight {

struct FlightEntry {
  int64_t record_id = 0;          // this rank's calls over all groups are numbered from 0
  std::string group{};            // process_group: "dp"
  int64_t collective_seq_id = 0;  // in the group, from 0; a send or recv has that of the last collective
  int64_t p2p_seq_id = 0;         // of a send or recv: between the two ranks, per direction
  Op op = Op::kBarrier;
  Dtype dtype = Dtype::kUInt8;
  int64_t elements_in = 0, elements_out = 0;  // NumelIn, NumelOut: of this rank alone
  int peer = -1;  // a broadcast's root, or the other end of a send or recv: its place in the group
  std::string tag{}, unit{};  // "gradients", "bucket 3"
  int64_t time_created_ns = 0;
  int64_t time_discovered_started_ns = 0;    // 0: it has not started
  int64_t time_discovered_completed_ns = 0;  // 0: it has not completed
  int64_t timeout_ms = 0;
  CollectiveState state = CollectiveState::kScheduled;  // scheduled, started or completed, never failed
  bool retired = false;  // nobody waits for it any more; where it has not completed, it failed
  bool is_p2p() const { return op == Op::kSend || op == Op::kRecv; }
};

struct FlightGroup {
  std::string name, description;
  std::vector<int> ranks;
};

// What the first group of this rank to break said of it. This tells more than the calls do where a rank
// stopped inside a call, or ended by an error of its own.
struct FlightBreak {
  std::string group;
  std::string kind;        // "timeout", "peer_lost", "mismatch", "not_finite"
  std::vector<int> ranks;  // those that are late, lost, disagree or have what is not finite
  std::string text;        // one line
};

struct FlightDump {
  int rank = 0;
  std::vector<FlightGroup> groups;   // that this rank is in
  std::vector<FlightEntry> entries;  // by record_id, oldest first
  int64_t forgotten = 0;             // how many older ones the ring has overwritten
  int64_t time_ns = 0;               // when it was made, or frozen; 0: not known
  std::optional<FlightBreak> broken{};
  int64_t blocked_in = -1;  // the record_id that the rank's own thread waits for, or -1; no file has it
};

}  // namespace ringside::inline flight
