// What a worker knows of the servers: the table, and for each range one push and one pull that wait for their
// answers. A push of a range leaves once the one before it is acknowledged. What is not answered is sent
// again, to the head that the newest table names.
#pragma once

#include <deque>
#include <optional>

#include "ringside/parameter_server/cluster.h"
#include "ringside/parameter_server/server.h"

namespace ringside::inline ps {

class Client {
 public:
  Client(Endpoint& endpoint, const Cluster& cluster, uint32_t rank);

  // Whether the table has this worker; then the clock from which it counts, -1 of one who joined.
  std::optional<int64_t> membership() const;

  // Reads `keys` (rising; none: all) as iteration `clock` may; -1: whatever there is. One at a time.
  void pull(int64_t clock, const std::vector<uint64_t>& keys = {});
  bool pulling() const { return pulls_left_ > 0; }
  // Of the keys of the last pull, once it is over.
  const std::vector<float>& values() const { return values_; }
  int64_t oldest() const { return oldest_; }  // clock in what was read, over all ranges
  int64_t newest() const { return newest_; }  // of the oldest clocks of the ranges

  // Gives one value for each key (rising; none: all) to the servers, and to every range the clock.
  void push(int64_t clock, const std::vector<float>& values, const std::vector<uint64_t>& keys = {});
  bool pushing() const;  // a push is not acknowledged yet
  int64_t acknowledged(uint32_t range) const { return int64_t(slots_[range].acknowledged); }

  void receive(const Packet& packet) {
    take_message(packet, cluster_.world, [&](const auto& message) { on(packet.from, message); });
  }
  void tick();
  int64_t deadline_ns() const;
  const Table& table() const { return table_; }
  void add_to(NodeMemory& memory) const;

 private:
  struct Call {  // that waits for its answer
    bool waits = false;
    NodeId sent_to = 0;
    int64_t resend_at_ns = 0, resend_wait_ns = 0;
  };
  struct Slot {
    Call push = {}, pull = {};
    std::deque<Push> pushes = {};  // the first is on its way
    uint64_t sequence = 0, acknowledged = 0;
    Pull pulled = {};
    KeptBack kept_back = {};
    size_t begin = 0, count = 0;  // of the last pull's values
  };

  void on(NodeId from, const Table& table);
  void on(NodeId from, const Pushed& pushed);
  void on(NodeId from, const Pulled& pulled);
  void on(NodeId from, const Refused& refused);
  void on(NodeId from, const UnknownKeys& unknown);
  template <typename Other>
  void on(NodeId, const Other&) {}  // not for workers
  const Filters& filters(uint32_t range) const { return cluster_.groups[ranges_[range].group].filters; }
  template <typename Request>
  void send(uint32_t range, Call& call, Request request, bool again);
  void send_push(uint32_t range, bool again);
  void send_pull(uint32_t range, bool again);
  void heartbeat();

  Endpoint& endpoint_;
  const Cluster& cluster_;
  uint32_t rank_;
  std::vector<KeyRange> ranges_;
  Table table_ = {};
  std::vector<Slot> slots_;
  ListsElsewhere lists_ = {};
  std::vector<float> values_ = {};
  uint64_t request_ = 0;
  size_t pulls_left_ = 0;
  int64_t oldest_ = 0, newest_ = 0;
  int64_t next_heartbeat_ns_ = 0, asked_ns_ = 0;
};

}  // namespace ringside::inline ps
