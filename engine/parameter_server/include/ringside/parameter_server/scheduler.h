// The scheduler: who is alive, and which chain holds which range. It has no part in pushes and pulls.
//
//   Heartbeat    the sender lives; a server says what it holds. Answer: a lease, and the table if it is newer
//   each beat    who is silent for `dead` is dead; each range takes its next step towards the ring (ring.h)
//
// A range none of whose holders lives waits for one to come back. After `give_up` it begins anew with its
// initial values: that is a loss, and losses() names it. Where nothing can have been acknowledged it begins
// anew at once, and nothing is lost.
#pragma once

#include <filesystem>

#include "ringside/parameter_server/cluster.h"
#include "ringside/parameter_server/ring.h"
#include "ringside/parameter_server/server.h"

namespace ringside::inline ps {

struct RangeLoss {
  uint32_t range = 0;
  uint64_t epoch = 0;  // the one that was lost with all of its holders
  int64_t time_ns = 0;
  std::vector<NodeId> chain = {};
};

// Where the scheduler writes what it is about to publish, and finds it when it starts again. Who is started
// again takes all that were alive for alive, and hears from them or not.
class SchedulerDisk {
 public:
  virtual ~SchedulerDisk() = default;
  virtual void save(const Bytes& bytes) = 0;  // whole or not at all
  virtual Bytes load() const = 0;             // empty: nothing was saved
};

class Scheduler final : public Node {
 public:
  Scheduler(Endpoint& endpoint, const Cluster& cluster, SchedulerDisk* disk = nullptr);  // null: it forgets

  void receive(const Packet& packet) override {
    take_message(packet, cluster_.world, [&](const auto& message) { on(packet.from, message); });
  }
  void tick() override;
  int64_t deadline_ns() const override { return next_look_ns_; }

  const Table& table() const { return table_; }
  const std::vector<RangeLoss>& losses() const { return losses_; }
  std::set<NodeId> living_servers(bool staying) const;  // `staying`: without those that are leaving
  bool is_settled() const;  // every chain is as the ring wants it, and held by all of it

 private:
  struct Peer {
    NodeId id = 0;
    bool is_server = false, is_alive = true, leaving = false;
    uint32_t rank = 0;
    int64_t heard_ns = 0, from_clock = 0;
  };
  struct Saved;

  void on(NodeId from, const Heartbeat& beat);
  template <typename Other>
  void on(NodeId, const Other&) {}  // not for the scheduler
  void first_table();
  void note_deaths();
  void move_ranges();
  void set_chain(uint32_t range, std::vector<NodeId> nodes);
  void bear(uint32_t range, std::vector<NodeId> nodes);
  bool is_confirmed(uint32_t range) const {
    return confirmed_[range].size() == table_.chains[range].nodes.size();
  }
  bool is_untouched(uint32_t range) const;
  void note_held(NodeId server, const Held& held);
  void wait_or_give_up(uint32_t range, const std::vector<NodeId>& wanted);
  void set_members();
  void publish();
  void save() const;
  void load(const Bytes& bytes);
  std::vector<NodeId> wanted(const Ring& ring, uint32_t range) const;
  void send(NodeId to, const Message& message);
  void send_table(NodeId to);

  Endpoint& endpoint_;
  const Cluster& cluster_;
  SchedulerDisk* disk_;
  uint32_t ranges_;
  int64_t began_ns_;
  std::map<NodeId, Peer> peers_ = {};
  Table table_ = {};
  // By range: who has all that was acknowledged; who was in all chains since its birth and never held it.
  std::vector<std::set<NodeId>> holders_ = {}, never_held_ = {};
  std::vector<std::set<NodeId>> confirmed_ = {};  // by range: who said that it holds this very epoch
  std::vector<int64_t> orphan_since_ns_ = {};     // by range; kNever: a holder lives
  std::vector<RangeLoss> losses_ = {};
  int64_t next_look_ns_ = 0;
  bool changed_ = false;
};

// The scheduler's table in a file: written beside its place, flushed, then renamed, so that a scheduler that
// is killed at any instant finds the table of before or the new one. The file is one frame (wire.h): with
// magic, version, length, checksum, and the world whose table it is.
class SchedulerFile final : public SchedulerDisk {
 public:
  // A file that is not there is a table that was never saved; its folder must be there.
  SchedulerFile(std::filesystem::path path, uint64_t world) : path_(std::move(path)), world_(world) {}

  void save(const Bytes& bytes) override;  // InputError naming the path
  // InputError naming the path where it is torn, foreign, or of another world. The file stays as it is.
  Bytes load() const override;

 private:
  std::filesystem::path path_;
  uint64_t world_;
};

}  // namespace ringside::inline ps
