// Which end of a message left one out. Messages from one rank to another are paired in order, so that a call
// left out at one end pairs each that follows with the wrong one:
//
//   sends      -  m1 m2 m3        m0 is left out: the receive of m0 gets m1
//   receives   m0 m1 m2 m3
//
// Where the last one is left out, nothing follows. Two ranks then wait for each other, and what each of them
// did of the same unit ("micro 3") before it made such a call may tell.
#include <algorithm>
#include <tuple>

#include "analysis.h"

namespace ringside::inline flight {
namespace {

// What the two ends of a message have in common.
auto content_of(const FlightEntry& entry) {
  const int64_t elements = entry.op == Op::kSend ? entry.elements_in : entry.elements_out;
  return std::tuple(entry.dtype, elements, entry.tag, entry.unit);
}

using EntryList = std::vector<const FlightEntry*>;

// What `rank` called in the lane from this message on.
EntryList calls_from(const Calls& calls, const Call& call, int rank) {
  EntryList entries;
  const auto first = std::ranges::find_if(calls.calls, [&](const Call& one) { return &one == &call; });
  for (auto next = first; next != calls.calls.end() && next->lane == call.lane; ++next)
    if (const auto entry = next->by_rank.find(rank); entry != next->by_rank.end())
      entries.push_back(entry->second);
  return entries;
}

// Whether `ahead`'s first is `behind`'s second, and so on, as far as both go.
bool one_ahead(const EntryList& ahead, const EntryList& behind) {
  const size_t both = std::min(ahead.size(), behind.size() - std::min<size_t>(1, behind.size()));
  for (size_t i = 0; i < both; ++i)
    if (content_of(*ahead[i]) != content_of(*behind[i + 1])) return false;
  return both > 0;
}

// What a rank calls in one lane under one tag, for unit after unit.
using Series = std::pair<Lane, std::string_view>;

// The last call before `end` of the same unit in another series.
const FlightEntry* before_it(const Calls& calls, int rank, const std::vector<FlightEntry>& all, size_t end,
                             const Series& series) {
  for (size_t i = end; i-- > 0;) {
    if (all[i].unit != all[end].unit) continue;
    const Series other(calls.lane_of(rank, all[i]), all[i].tag);
    return other == series ? nullptr : &all[i];
  }
  return nullptr;
}

// What the rank did of each unit before it made the call that it is waited for in: if it has done that of
// this unit, it left the call out, else it has not come to it.
Habit habit_of(const Calls& calls, int rank, const Call& missed) {
  if (!missed.lane.p2p() || missed.by_rank.empty()) return Habit::kUnknown;
  const FlightEntry& wanted = *missed.by_rank.begin()->second;
  const Series series(missed.lane, wanted.tag);
  std::optional<Series> always;  // comes before
  size_t last = 0;               // behind the last call of this very unit, of an earlier round
  const std::vector<FlightEntry>& all = calls.dumps.at(rank)->entries;
  for (size_t i = 0; i < all.size(); ++i) {
    if (Series(calls.lane_of(rank, all[i]), all[i].tag) != series) continue;
    if (all[i].unit == wanted.unit) last = i + 1;
    const FlightEntry* before = before_it(calls, rank, all, i, series);
    if (before == nullptr) return Habit::kUnknown;
    const Series of(calls.lane_of(rank, *before), before->tag);
    if (always && *always != of) return Habit::kUnknown;
    always = of;
  }
  if (!always) return Habit::kUnknown;
  for (size_t i = last; i < all.size(); ++i)
    if (all[i].unit == wanted.unit && all[i].state == CollectiveState::kCompleted &&
        Series(calls.lane_of(rank, all[i]), all[i].tag) == *always)
      return Habit::kBroken;
  return Habit::kKept;
}

}  // namespace

// One side broke with it, or all others kept to it.
const Side* odd_side_by_messages(const Calls& calls, const std::vector<Side>& sides) {
  std::vector<const Side*> broken, not_kept;
  for (const Side& side : sides) {
    if (side.ranks.size() != 1) return nullptr;
    const Habit habit = habit_of(calls, side.ranks.front(), *side.missed);
    if (habit == Habit::kBroken) broken.push_back(&side);
    if (habit != Habit::kKept) not_kept.push_back(&side);
  }
  if (broken.size() == 1) return broken.front();
  return broken.empty() && not_kept.size() == 1 ? not_kept.front() : nullptr;
}

std::optional<LeftOut> message_left_out(const Calls& calls, const Call& call) {
  if (!call.lane.p2p() || call.by_rank.size() != 2) return std::nullopt;
  const EntryList sends = calls_from(calls, call, call.lane.from),
                  receives = calls_from(calls, call, call.lane.to);
  const bool sender_ahead = one_ahead(sends, receives), receiver_ahead = one_ahead(receives, sends);
  if (sender_ahead == receiver_ahead) return std::nullopt;
  return sender_ahead ? LeftOut{call.lane.from, receives.front()} : LeftOut{call.lane.to, sends.front()};
}

}  // namespace ringside::inline flight
