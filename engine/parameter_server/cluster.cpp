#include "ringside/parameter_server/cluster.h"

#include <fmt/format.h>

#include "ringside/base/error.h"
#include "ringside/comm/process_group.h"

namespace ringside::inline ps {
namespace {

void require(bool holds, const std::string& message) {
  if (!holds) throw UsageError("parameter server: " + message);
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
    end = group.end;
    for (uint32_t r = 0; r < cluster.ranges; ++r) {
      const Chunk chunk = chunk_of(static_cast<int64_t>(group.end - group.begin),
                                   static_cast<int>(cluster.ranges), static_cast<int>(r));
      const uint64_t begin = group.begin + static_cast<uint64_t>(chunk.offset);
      ranges.push_back(
          {static_cast<uint32_t>(ranges.size()), begin, begin + static_cast<uint64_t>(chunk.count), g});
    }
  }
  return ranges;
}

}  // namespace ringside::inline ps
