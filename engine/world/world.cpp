#include "ringside/world/world.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "ringside/base/error.h"
#include "ringside/comm/observed_group.h"
#include "ringside/flight/words.h"

namespace ringside::inline world {
namespace {

constexpr int kLateShare = 10;  // a rank that has waited for a tenth of the deadline says so

GroupOptions group_options(const WorldOptions& options, const std::string& name, Wiring& wiring) {
  const auto own = options.group_timeout.find(name);
  GroupOptions group{.name = name,
                     .timeout = own == options.group_timeout.end() ? options.timeout : own->second,
                     .check = options.check,
                     .link = options.link};
  if (!options.check) return group;
  group.check_finite = true;
  group.late_after = group.timeout / kLateShare;
  group.on_blocked = [&wiring] { wiring.look_for_cycle(); };
  return group;
}

}  // namespace

World::World(const WorldOptions& options, Wiring& wiring, int rank, FlightRecorder& flight)
    : options_(options), wiring_(wiring), rank_(rank), flight_(flight) {}

World::~World() { drop_kept(); }

Recorder* World::recorder() const {
  return options_.recorders.empty() ? nullptr : options_.recorders[size_t(rank_)];
}

ProcessGroup& World::group(const std::string& name, std::vector<int> ranks) {
  if (ranks.empty()) {
    ranks.resize(size_t(size()));
    std::iota(ranks.begin(), ranks.end(), 0);
  }
  const auto found = groups_.find(name);
  if (found == groups_.end())
    return *groups_.emplace(name, Entry{ranks, connect(name, ranks)}).first->second.group;
  if (found->second.ranks != ranks)
    throw UsageError("rank {} is in group {} of {} already, and asks for one of {}", rank_, name,
                     flight::name_ranks(found->second.ranks), flight::name_ranks(ranks));
  return *found->second.group;
}

ProcessGroup& World::group(const Mesh& mesh, const std::vector<std::string_view>& dimensions) {
  if (mesh.ranks() != size())
    throw UsageError("mesh={} has {} ranks, and the run has {}", mesh.text(), mesh.ranks(), size());
  return group(fmt::format("{}", fmt::join(dimensions, "+")), mesh.group(rank_, dimensions));
}

std::unique_ptr<ProcessGroup> World::connect(const std::string& name, const std::vector<int>& ranks) {
  const bool ascend = std::ranges::adjacent_find(ranks, std::greater_equal<>()) == ranks.end();
  const auto self = std::ranges::find(ranks, rank_);
  if (!ascend || ranks.front() < 0 || ranks.back() >= size() || self == ranks.end())
    throw UsageError(
        "group {} of {}, asked for by rank {}: its ranks ascend, are of 0 to {} and hold the one that asks",
        name, flight::name_ranks(ranks), rank_, size() - 1);
  const int place = int(self - ranks.begin());
  std::unique_ptr<ProcessGroup> group = std::make_unique<ObservedGroup>(
      group_options(options_, name, wiring_), ranks, place, Observers{recorder(), &flight_},
      wiring_.connect(options_.hooks.prefix + name, ranks, place));
  if (faults() != nullptr) group = faults()->wrap(std::move(group));
  if (options_.hooks.wrap_group) group = options_.hooks.wrap_group(std::move(group));
  return group;
}

void World::abort(const std::string& reason) {
  wiring_.abort(rank_,
                {Failure::Kind::kPeerLost, {rank_}, fmt::format("rank {} aborted: {}", rank_, reason)});
  for (const auto& [name, entry] : groups_)
    entry.group->abort(reason);  // what wraps a handle may watch for it
  if (faults() != nullptr) faults()->wake();
}

void World::drop_kept() {
  while (!kept_.empty()) kept_.pop_back();
}

}  // namespace ringside::inline world
