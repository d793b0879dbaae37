// Endpoints of one thread: a virtual clock, and packets that are delayed, lost, doubled and reordered as a
// seed says. Nodes crash, and partitions come and heal. The same seed and the same calls give the same
// events, and so the same hash of their log.
//
// A packet of b bytes leaves when its sender's link is free, takes b / bandwidth there, a delay on its way,
// and b / bandwidth on the receiver's link. The idea: FoundationDB's simulation (Zhou et al., SIGMOD 2021,
// doi:10.1145/3448016.3457559).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <set>
#include <string>
#include <tuple>

#include "ringside/base/random.h"
#include "ringside/base/sha256.h"
#include "ringside/comm/endpoint.h"

namespace ringside {

struct NetworkModel {
  int64_t least_delay_ns = 200'000, most_delay_ns = 400'000;  // drawn evenly for each packet
  double bytes_per_s = 0;                                     // of each node's link, each way; 0: no limit
  double loss = 0, duplication = 0;                           // of the packets, 0 to 1
  double reordering = 0;                                      // of the packets: these are held back for
  int64_t held_back_ns = 5'000'000;                           // up to this much longer
};

// Between two times no packet passes from one side to the other; `one_way`: only none from inside.
struct Partition {
  int64_t from_ns = 0, until_ns = 0;
  std::set<NodeId> inside = {};
  bool one_way = false;
};

struct NetworkEvent {
  enum class Kind : uint8_t { kSent, kLost, kCut, kDoubled, kDelivered, kToNobody, kCrashed };
  int64_t time_ns = 0;
  Kind kind = Kind::kSent;
  NodeId from = 0, to = 0;
  const Bytes* bytes = nullptr;  // null of a crash
};
const char* name_of(NetworkEvent::Kind kind);

class SimulatedNetwork {
 public:
  using MakeNode = std::function<std::unique_ptr<Node>(Endpoint&)>;
  using Observer = std::function<void(const NetworkEvent&)>;

  SimulatedNetwork(NetworkModel model, uint64_t seed);
  ~SimulatedNetwork();

  Node& add(NodeId id, const MakeNode& make);      // of a number that was never used here
  Node& restart(NodeId id, const MakeNode& make);  // one that crashed: with nothing of what it knew
  void crash(NodeId id);                           // the node is gone with all it knew
  // The node is gone as it sends for the nth time, counted from 1: that packet and all later ones stay.
  void crash_at_send(NodeId id, int64_t nth);
  void partition(Partition cut) { partitions_.push_back(std::move(cut)); }
  void at(int64_t time_ns, std::function<void()> action);

  // Lets events happen until `done` holds, or the time has come, or nothing is left; whether it holds.
  bool run(int64_t until_ns, const std::function<bool()>& done);

  int64_t now_ns() const { return now_ns_; }
  bool is_up(NodeId id) const { return places_.contains(id); }
  Node* find(NodeId id) const;  // null: it crashed, or never was
  int64_t sends_of(NodeId id) const { return sends_.contains(id) ? sends_.at(id) : 0; }
  int64_t events() const { return events_; }
  std::string log_hash();  // SHA-256 of all events so far: time, kind, from, to and bytes. Ends the log.
  void observe(Observer observer) { observer_ = std::move(observer); }

 private:
  class Place;  // a node, its endpoint and its links
  struct Happening {
    int64_t time_ns = 0, order = 0;  // of two at one time the first that was planned comes first
    NodeId from = 0, to = 0;
    std::shared_ptr<const Bytes> bytes = {};  // a packet for `to`; null: `to` has a deadline
    std::function<void()> action = {};
    bool operator>(const Happening& other) const {
      return std::tie(time_ns, order) > std::tie(other.time_ns, other.order);
    }
  };

  Node& begin(NodeId id, const MakeNode& make);
  void send(Place& from, NodeId to, Bytes bytes);
  void deliver_later(Place& from, NodeId to, const std::shared_ptr<const Bytes>& bytes);
  int64_t transfer_ns(size_t bytes) const;
  bool is_cut(NodeId from, NodeId to) const;
  void plan(Happening happening);
  void plan_turn(Place& place);
  void happen(const Happening& happening);
  void note(NetworkEvent::Kind kind, NodeId from, NodeId to, const Bytes* bytes);

  NetworkModel model_;
  RandomStream random_;
  int64_t now_ns_ = 0, planned_ = 0, events_ = 0;
  std::map<NodeId, std::unique_ptr<Place>> places_;
  std::vector<std::unique_ptr<Place>> gone_;  // crashed while it acted: kept until its turn is over
  std::map<NodeId, int64_t> sends_, crash_at_, busy_until_ns_;
  std::vector<Partition> partitions_;
  std::priority_queue<Happening, std::vector<Happening>, std::greater<>> happenings_;
  Sha256 log_;
  Observer observer_;
};

}  // namespace ringside
