#include "ringside/parameter_server/scheduler.h"

#include <algorithm>

#include <fcntl.h>
#include <unistd.h>
#include "ringside/base/atomic_file.h"
#include "ringside/base/read_file.h"

namespace ringside::inline ps {
namespace {

constexpr uint16_t kTableType = 0xFF00;  // no message has it

// The rename itself is on the disk when its folder is.
void flush_folder_of(const std::filesystem::path& path) {
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // a folder that may be written and not read
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

// What a scheduler must not forget.
struct Scheduler::Saved {
  Table table = {};
  std::vector<Peer> peers = {};                                    // that live
  std::vector<std::vector<NodeId>> holders = {}, never_held = {};  // by range
  std::vector<RangeLoss> losses = {};
};

Scheduler::Scheduler(Endpoint& endpoint, const Cluster& cluster, SchedulerDisk* disk)
    : endpoint_(endpoint),
      cluster_(cluster),
      disk_(disk),
      ranges_(uint32_t(ranges_of(cluster).size())),
      began_ns_(endpoint.now_ns()),
      holders_(ranges_),
      never_held_(ranges_),
      confirmed_(ranges_),
      orphan_since_ns_(ranges_, kNever) {
  if (disk_ == nullptr) return;
  if (const Bytes bytes = disk_->load(); !bytes.empty()) load(bytes);
}

void Scheduler::on(NodeId from, const Heartbeat& beat) {
  const bool joins_late = table_.version > 0;
  const auto [found, is_new] = peers_.try_emplace(from);
  Peer& peer = found->second;
  peer.id = from;
  if (is_new) peer.from_clock = joins_late ? -1 : 0;
  peer.is_server = beat.is_server;
  peer.is_alive = true;
  peer.leaving = beat.leaving;
  peer.rank = beat.rank;
  peer.heard_ns = endpoint_.now_ns();
  for (const Held& held : beat.held)
    if (held.range < table_.chains.size()) note_held(from, held);
  send(from, Lease{beat.sent_ns, table_.version});
  if (beat.table_version < table_.version) send_table(from);
}

void Scheduler::tick() {
  next_look_ns_ = endpoint_.now_ns() + cluster_.timing.heartbeat_ns;
  note_deaths();
  if (table_.chains.empty()) first_table();
  if (table_.chains.empty()) return;
  move_ranges();
  set_members();
  publish();
}

// A server lost its lease before it counts as dead here: it heard its last answer before it was heard last.
void Scheduler::note_deaths() {
  for (auto& [id, peer] : peers_)
    if (endpoint_.now_ns() - peer.heard_ns >= cluster_.timing.dead_ns) peer.is_alive = false;
}

// Of all that are expected; of those that are there where the others do not come. Who leaves is not expected.
void Scheduler::first_table() {
  const std::set<NodeId> servers = living_servers(true);
  const auto works = [](const auto& peer) { return !peer.second.is_server && peer.second.is_alive; };
  const auto workers = std::ranges::count_if(peers_, works);
  const bool all = servers.size() >= cluster_.servers && workers >= int64_t{cluster_.workers};
  const bool waits = endpoint_.now_ns() - began_ns_ < cluster_.timing.give_up_ns;
  if (servers.empty() || workers == 0 || (!all && waits)) return;
  const Ring ring(servers);
  table_.chains.resize(ranges_);
  for (uint32_t range = 0; range < ranges_; ++range) bear(range, wanted(ring, range));
}

// ---------------------------------------------------------------- ranges

std::vector<NodeId> Scheduler::wanted(const Ring& ring, uint32_t range) const {
  return ring.chain(range, ranges_, cluster_.backups);
}

void Scheduler::move_ranges() {
  const Ring ring(living_servers(true));
  const std::set<NodeId> alive = living_servers(false);
  if (ring.points().empty()) return;
  for (uint32_t range = 0; range < ranges_; ++range) {
    const std::vector<NodeId>& chain = table_.chains[range].nodes;
    const auto lives = [&](NodeId id) { return alive.contains(id); };
    if (std::ranges::none_of(chain, [&](NodeId id) { return lives(id) && holders_[range].contains(id); })) {
      wait_or_give_up(range, wanted(ring, range));
      continue;
    }
    orphan_since_ns_[range] = kNever;
    // A head that is dropped must know that it is none: no step before all have said that they are in this
    // epoch.
    if (std::ranges::all_of(chain, lives) && !is_confirmed(range)) continue;
    const std::vector<NodeId> next = next_chain(chain, holders_[range], alive, wanted(ring, range));
    if (next != chain) set_chain(range, next);
  }
}

void Scheduler::wait_or_give_up(uint32_t range, const std::vector<NodeId>& wanted) {
  const int64_t now = endpoint_.now_ns();
  orphan_since_ns_[range] = std::min(orphan_since_ns_[range], now);
  const bool untouched = is_untouched(range);
  if (!untouched && now - orphan_since_ns_[range] < cluster_.timing.give_up_ns) return;
  Chain& chain = table_.chains[range];
  if (!untouched) {
    losses_.push_back({range, chain.epoch, now, chain.nodes});
    if (cluster_.observer != nullptr) cluster_.observer->lost(losses_.back());
    chain.lost = true;
  }
  orphan_since_ns_[range] = kNever;
  bear(range, wanted);
}

// An epoch acknowledges nothing before all its members hold it. So nothing was ever acknowledged if a server
// that was in all chains since the range was born, and was heard since its last holder died, never held it.
bool Scheduler::is_untouched(uint32_t range) const {
  return std::ranges::any_of(never_held_[range], [&](NodeId id) {
    const auto peer = peers_.find(id);
    return peer != peers_.end() && peer->second.is_alive && peer->second.heard_ns > orphan_since_ns_[range];
  });
}

void Scheduler::note_held(NodeId server, const Held& held) {
  const Chain& chain = table_.chains[held.range];
  const bool is_in = std::ranges::count(chain.nodes, server) > 0;
  if (held.epoch >= chain.birth) never_held_[held.range].erase(server);
  if (held.epoch != chain.epoch || !is_in) return;
  holders_[held.range].insert(server);
  confirmed_[held.range].insert(server);
}

// The chain of a new epoch. Who held the last one has all that was acknowledged.
void Scheduler::set_chain(uint32_t range, std::vector<NodeId> nodes) {
  Chain& chain = table_.chains[range];
  ++chain.epoch;
  chain.nodes = std::move(nodes);
  confirmed_[range].clear();
  const auto is_out = [&](NodeId id) { return std::ranges::count(chain.nodes, id) == 0; };
  std::erase_if(holders_[range], is_out);
  std::erase_if(never_held_[range], is_out);
  changed_ = true;
}

// A range begins with its initial values, which its head alone has.
void Scheduler::bear(uint32_t range, std::vector<NodeId> nodes) {
  set_chain(range, std::move(nodes));
  Chain& chain = table_.chains[range];
  chain.birth = chain.epoch;
  holders_[range] = {chain.nodes.front()};
  never_held_[range] = {chain.nodes.begin() + 1, chain.nodes.end()};
}

std::set<NodeId> Scheduler::living_servers(bool staying) const {
  std::set<NodeId> servers;
  for (const auto& [id, peer] : peers_)
    if (peer.is_server && peer.is_alive && !(staying && peer.leaving)) servers.insert(id);
  return servers;
}

bool Scheduler::is_settled() const {
  if (table_.version == 0) return false;
  const Ring ring(living_servers(true));
  for (uint32_t range = 0; range < ranges_; ++range) {
    const std::vector<NodeId>& nodes = table_.chains[range].nodes;
    if (nodes != wanted(ring, range) || !is_confirmed(range)) return false;
  }
  return true;
}

// ---------------------------------------------------------------- the table

void Scheduler::set_members() {
  std::vector<Member> members;
  for (const auto& [id, peer] : peers_)
    if (!peer.is_server && peer.is_alive) members.push_back({id, peer.rank, peer.from_clock});
  if (members == table_.members) return;
  table_.members = members;
  table_.members_version = table_.version + 1;
  changed_ = true;
}

void Scheduler::publish() {
  if (!changed_) return;
  changed_ = false;
  ++table_.version;
  save();
  if (cluster_.observer != nullptr) cluster_.observer->published(table_);
  for (const auto& [id, peer] : peers_)
    if (peer.is_alive) send_table(id);
}

// A worker reads of the members whether it is one: the others' names would make 10,000 tables of 10,000 rows.
void Scheduler::send_table(NodeId to) {
  if (peers_.at(to).is_server) return send(to, table_);
  Table table{table_.version, table_.chains, table_.members_version, {}};
  const auto own = std::ranges::lower_bound(table_.members, to, {}, &Member::worker);
  if (own != table_.members.end() && own->worker == to) table.members.push_back(*own);
  send(to, table);
}

void Scheduler::save() const {
  if (disk_ == nullptr) return;
  Saved saved{.table = table_, .losses = losses_};
  for (const auto& [id, peer] : peers_)
    if (peer.is_alive) saved.peers.push_back(peer);
  for (const std::set<NodeId>& nodes : holders_) saved.holders.emplace_back(nodes.begin(), nodes.end());
  for (const std::set<NodeId>& nodes : never_held_) saved.never_held.emplace_back(nodes.begin(), nodes.end());
  Writer writer;
  writer(saved);
  disk_->save(writer.take());
}

void Scheduler::load(const Bytes& bytes) {
  Saved saved;
  Reader reader(bytes);
  reader(saved);
  reader.end();
  if (saved.table.chains.size() != ranges_ || saved.holders.size() != ranges_ ||
      saved.never_held.size() != ranges_)
    throw FrameError(FrameFault::kValue, "what the scheduler saved is of other ranges");
  table_ = saved.table;
  losses_ = saved.losses;
  for (uint32_t range = 0; range < ranges_; ++range) {
    holders_[range] = {saved.holders[range].begin(), saved.holders[range].end()};
    never_held_[range] = {saved.never_held[range].begin(), saved.never_held[range].end()};
  }
  for (const Peer& peer : saved.peers) {
    peers_[peer.id] = peer;
    peers_[peer.id].heard_ns = endpoint_.now_ns();
  }
}

void Scheduler::send(NodeId to, const Message& message) {
  endpoint_.send(to, encode(message, cluster_.world, endpoint_.id(), to));
}

void SchedulerFile::save(const Bytes& bytes) {
  const Bytes frame = seal({kTableType, world_, kScheduler, kScheduler, bytes});
  write_file_atomically(path_, [&](std::ostream& out) {
    out.write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(frame.size()));
  });
  flush_folder_of(path_);
}

Bytes SchedulerFile::load() const {
  if (!std::filesystem::exists(std::filesystem::symlink_status(path_))) return {};
  const std::string text = read_file(path_, kHeaderBytes + kMostPayload);
  const std::span bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  try {
    const Frame frame = open(bytes, world_);
    if (frame.type != kTableType) throw FrameError(FrameFault::kType, "a frame that is no saved table");
    return {frame.payload.begin(), frame.payload.end()};
  } catch (const FrameError& error) {
    throw InputError("{}: is no scheduler's table of this run: {}. Name another file, or move this one away",
                     path_.string(), error.what());
  }
}

}  // namespace ringside::inline ps
