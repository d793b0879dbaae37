#include "ringside/parameter_server/cluster.h"

#include <fmt/format.h>

#include <algorithm>

#include "ringside/base/error.h"
#include "ringside/comm/process_group.h"

namespace ringside::inline ps {
namespace {

void require(bool holds, const std::string& message) {
  if (!holds) throw UsageError("parameter server: " + message);
}

// Bytes that a key takes in the largest message of its range: a push that lists its keys, or the snapshot for
// the next copy, in which under BSP a gradient of each other worker may wait.
uint64_t most_bytes_of_key(const Cluster& cluster, const KeyGroup& group) {
  const bool may_wait = group.consistency == Consistency::kBsp && cluster.backups > 0;
  const uint64_t numbers =
      1 + make_optimizer(group.optimizer).state().size() + (may_wait ? cluster.workers - 1 : 0);
  const size_t pushed = group.filters.pushed == ValueForm::kFloat64 ? sizeof(double) : sizeof(float);
  return std::max<uint64_t>(sizeof(float) * numbers, sizeof(uint64_t) + pushed);
}

// A receiver drops a frame that is too large, for ever.
void require_fits(const Cluster& cluster, const KeyGroup& group) {
  constexpr uint64_t kBeside = 1024, kOfWorker = 64;  // bytes of a message that are no key's
  const uint64_t keys = group.end - group.begin, beside = kBeside + kOfWorker * cluster.workers;
  const uint64_t of_key = most_bytes_of_key(cluster, group);
  require(beside + of_key <= kMostPayload,
          fmt::format("workers={}: messages of a range would be too large", cluster.workers));
  const uint64_t most_keys = (kMostPayload - beside) / of_key, needed = (keys + most_keys - 1) / most_keys;
  require(
      cluster.ranges >= needed,
      fmt::format("group {}: {} keys in ranges={} take messages of more than {} bytes: it takes ranges={} "
                  "at least",
                  group.name, keys, cluster.ranges, kMostPayload, needed));
}

}  // namespace

std::vector<KeyRange> ranges_of(const Cluster& cluster) {
  require(cluster.ranges >= 1 && cluster.servers >= 1 && cluster.workers >= 1,
          "ranges, servers and workers are 1 at least");
  require(cluster.backups <= 2, fmt::format("backups={}: allowed are 0, 1 and 2", cluster.backups));
  require(cluster.timing.dead_ns > cluster.timing.lease_ns,
          "a server must lose its lease before it counts as dead");
  std::vector<KeyRange> ranges;
  uint64_t end = 0;
  for (size_t g = 0; g < cluster.groups.size(); ++g) {
    const KeyGroup& group = cluster.groups[g];
    require(group.begin >= end && group.end > group.begin,
            fmt::format("the keys of group {} are no range behind those before", group.name));
    require(
        make_optimizer(group.optimizer).is_elementwise(),
        fmt::format("optimizer={} has to see whole parameters; a server has ranges", group.optimizer.name));
    require_fits(cluster, group);
    end = group.end;
    for (uint32_t r = 0; r < cluster.ranges; ++r) {
      const Chunk chunk = chunk_of(int64_t(group.end - group.begin), int(cluster.ranges), int(r));
      const uint64_t begin = group.begin + uint64_t(chunk.offset);
      ranges.push_back({static_cast<uint32_t>(ranges.size()), begin, begin + uint64_t(chunk.count), g});
    }
  }
  return ranges;
}

}  // namespace ringside::inline ps
