#include "ringside/parameter_server/traffic.h"

#include <map>

#include "ringside/parameter_server/ring.h"
#include "ringside/parameter_server/simulated_cluster.h"

namespace ringside::inline ps {
namespace {

constexpr int64_t kRangeSequenceClock = sizeof(uint32_t) + 2 * sizeof(uint64_t);  // or request, or epoch
constexpr int64_t kPlain = static_cast<int64_t>(kHeaderBytes) + kRangeSequenceClock;
constexpr int64_t kWithBlock = kPlain + static_cast<int64_t>(least_bytes<Block>());

}  // namespace

std::vector<LedgerRow> predict_messages(const Cluster& cluster, int64_t clocks) {
  std::set<NodeId> servers;
  for (uint32_t i = 0; i < cluster.servers; ++i) servers.insert(kFirstServer + i);
  const Ring ring(servers);
  const std::vector<KeyRange> ranges = ranges_of(cluster);
  const int64_t workers = cluster.workers, count = std::ssize(ranges);
  std::map<std::pair<int64_t, std::string>, int64_t> bytes;  // by rank and kind
  for (const KeyRange& range : ranges) {
    const int64_t values = static_cast<int64_t>(sizeof(float) * range.size());
    const NodeId head = ring.chain(range.id, static_cast<uint32_t>(count), cluster.backups).front();
    const int64_t head_rank = workers + head - kFirstServer;
    for (int64_t worker = 0; worker < workers; ++worker) {
      bytes[{worker, "pull"}] += clocks * kWithBlock;
      bytes[{worker, "push"}] += clocks * (kWithBlock + values);
    }
    bytes[{head_rank, "pulled"}] += workers * clocks * (kWithBlock + values);
    bytes[{head_rank, "pushed"}] += workers * clocks * kPlain;
  }
  std::vector<LedgerRow> rows;
  for (const auto& [key, predicted] : bytes)
    rows.push_back({"traffic", "", static_cast<int>(key.first), key.second, "", "message", predicted, 0, {}});
  return rows;
}

}  // namespace ringside::inline ps
