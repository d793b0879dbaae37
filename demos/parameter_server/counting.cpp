#include "counting.h"

#include <fmt/format.h>

#include <algorithm>

#include "ringside/base/sha256.h"

namespace ringside {

Cluster counting_cluster(const PsNodeOptions& o) {
  Sha256 hash;
  hash.update(o.run);
  visit_fields(
      o, [&](const Field& field, auto value) { hash.update(fmt::format(" {}={}", field.name, value)); });
  constexpr int64_t kMs = 1'000'000;
  const int64_t dead_ns = o.dead * kMs;
  return {.groups = {{.name = "counts",
                      .end = o.keys,
                      .consistency = Consistency::kSsp,
                      .staleness = o.staleness,
                      .learning_rate = 1,
                      .filters = {.key_caching = true}}},
          .ranges = o.ranges,
          .backups = o.backups,
          .servers = o.servers,
          .workers = o.workers,
          .world = std::stoull(hash.hex().substr(0, 16), nullptr, 16),
          .timing = {.heartbeat_ns = dead_ns / 12,
                     .lease_ns = dead_ns / 6 * 5,
                     .dead_ns = dead_ns,
                     .give_up_ns = std::max(10'000 * kMs, 10 * dead_ns)}};
}

Counting::Counting(const Cluster& cluster, uint32_t rank, int64_t clocks)
    : rank_(rank),
      clocks_(clocks == 0 ? kNever : clocks),
      ranges_(ranges_of(cluster)),
      seen_(ranges_.size()) {
  for (uint64_t key = rank % cluster.workers; key < cluster.groups[0].end; key += cluster.workers)
    keys_.push_back(key);
}

WorkerTask Counting::task() {
  return {
      .clocks = clocks_,
      .keys = [this](int64_t) { return keys_; },
      // values - learning rate * gradient
      .gradient = [this](int64_t, const std::vector<float>&) { return std::vector<float>(keys_.size(), -1); },
      .on_read = [this](int64_t clock, const Client& client) { look_at(clock, client); }};
}

// A read holds all that was acknowledged when the one before it came, and no more than was pushed.
void Counting::look_at(int64_t clock, const Client& client) {
  size_t place = 0;
  for (const KeyRange& range : ranges_) {
    const int64_t least = seen_[range.id];
    for (; place < keys_.size() && keys_[place] < range.end; ++place) {
      const auto value = int64_t(client.values()[place]);
      if ((value >= least && value <= clock) || !wrong_.empty()) continue;
      wrong_ = fmt::format("worker {} reads {} in key {}: it pushed {} times, {} of them were acknowledged",
                           rank_, value, keys_[place], clock, least);
    }
    seen_[range.id] = client.acknowledged(range.id);
  }
}

int64_t Counting::acknowledged(const Client& client) const {
  int64_t least = kNever;
  for (const KeyRange& range : ranges_) least = std::min(least, client.acknowledged(range.id));
  return least;
}

}  // namespace ringside
