#include "ringside/parameter_server/replica.h"

#include <algorithm>

#include "ringside/base/check.h"
#include "ringside/parameter_server/server.h"

namespace ringside::inline ps {
namespace {

constexpr size_t kWindow = 64;  // operations that are sent again, or come early, at a time

}  // namespace

Replica::Replica(Server& server, const Cluster& cluster, const KeyRange& range)
    : server_(server), self_(server.self()), cluster_(cluster), range_(range) {}

// ---------------------------------------------------------------- a new epoch

void Replica::adopt(const Chain& chain) {
  RINGSIDE_CHECK_LT(chain_.epoch, chain.epoch);
  chain_ = chain;
  stored_ = 0;
  next_holds_ = false;
  log_.clear();
  early_.clear();
  if (chain.birth != state_birth_) {
    state_.reset();
    state_epoch_ = 0;
  }
  if (is_head()) {
    if (!state_) state_.emplace(cluster_, range_);
    state_birth_ = chain.birth;
    hold();
  } else {
    reads_.clear();
    replies_.clear();  // the workers will ask the new head
  }
}

// The state is that of this epoch: the next one gets it.
void Replica::hold() {
  state_epoch_ = chain_.epoch;
  if (is_tail()) return all_have(state_->index());
  send_to_next();
  resend_later(true);
}

size_t Replica::place() const {
  const auto found = std::ranges::find(chain_.nodes, self_);
  RINGSIDE_CHECK(found != chain_.nodes.end(), "server " << self_ << " is not in the chain");
  return size_t(found - chain_.nodes.begin());
}

bool Replica::is_of_this_epoch(uint64_t epoch) {
  if (epoch > chain_.epoch) server_.ask_for_table();
  return epoch == chain_.epoch;
}

void Replica::add_to(NodeMemory& memory) const {
  const int64_t before = memory.parameters + memory.optimizer;
  if (state_) state_->add_to(memory);
  if (!is_head()) memory.copied += memory.parameters + memory.optimizer - before;
  for (const Operation& one : log_) memory.buffers += bytes_of(one.gradient);
  for (const auto& [index, one] : early_) memory.buffers += bytes_of(one.gradient);
  for (const auto& [worker, read] : reads_) memory.buffers += bytes_in(read.keys);
  for (const Reply& reply : replies_) memory.buffers += bytes_in(reply.values);
}

// ---------------------------------------------------------------- the head: workers and members

void Replica::push(NodeId worker, const Push& push, KeyedValues gradient) {
  if (!server_.may_serve()) return;  // the worker sends it again
  // A worker pushes again only what nobody acknowledged: what has a later number than the last is new.
  const bool is_new = push.sequence > state_->sequence_of(worker);
  if (is_new) append({0, worker, push.sequence, push.clock, std::move(gradient), 0, {}});
  replies_.push_back({state_->index_of(worker), worker, Pushed{range_.id, chain_.epoch, push.sequence}, {}});
  release_replies();
}

void Replica::pull(NodeId worker, const Pull& pull, std::vector<uint64_t> keys) {
  if (!server_.may_serve()) return;
  Read read{pull.request, pull.clock, std::move(keys)};
  if (answer_read(worker, read))
    reads_.erase(worker);
  else
    reads_[worker] = std::move(read);
  release_replies();
}

void Replica::set_members(uint64_t version, std::vector<Member> members) {
  if (!is_head() || state_->members_version() >= version) return;
  // A range that was lost has forgotten all clocks: each worker counts from its next push.
  if (chain_.lost)
    for (Member& member : members) member.from_clock = kNoClock;
  append({0, 0, 0, 0, {}, version, members});
}

// A read waits for the slowest member, or for its own worker's push: others are not looked at each time.
void Replica::append(Operation operation) {
  operation.index = state_->index() + 1;
  const int64_t oldest = state_->oldest_clock();
  take(operation);
  if (operation.members_version != 0 || state_->oldest_clock() != oldest) {
    answer_reads();
  } else if (const auto own = reads_.find(operation.worker); own != reads_.end()) {
    if (answer_read(own->first, own->second)) reads_.erase(own);
  }
  release_replies();
}

void Replica::answer_reads() {
  std::erase_if(reads_, [&](const auto& read) { return answer_read(read.first, read.second); });
}

// A read that may see what is here copies it now, and leaves when all copies have it. False: it waits.
bool Replica::answer_read(NodeId worker, const Read& read) {
  if (!state_->may_read(worker, read.clock)) return false;
  const Pulled message{range_.id, read.request, state_->oldest_clock(), {}};
  replies_.push_back({state_->index(), worker, message, values_of(read.keys)});
  return true;
}

std::vector<float> Replica::values_of(const std::vector<uint64_t>& keys) const {
  if (keys.empty()) return state_->values();
  std::vector<float> values;
  values.reserve(keys.size());
  for (const uint64_t key : keys) values.push_back(state_->values()[key - range_.begin]);
  return values;
}

void Replica::release_replies() {
  for (; !replies_.empty() && replies_.front().index <= stored_; replies_.pop_front()) {
    if (!server_.may_serve()) continue;
    Reply& reply = replies_.front();
    if (const auto* pushed = std::get_if<Pushed>(&reply.message))
      server_.send(reply.worker, Pushed{range_.id, chain_.epoch, pushed->sequence});
    else
      server_.answer(reply.worker, std::get<Pulled>(reply.message), reply.values);
  }
}

// ---------------------------------------------------------------- the chain

// Applies an operation, and passes it on.
void Replica::take(const Operation& operation) {
  state_->apply(operation);
  if (is_tail()) return all_have(operation.index);
  const bool had_none = log_.empty();
  log_.push_back(operation);
  if (!next_holds_) return;
  server_.send(next(), Forward{range_.id, chain_.epoch, operation});
  if (had_none) resend_later(true);
}

void Replica::all_have(uint64_t index) {
  stored_ = std::max(stored_, index);
  while (!log_.empty() && log_.front().index <= stored_) log_.pop_front();
  if (is_head())
    release_replies();
  else
    server_.send(previous(), Stored{range_.id, chain_.epoch, stored_});
}

void Replica::receive(NodeId from, const Snapshot& snapshot) {
  if (!is_of_this_epoch(snapshot.epoch) || is_head() || from != previous()) return;
  if (holds()) {  // it came twice
    if (is_tail() || next_holds_) all_have(stored_);
    return;
  }
  RangeState state(cluster_, range_);
  state.load(snapshot.state);
  state_ = std::move(state);
  state_birth_ = chain_.birth;
  hold();
}

// One that overtook another waits for it.
void Replica::receive(NodeId from, const Forward& forward) {
  if (!is_of_this_epoch(forward.epoch) || !holds() || is_head() || from != previous()) return;
  const Operation& operation = forward.operation;
  if (operation.index <= state_->index()) {  // it came twice
    if (is_tail() || next_holds_) all_have(stored_);
    return;
  }
  if (operation.index > state_->index() + kWindow) return;  // it will come again
  check_operation(operation, range_);
  early_.emplace(operation.index, operation);
  while (!early_.empty() && early_.begin()->first == state_->index() + 1)
    take_forwarded(early_.extract(early_.begin()).mapped());
}

void Replica::take_forwarded(const Operation& operation) {
  const bool is_push = operation.members_version == 0;
  if (is_push &&
      (!state_->knows(operation.worker) || operation.sequence <= state_->sequence_of(operation.worker)))
    throw FrameError(FrameFault::kValue, "a forwarded push that nobody can have made");
  take(operation);
}

void Replica::receive(NodeId from, const Stored& stored) {
  if (!is_of_this_epoch(stored.epoch) || !holds() || is_tail() || from != next()) return;
  if (stored.index > state_->index()) throw FrameError(FrameFault::kValue, "stored, but never sent");
  const bool progress = !next_holds_ || stored.index > stored_;
  const bool first = !next_holds_;
  next_holds_ = true;
  all_have(stored.index);
  if (first && !log_.empty()) send_to_next();
  if (progress) resend_later(true);
}

// ---------------------------------------------------------------- what was lost

bool Replica::waits_for_next() const { return holds() && !is_tail() && (!next_holds_ || !log_.empty()); }

void Replica::send_to_next() {
  if (!next_holds_) return server_.send(next(), Snapshot{range_.id, chain_.epoch, state_->save()});
  for (size_t i = 0; i < std::min(log_.size(), kWindow); ++i)
    server_.send(next(), Forward{range_.id, chain_.epoch, log_[i]});
}

void Replica::resend_later(bool progress) {
  const int64_t least = cluster_.timing.resend_ns;
  resend_wait_ns_ = progress ? least : std::min(2 * resend_wait_ns_, 8 * least);
  resend_at_ns_ = server_.time_ns() + resend_wait_ns_;
}

void Replica::tick() {
  if (server_.time_ns() < deadline_ns()) return;
  send_to_next();
  resend_later(false);
}

}  // namespace ringside::inline ps
