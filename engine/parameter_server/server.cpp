#include "ringside/parameter_server/server.h"

#include <algorithm>
#include <utility>

namespace ringside::inline ps {

Server::Server(Endpoint& endpoint, const Cluster& cluster)
    : endpoint_(endpoint), cluster_(cluster), ranges_(ranges_of(cluster)) {}

void Server::tell_memory() {
  if (cluster_.observer == nullptr) return;
  NodeMemory memory{.node = self()};
  for (const auto& [range, replica] : replicas_) replica.add_to(memory);
  if (memory != std::exchange(told_, memory)) cluster_.observer->holds(memory);
}

// ---------------------------------------------------------------- from the scheduler

void Server::on(NodeId from, const Lease& lease) {
  if (from != kScheduler) return;
  check_clock(lease.sent_ns);  // a time of before
  // The scheduler's first table was made later, without this server.
  if (lease.table_version == 0 && lease.sent_ns >= said_leaving_ns_) never_in_ = true;
  lease_until_ns_ = std::max(lease_until_ns_, lease.sent_ns + cluster_.timing.lease_ns);
  lease_version_ = std::max(lease_version_, lease.table_version);
}

void Server::on(NodeId from, const Table& table) {
  if (from != kScheduler || table.version <= table_.version) return;
  check_table(table, ranges_.size());
  table_ = table;
  for (uint32_t range = 0; range < ranges_.size(); ++range) {
    const Chain& chain = table.chains[range];
    if (std::ranges::count(chain.nodes, self()) == 0) {
      replicas_.erase(range);
      continue;
    }
    Replica& replica = replicas_.try_emplace(range, *this, cluster_, ranges_[range]).first->second;
    if (chain.epoch > replica.epoch()) replica.adopt(chain);
    replica.set_members(table.members_version, table.members);
  }
}

// A lease for a later table says that this one may be out of date.
bool Server::may_serve() const { return time_ns() < lease_until_ns_ && table_.version >= lease_version_; }

// ---------------------------------------------------------------- from workers

Replica* Server::head_for(NodeId worker, uint32_t range) {
  const auto found = replicas_.find(range);
  if (found != replicas_.end() && found->second.is_head() && found->second.state()->is_member(worker))
    return &found->second;
  send(worker, Refused{range, table_.version});
  return nullptr;
}

std::optional<std::vector<uint64_t>> Server::keys_of(NodeId worker, uint32_t range, const Block& block) {
  auto keys = lists_.keys_of(block, cluster_.groups[ranges_[range].group].filters.key_caching);
  if (!keys) send(worker, UnknownKeys{range, block.signature});
  return keys;
}

void Server::on(NodeId from, const Push& push) {
  Replica* replica = head_for(from, push.range);
  if (replica == nullptr) return;
  auto keys = keys_of(from, push.range, push.block);
  if (!keys) return;
  KeyedValues gradient{push.block.key_form == KeyForm::kWhole, std::move(*keys), values_of(push.block)};
  check_clock(push.clock);
  check_keys(gradient, ranges_[push.range]);
  replica->push(from, push, std::move(gradient));
}

void Server::on(NodeId from, const Pull& pull) {
  Replica* replica = head_for(from, pull.range);
  if (replica == nullptr) return;
  auto keys = keys_of(from, pull.range, pull.block);
  if (!keys) return;
  check_keys(*keys, ranges_[pull.range]);
  replica->pull(from, pull, std::move(*keys));
}

void Server::answer(NodeId worker, Pulled read, const std::vector<float>& values) {
  const Filters& filters = cluster_.groups[ranges_[read.range].group].filters;
  put_values(read.block, values, filters.pulled, filters.zstd);
  send(worker, read);
}

// ---------------------------------------------------------------- time

void Server::tick() {
  if (time_ns() >= next_heartbeat_ns_) heartbeat();
  for (auto& [range, replica] : replicas_) replica.tick();
}

int64_t Server::deadline_ns() const {
  int64_t deadline = next_heartbeat_ns_;
  for (const auto& [range, replica] : replicas_) deadline = std::min(deadline, replica.deadline_ns());
  return deadline;
}

void Server::heartbeat() {
  next_heartbeat_ns_ = time_ns() + cluster_.timing.heartbeat_ns;
  if (leaving_) said_leaving_ns_ = std::min(said_leaving_ns_, time_ns());
  Heartbeat beat{
      .sent_ns = time_ns(), .table_version = table_.version, .is_server = true, .leaving = leaving_};
  for (const auto& [range, replica] : replicas_)
    if (replica.state_epoch() != 0) beat.held.push_back({range, replica.state_epoch()});
  send(kScheduler, beat);
}

void Server::ask_for_table() {
  if (time_ns() < asked_ns_ + cluster_.timing.resend_ns) return;
  asked_ns_ = time_ns();
  heartbeat();
}

bool Server::has_left() const { return leaving_ && (table_.version > 0 || never_in_) && replicas_.empty(); }

void Server::send(NodeId to, const Message& message) {
  endpoint_.send(to, encode(message, cluster_.world, self(), to));
}

}  // namespace ringside::inline ps
