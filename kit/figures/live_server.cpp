// Nodes of a parameter server: what they are called, and which workers wait for whom.
#include <algorithm>
#include <iterator>
#include <sstream>

#include "ringside/figures/in_time.h"
#include "ringside/figures/live.h"
#include "ringside/lesson/tr.h"
#include "ringside/trace/measure.h"
#include "ringside/trace/server_rows.h"

namespace ringside::figure {
namespace {

std::vector<int> ranks_in(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<int>(words), {}};
}

// The last of them that is of the instant or earlier.
template <typename T>
const T* last_until(const std::vector<T>& all, int64_t time_ns, auto T::*time) {
  const auto after = std::ranges::upper_bound(all, time_ns, {}, time);
  return after == all.begin() ? nullptr : &*std::prev(after);
}

}  // namespace

std::string node_name(const RowEvent& row) {
  const auto node = row_as<ServerNode>(row);
  if (!node) return "";
  return node->role == "scheduler" ? node->role : tr("{} {}", node->role, node->number);
}

std::string name_of_rank(const SectionView& section, int rank) {
  constexpr size_t kFirst = 16;
  const auto rows = section.rows(rank);
  for (size_t i = 0; i < std::min(rows.size(), kFirst); ++i)
    if (std::string name = node_name(rows[i]); !name.empty()) return name;
  return tr("rank {}", rank);
}

void LiveIndex::take_server_row(Rank& rank, const RowEvent& row) {
  if (std::string name = node_name(row); !name.empty())
    rank.name = std::move(name);
  else if (const auto push = row_as<WorkerPush>(row))
    rank.clocks.push_back({row.time_ns, push->clock + 1, true});
  else if (const auto read = row_as<WorkerRead>(row))
    rank.clocks.push_back({row.time_ns, read->clock, false});
  else if (const auto waited = row_as<WaitedFor>(row))
    members_.emplace_back(row.time_ns, ranks_in(waited->workers));
  else if (const auto chain = row_as<RangeChain>(row))
    heads_[chain->range].emplace_back(row.time_ns, ranks_in(chain->nodes));
}

const LiveIndex::Clock* LiveIndex::clock_of(int rank, int64_t time_ns) const {
  return last_until(ranks_[size_t(rank)].clocks, time_ns, &Clock::time_ns);
}

bool LiveIndex::has_gone(int rank, int64_t time_ns) const {
  const auto ended = section_->life(rank).ended_ns;
  return ended && *ended <= time_ns;
}

// The slower workers without which nobody may begin the iteration `pushed`; where there are none, servers
// that are gone and still serve a range; where there are none either, an answer is on its way.
std::vector<int> LiveIndex::waited_for(int64_t pushed, int64_t time_ns) const {
  std::vector<int> missing;
  const auto staleness = number_in(*section_, kStaleness);
  const RanksFrom* members = last_until(members_, time_ns, &RanksFrom::first);
  if (staleness && *staleness >= 0 && members != nullptr) {
    for (const int rank : members->second) {
      const Clock* clock = clock_of(rank, time_ns);
      const bool is_new = clock == nullptr && section_->life(rank).began_ns;  // it counts from its first push
      if (!is_new && double(clock == nullptr ? 0 : clock->pushed) + *staleness < double(pushed))
        missing.push_back(rank);
    }
  }
  for (const auto& [range, heads] : heads_) {
    const RanksFrom* now = missing.empty() ? last_until(heads, time_ns, &RanksFrom::first) : nullptr;
    if (now != nullptr && !now->second.empty() && has_gone(now->second[0], time_ns)) return {now->second[0]};
  }
  return missing;
}

std::vector<LiveWait> LiveIndex::server_waits(int64_t time_ns) const {
  std::vector<LiveWait> all;
  for (int rank = 0; rank < ranks(); ++rank) {
    const Clock* clock = clock_of(rank, time_ns);
    if (clock == nullptr || !clock->waits || has_gone(rank, time_ns)) continue;
    std::vector<int> missing = waited_for(clock->pushed, time_ns);
    auto found = std::ranges::find(all, missing, &LiveWait::missing);
    if (found == all.end()) {
      found = all.emplace(found);
      found->missing = std::move(missing);
    }
    found->ranks.push_back(rank);
    if (const int64_t waited_ns = time_ns - clock->time_ns; waited_ns >= found->waited_ns)
      found->waited_ns = waited_ns, found->call = clock->pushed;
  }
  return all;
}

}  // namespace ringside::figure
