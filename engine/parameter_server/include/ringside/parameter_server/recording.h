// A cluster as a section of a trace: its nodes are the section's ranks, and its clock stamps what they do.
// What is recorded says trace/server_rows.h.
//
//   Recording recording({.store = store.get(), .section = "ssp 4"});
//   SimulatedCluster cluster(recording.observed(config), model, seed, task);
//   recording.attach(cluster);
//   cluster.train(...);
//   recording.loss(0.3);      // whenever the caller measures it
//   recording.finish();       // totals by kind
#pragma once

#include <array>
#include <map>
#include <set>

#include "ringside/parameter_server/cluster.h"
#include "ringside/parameter_server/simulated_cluster.h"
#include "ringside/trace/trace.h"

namespace ringside::inline ps {

struct RecordingOptions {
  TraceStore* store = nullptr;
  std::string section = "server";
  Attributes attributes = {};
  bool messages = true;  // each one as an event; no: the totals alone
};

class Recording final : public Observer {
 public:
  explicit Recording(RecordingOptions options);

  // The cluster whose nodes tell this recording. It must live as long as they do.
  Cluster observed(Cluster cluster);
  void attach(SimulatedCluster& simulated);  // before the first event; opens the section
  void loss(double loss);                    // measured now
  void finish();

  int rank_of(NodeId node) const { return ranks_.at(node); }  // of the section

 private:
  struct Sent {
    int64_t messages = 0, bytes = 0, key_bytes = 0, value_bytes = 0;
  };

  void read(const ReadDone& read) override;
  void pushes(const PushBegun& push) override;
  void holds(const NodeMemory& memory) override;
  void done(NodeId node) override;
  void published(const Table& table) override;
  void lost(const RangeLoss& loss) override;
  void introduce(NodeId node);
  void look_at(const NetworkEvent& event);
  void count(const NetworkEvent& event, const Message& message);
  void record(const NetworkEvent& event, const Message& message);
  Recorder& recorder_of(NodeId node);  // of a node that may be new
  void record_members(const Table& table);
  void record_memory(const NodeMemory& memory);
  std::string ranks_of_nodes(const std::vector<NodeId>& nodes);

  RecordingOptions options_;
  SimulatedCluster* simulated_ = nullptr;
  uint64_t world_ = 0;
  std::vector<KeyRange> key_ranges_ = {};
  std::map<NodeId, int> ranks_ = {};
  std::vector<Recorder*> recorders_ = {};
  std::map<uint32_t, uint64_t> epochs_ = {};  // that were recorded, by range
  uint64_t members_version_ = 0;
  std::map<std::pair<NodeId, size_t>, Sent> sent_ = {};
  std::set<NodeId> ended_ = {}, crashed_ = {};
  std::map<NodeId, NodeMemory> held_ = {};
  std::map<NodeId, std::array<int64_t, kCategoryCount>> peaks_ = {};  // of held_
  std::set<int64_t> received_ = {};                                   // ids of messages
  int64_t iterations_ = 0;
};

}  // namespace ringside::inline ps
