// Endpoints of one thread: a virtual clock, and packets that are delayed, lost, doubled and reordered as a
// seed says. Nodes crash, and partitions come and heal. The same seed and the same calls give the same
// events.
//
// The way of a packet of b bytes:
//
//   sender's processor   free, then send_ns
//   sender's link        free, then b / bandwidth
//   network              a delay; lost, doubled or held back
//   receiver's link      free, then b / bandwidth
//   receiver's processor free, then receive_ns + b byte_ns: the node acts at its end
//
// Each of the four lets packets pass one after the other. Handling takes no time unless set_handling() says
// so. The idea: FoundationDB's simulation (Zhou et al., SIGMOD 2021, doi:10.1145/3448016.3457559).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "ringside/base/clock.h"
#include "ringside/base/random.h"
#include "ringside/comm/endpoint.h"

namespace ringside::inline ps {

struct NetworkModel {
  int64_t least_delay_ns = 200'000, most_delay_ns = 400'000;  // drawn evenly for each packet
  double bytes_per_s = 0;                                     // of each node's link, each way; 0: no limit
  double loss = 0, duplication = 0;                           // of the packets, 0 to 1
  double reordering = 0;                                      // of the packets: these are held back for
  int64_t held_back_ns = 5'000'000;                           // up to this much longer
};

// What a packet takes of a node's processor, in ns.
struct Handling {
  double receive_ns = 0, send_ns = 0;  // of each packet
  double byte_ns = 0;                  // of each byte of it, either way
};

// What a node has done so far. Times in ns.
struct NodeUse {
  int64_t packets_in = 0, packets_out = 0, bytes_in = 0, bytes_out = 0;
  int64_t processor_ns = 0, link_in_ns = 0, link_out_ns = 0;  // busy
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
  int64_t id = 0, sent_ns = 0;   // of the packet, from 1; both copies of a doubled one have it
};

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
  void crash_at_send(NodeId id, int64_t nth) { accounts_[id].crash_at = nth; }
  void partition(Partition cut) { partitions_.push_back(std::move(cut)); }
  void at(int64_t time_ns, std::function<void()> action);
  void set_handling(NodeId id, Handling handling);  // of a node that is up

  // Lets events happen until `done` holds, or the time has come, or nothing is left; whether it holds.
  bool run(int64_t until_ns, const std::function<bool()>& done);

  int64_t now_ns() const { return clock_->now_ns(); }
  std::shared_ptr<const VirtualClock> clock() const { return clock_; }
  bool is_up(NodeId id) const { return places_.contains(id); }
  Node* find(NodeId id) const;      // null: it crashed, or never was
  NodeUse use_of(NodeId id) const;  // also after a crash
  int64_t events() const { return events_; }
  void observe(Observer observer) { observers_.push_back(std::move(observer)); }

 private:
  class Place;  // a node, its endpoint, its links and its processor
  struct Account {
    int64_t crash_at = 0;  // 0: it does not
    NodeUse use = {};
  };
  struct InFlight {
    NodeId from = 0, to = 0;
    int64_t id = 0, sent_ns = 0;
    std::shared_ptr<Bytes> bytes = {};
  };
  struct Happening {
    enum class Kind : uint8_t { kDeadline, kArrival, kHandled, kAction };
    Kind kind = Kind::kDeadline;
    uint64_t life = 0;     // of kHandled: of the place that began it
    InFlight packet = {};  // kDeadline, kHandled: `to` alone
    size_t action = 0;     // in actions_
  };

  Node& begin(NodeId id, const MakeNode& make);
  void send(Place& from, NodeId to, Bytes bytes);
  void deliver_later(Place& from, const InFlight& packet);
  void plan_turn(Place& place, int64_t time_ns);
  void happen(Happening& happening, int64_t time_ns);
  void arrive(InFlight& packet);
  void handle_next(Place& place);
  void act(Place& place, InFlight& packet);
  void take_turn_at(Place& place, int64_t time_ns);
  int64_t transfer_ns(size_t bytes) const;
  bool is_cut(NodeId from, NodeId to) const;
  void note(NetworkEvent::Kind kind, const InFlight& packet);

  NetworkModel model_;
  RandomStream random_;
  std::shared_ptr<VirtualClock> clock_ = std::make_shared<VirtualClock>(0);
  int64_t events_ = 0, packets_ = 0;
  uint64_t lives_ = 0;
  std::unordered_map<NodeId, std::unique_ptr<Place>> places_;
  std::vector<std::unique_ptr<Place>> gone_;  // crashed while it acted: kept until its turn is over
  std::unordered_map<NodeId, Account> accounts_ = {};
  std::vector<Partition> partitions_ = {};
  std::vector<std::function<void()>> actions_ = {};
  std::multimap<int64_t, Happening> happenings_ = {};  // by time; of one time, in the order of their planning
  std::vector<Observer> observers_ = {};
};

}  // namespace ringside::inline ps
