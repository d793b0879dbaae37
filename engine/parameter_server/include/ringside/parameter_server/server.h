// A server: the replicas that the scheduler's table gives it, its lease, and its heartbeat.
//
//   Table             take over ranges, adopt new chains, let go of ranges
//   Lease             serve for a while
//   Push, Pull        to the replica, if it is the head of that range; else Refused
//   Forward, Snapshot, Stored    to the replica
#pragma once

#include "ringside/parameter_server/filters.h"
#include "ringside/parameter_server/replica.h"

namespace ringside::inline ps {

class Server : public Node {
 public:
  Server(Endpoint& endpoint, const Cluster& cluster);

  void receive(const Packet& packet) override {
    take_message(packet, cluster_.world, [&](const auto& message) { on(packet.from, message); });
    tell_memory();
  }
  void tick() override;
  int64_t deadline_ns() const override;

  void leave() { leaving_ = true; }  // the scheduler moves its ranges away
  bool has_left() const;             // and none is left, or it gave this server none before it heard of that
  const std::map<uint32_t, Replica>& replicas() const { return replicas_; }
  const Table& table() const { return table_; }

  // For its replicas.
  NodeId self() const { return endpoint_.id(); }
  int64_t time_ns() const { return endpoint_.now_ns(); }
  bool may_serve() const;  // it has a lease
  void send(NodeId to, const Message& message);
  void answer(NodeId worker, Pulled read, const std::vector<float>& values);
  void ask_for_table();

 private:
  void on(NodeId from, const Lease& lease);
  void on(NodeId from, const Table& table);
  void on(NodeId from, const Push& push);
  void on(NodeId from, const Pull& pull);
  void on(NodeId from, const Snapshot& snapshot) { to_replica(from, snapshot); }
  void on(NodeId from, const Forward& forward) { to_replica(from, forward); }
  void on(NodeId from, const Stored& stored) { to_replica(from, stored); }
  template <typename Other>
  void on(NodeId, const Other&) {}  // not for servers
  template <typename T>
  void to_replica(NodeId from, const T& message) {
    const auto found = replicas_.find(message.range);
    if (found != replicas_.end()) return found->second.receive(from, message);
    if (message.range < ranges_.size()) ask_for_table();  // perhaps it is new here
  }
  Replica* head_for(NodeId worker, uint32_t range);  // null: another server is, which the worker is told
  // Those that the block names. Nothing: its list is not known here, and the worker is asked for it.
  std::optional<std::vector<uint64_t>> keys_of(NodeId worker, uint32_t range, const Block& block);
  void heartbeat();
  void tell_memory();

  Endpoint& endpoint_;
  const Cluster& cluster_;
  std::vector<KeyRange> ranges_;
  Table table_ = {};
  std::map<uint32_t, Replica> replicas_ = {};
  KnownLists lists_ = {};
  int64_t lease_until_ns_ = 0, next_heartbeat_ns_ = 0, asked_ns_ = 0;
  uint64_t lease_version_ = 0;        // the lease is for a table of this version, or a later one
  int64_t said_leaving_ns_ = kNever;  // when a heartbeat said so first
  bool leaving_ = false, never_in_ = false;
  NodeMemory told_ = {};  // to the observer
};

}  // namespace ringside::inline ps
