// One copy of a range, at its place in a chain (van Renesse, Schneider, OSDI 2004; Li et al., OSDI
// 2014, 4.3).
//
// The head turns pushes into operations, numbers them, applies them and forwards them; each replica applies
// them in that order and forwards them in turn; what the tail has is stored, and the news travels back. A
// worker hears of an operation, or of values that show it, only once all copies have it.
//
// Each change of the chain is an epoch, and begins alike everywhere: a replica that holds the state sends it
// whole to the next one, whose own state is overwritten, and then what came since. Messages of another epoch
// are dropped; what is lost is sent again.
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "ringside/parameter_server/range_state.h"

namespace ringside::inline ps {

class Server;  // server.h

class Replica {
 public:
  Replica(Server& server, const Cluster& cluster, const KeyRange& range);

  void adopt(const Chain& chain);  // of a later epoch, with this server in it
  void set_members(uint64_t version, std::vector<Member> members);  // the head; others learn it from the log
  bool is_head() const { return chain_.nodes.front() == self_; }
  uint64_t epoch() const { return chain_.epoch; }
  uint64_t state_epoch() const { return state_epoch_; }  // the last one whose state it held; 0: none

  // Of workers, to the head. Keys and values are those of the message's block.
  void push(NodeId worker, const Push& push, KeyedValues gradient);
  void pull(NodeId worker, const Pull& pull, std::vector<uint64_t> keys);  // no keys: all
  // Of the neighbours in the chain.
  void receive(NodeId from, const Snapshot& snapshot);
  void receive(NodeId from, const Forward& forward);
  void receive(NodeId from, const Stored& stored);

  void tick();  // sends again what the next one has not answered
  int64_t deadline_ns() const { return waits_for_next() ? resend_at_ns_ : kNever; }

  const RangeState* state() const { return state_ ? &*state_ : nullptr; }
  void add_to(NodeMemory& memory) const;

 private:
  struct Read {
    uint64_t request = 0;
    int64_t clock = 0;
    std::vector<uint64_t> keys = {};
  };
  struct Reply {  // leaves once all copies have the operation `index`
    uint64_t index = 0;
    NodeId worker = 0;
    std::variant<Pushed, Pulled> message = {};
    std::vector<float> values = {};  // of a Pulled
  };

  size_t place() const;
  bool is_tail() const { return chain_.nodes.back() == self_; }
  NodeId next() const { return chain_.nodes[place() + 1]; }
  NodeId previous() const { return chain_.nodes[place() - 1]; }
  bool holds() const { return state_epoch_ == chain_.epoch; }  // the state of this epoch
  bool waits_for_next() const;
  bool is_of_this_epoch(uint64_t epoch);

  void hold();
  void append(Operation operation);
  void take(const Operation& operation);
  void take_forwarded(const Operation& operation);
  void all_have(uint64_t index);
  void answer_reads();
  bool answer_read(NodeId worker, const Read& read);
  void release_replies();
  void send_to_next();
  void resend_later(bool progress);
  std::vector<float> values_of(const std::vector<uint64_t>& keys) const;

  Server& server_;
  NodeId self_;
  const Cluster& cluster_;
  KeyRange range_;
  Chain chain_ = {};
  std::optional<RangeState> state_ = {};
  uint64_t state_birth_ = 0, state_epoch_ = 0;
  uint64_t stored_ = 0;                       // all from here to the tail have the operations up to this one
  std::deque<Operation> log_ = {};            // those behind it
  std::map<uint64_t, Operation> early_ = {};  // by index: forwarded ones that overtook another
  bool next_holds_ = false;                   // the next one has the state of this epoch
  int64_t resend_at_ns_ = 0, resend_wait_ns_ = 0;
  std::map<NodeId, Read> reads_ = {};  // that wait for slower workers
  std::deque<Reply> replies_ = {};
};

}  // namespace ringside::inline ps
