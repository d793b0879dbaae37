#include "ringside/parameter_server/client.h"

#include <algorithm>

#include "ringside/base/check.h"
#include "ringside/parameter_server/filters.h"

namespace ringside::inline ps {
namespace {

// Those of the rising `keys` from `place` on that lie before the range's end; `place` is behind them then.
std::vector<uint64_t> own_keys(const KeyRange& range, const std::vector<uint64_t>& keys, size_t& place) {
  const auto begin = keys.begin() + std::ptrdiff_t(place);
  const auto end = std::lower_bound(begin, keys.end(), range.end);
  place += size_t(end - begin);
  return {begin, end};
}

}  // namespace

Client::Client(Endpoint& endpoint, const Cluster& cluster, uint32_t rank)
    : endpoint_(endpoint),
      cluster_(cluster),
      rank_(rank),
      ranges_(ranges_of(cluster)),
      slots_(ranges_.size()) {}

std::optional<int64_t> Client::membership() const {
  for (const Member& member : table_.members)
    if (member.worker == endpoint_.id()) return member.from_clock;
  return std::nullopt;
}

void Client::add_to(NodeMemory& memory) const {
  memory.parameters += bytes_in(values_);
  for (const Slot& slot : slots_) {
    for (const Push& push : slot.pushes) {
      memory.gradients += bytes_in(push.block.values);
      memory.buffers += bytes_in(push.block.keys);
    }
    if (slot.pull.waits) memory.buffers += bytes_in(slot.pulled.block.keys);
  }
}

// ---------------------------------------------------------------- pull

void Client::pull(int64_t clock, const std::vector<uint64_t>& keys) {
  RINGSIDE_CHECK_EQ(pulls_left_, size_t{0});
  ++request_;
  values_.assign(keys.empty() ? ranges_.back().end - ranges_.front().begin : keys.size(), 0);
  oldest_ = kNever;
  newest_ = kNoClock;
  size_t place = 0;
  for (const KeyRange& range : ranges_) {
    Slot& slot = slots_[range.id];
    slot.begin = keys.empty() ? range.begin - ranges_.front().begin : place;
    const std::vector<uint64_t> own = own_keys(range, keys, place);
    slot.count = keys.empty() ? range.size() : own.size();
    if (slot.count == 0) continue;
    slot.pulled = {range.id, request_, clock, block_of_keys(keys.empty(), own)};
    slot.pull.waits = true;
    ++pulls_left_;
    send_pull(range.id, false);
  }
}

void Client::on(NodeId from, const Pulled& pulled) {
  if (pulled.range >= slots_.size()) return;
  Slot& slot = slots_[pulled.range];
  if (!slot.pull.waits || pulled.request != request_) return;  // an earlier one, or it came twice
  check_clock(pulled.oldest);
  const std::vector<float> read = values_of(pulled.block);
  if (read.size() != slot.count) throw FrameError(FrameFault::kValue, "another number of values than asked");
  lists_.answered(slot.pulled.block, from);
  std::ranges::copy(read, values_.begin() + std::ptrdiff_t(slot.begin));
  oldest_ = std::min(oldest_, pulled.oldest);
  newest_ = std::max(newest_, pulled.oldest);
  slot.pull.waits = false;
  --pulls_left_;
}

void Client::send_pull(uint32_t range, bool again) {
  send(range, slots_[range].pull, slots_[range].pulled, again);
}

// ---------------------------------------------------------------- push

void Client::push(int64_t clock, const std::vector<float>& values, const std::vector<uint64_t>& keys) {
  size_t place = 0;
  for (const KeyRange& range : ranges_) {
    const size_t first = place;
    KeyedValues part{.whole = keys.empty(), .keys = own_keys(range, keys, place)};
    if (part.whole) place += range.size();
    part.values.assign(values.begin() + std::ptrdiff_t(first), values.begin() + std::ptrdiff_t(place));
    Slot& slot = slots_[range.id];
    const KeyedValues passed = slot.kept_back.pass(filters(range.id), part, range.begin, range.size());
    slot.pushes.push_back({range.id, ++slot.sequence, clock, block_of_keys(passed.whole, passed.keys)});
    put_values(slot.pushes.back().block, passed.values, filters(range.id).pushed, filters(range.id).zstd);
    if (!slot.push.waits) send_push(range.id, false);
  }
  RINGSIDE_CHECK_EQ(place, values.size());
}

void Client::on(NodeId from, const Pushed& pushed) {
  if (pushed.range >= slots_.size()) return;
  Slot& slot = slots_[pushed.range];
  if (!slot.push.waits || pushed.sequence != slot.pushes.front().sequence) return;  // it came twice
  slot.acknowledged = pushed.sequence;
  lists_.answered(slot.pushes.front().block, from);
  slot.pushes.pop_front();
  slot.push.waits = false;
  if (!slot.pushes.empty()) send_push(pushed.range, false);
}

void Client::send_push(uint32_t range, bool again) {
  slots_[range].push.waits = true;
  send(range, slots_[range].push, slots_[range].pushes.front(), again);
}

bool Client::pushing() const {
  return std::ranges::any_of(slots_, [](const Slot& slot) { return !slot.pushes.empty(); });
}

// ---------------------------------------------------------------- the table, and what was not answered

// To the range's head, once there is a table; and says when to send it again.
template <typename Request>
void Client::send(uint32_t range, Call& call, Request request, bool again) {
  const int64_t least = cluster_.timing.resend_ns;
  call.resend_wait_ns = again ? std::min(2 * call.resend_wait_ns, 8 * least) : least;
  call.resend_at_ns = endpoint_.now_ns() + call.resend_wait_ns;
  if (table_.version == 0) return;
  call.sent_to = table_.chains[range].nodes.front();
  if (filters(range).key_caching) request.block = lists_.shortened(request.block, call.sent_to);
  endpoint_.send(call.sent_to, encode(request, cluster_.world, endpoint_.id(), call.sent_to));
}

void Client::on(NodeId from, const Table& table) {
  if (from != kScheduler || table.version <= table_.version) return;
  check_table(table, ranges_.size());
  table_ = table;
  for (uint32_t range = 0; range < slots_.size(); ++range) {
    const NodeId head = table_.chains[range].nodes.front();
    if (slots_[range].push.waits && slots_[range].push.sent_to != head) send_push(range, false);
    if (slots_[range].pull.waits && slots_[range].pull.sent_to != head) send_pull(range, false);
  }
}

void Client::on(NodeId, const Refused&) {
  if (endpoint_.now_ns() < asked_ns_ + cluster_.timing.resend_ns) return;
  asked_ns_ = endpoint_.now_ns();
  heartbeat();
}

void Client::on(NodeId from, const UnknownKeys& unknown) {
  if (unknown.range >= slots_.size()) return;
  lists_.unknown(unknown.signature, from);
  const Slot& slot = slots_[unknown.range];
  if (slot.push.waits && slot.pushes.front().block.signature == unknown.signature)
    send_push(unknown.range, false);
  if (slot.pull.waits && slot.pulled.block.signature == unknown.signature) send_pull(unknown.range, false);
}

void Client::tick() {
  const int64_t now = endpoint_.now_ns();
  if (now >= next_heartbeat_ns_) heartbeat();
  for (uint32_t range = 0; range < slots_.size(); ++range) {
    if (slots_[range].push.waits && now >= slots_[range].push.resend_at_ns) send_push(range, true);
    if (slots_[range].pull.waits && now >= slots_[range].pull.resend_at_ns) send_pull(range, true);
  }
}

int64_t Client::deadline_ns() const {
  int64_t deadline = next_heartbeat_ns_;
  for (const Slot& slot : slots_) {
    if (slot.push.waits) deadline = std::min(deadline, slot.push.resend_at_ns);
    if (slot.pull.waits) deadline = std::min(deadline, slot.pull.resend_at_ns);
  }
  return deadline;
}

void Client::heartbeat() {
  next_heartbeat_ns_ = endpoint_.now_ns() + cluster_.timing.heartbeat_ns;
  const Heartbeat beat{.sent_ns = endpoint_.now_ns(), .table_version = table_.version, .rank = rank_};
  endpoint_.send(kScheduler, encode(beat, cluster_.world, endpoint_.id(), kScheduler));
}

}  // namespace ringside::inline ps
