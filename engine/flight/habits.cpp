// What a rank should have called, by what it called before.
//
// Rounds: where a rank has called the same things kRounds times in a row, the next round shows what it leaves
// out. Sisters: two groups of one shape within a larger one, whose ranks have called the same things so far,
// kSisterCalls times in each at least.
//
// That a program goes on as it did is no proof: it may leave a loop just there, and what ranks call then may
// look like a round with a call left out. So a side is odd only where its ranks left out the very call that
// they are waited for in, all other sides did what was expected of them, and a rank outside of the dispute
// waits with the odd one at the right place of its own rounds. A call that was never made before tells
// nothing.
#include <algorithm>
#include <functional>
#include <optional>

#include "analysis.h"

namespace ringside::inline flight {
namespace {

constexpr size_t kRounds = 3;
constexpr std::ptrdiff_t kSisterCalls = 3;
constexpr size_t kLookedAt = 512;  // of a rank's newest calls
constexpr size_t kMayGoOn = 64;  // calls that a rank makes after the one that it left out, before it is stuck
constexpr size_t kMostAsked = 64;  // ranks of no side: a world may be large

// What a rank calls, but for the number. `group` is renamed where two groups are compared.
struct Step {
  size_t group = 0;
  Op op = Op::kBarrier;
  Dtype dtype = Dtype::kUInt8;
  int64_t in = 0, out = 0;
  int peer = -1;
  std::string_view tag{}, unit{};
  auto operator<=>(const Step&) const = default;
};

Step step_of(size_t group, const FlightEntry& entry) {
  return {group,      entry.op,  entry.dtype, entry.elements_in, entry.elements_out,
          entry.peer, entry.tag, entry.unit};
}

// One rank's calls, the oldest first, as small numbers: alike where the steps are.
struct History {
  std::vector<int> steps;
  std::vector<const FlightEntry*> entries;

  size_t size() const { return steps.size(); }
  size_t place_of(const FlightEntry* entry) const {
    return size_t(std::ranges::find(entries, entry) - entries.begin());
  }
};

History history_of(const Calls& calls, int rank) {
  History history;
  std::map<Step, int> known;
  const std::vector<FlightEntry>& all = calls.dumps.at(rank)->entries;
  for (size_t i = all.size() - std::min(all.size(), kLookedAt); i < all.size(); ++i) {
    const Step step = step_of(calls.group_of(rank, all[i].group), all[i]);
    history.steps.push_back(known.emplace(step, int(known.size())).first->second);
    history.entries.push_back(&all[i]);
  }
  return history;
}

// How many steps before `end` each equal the one a round earlier, the first round included.
size_t covered(const std::vector<int>& steps, size_t end, size_t round) {
  size_t at = end;
  while (at > round && steps[at - 1] == steps[at - 1 - round]) --at;
  return end - at + round;
}

// The round that is repeated before `end`: the one that goes back farthest, and the shortest of those. 0:
// nothing was done often enough.
size_t round_before(const std::vector<int>& steps, size_t end) {
  size_t best = 0, farthest = 0;
  for (size_t round = 1; round * kRounds <= end; ++round) {
    const size_t length = covered(steps, end, round);
    if (length < round * kRounds || length <= farthest) continue;
    best = round;
    farthest = length;
  }
  return best;
}

// Whether what follows `at` goes on in rounds, with the first `left_out` steps of the round left out.
bool goes_on(const std::vector<int>& steps, size_t at, size_t round, size_t left_out) {
  for (size_t i = at; i < steps.size(); ++i)
    if (steps[i] != steps[at - round + (i - at + left_out) % round]) return false;
  return true;
}

Habit habit_in_rounds(const Calls& calls, int rank, const Side& side) {
  const History history = history_of(calls, rank);
  const size_t stuck_at = history.place_of(side.in->by_rank.at(rank));
  if (stuck_at == history.size()) return Habit::kUnknown;
  const auto is_missed = [&](size_t place) {
    return calls.lane_of(rank, *history.entries[place]) == side.missed->lane;
  };
  for (size_t at = stuck_at + 1; at-- > 0 && stuck_at - at < kMayGoOn;) {
    const size_t round = round_before(history.steps, at);
    if (round == 0) continue;
    if (at == stuck_at && goes_on(history.steps, at, round, 0)) {
      for (size_t place = at - round; place < at; ++place)
        if (is_missed(place)) return Habit::kKept;
      return Habit::kUnknown;  // the rounds never held the other call
    }
    if (round > 1 && is_missed(at - round) && goes_on(history.steps, at, round, 1)) return Habit::kBroken;
  }
  return Habit::kUnknown;
}

// Whether the rank did something else than in its rounds, and has not come to new ones.
bool leaves_its_rounds(const Calls& calls, int rank) {
  const History history = history_of(calls, rank);
  const std::vector<int>& steps = history.steps;
  if (round_before(steps, steps.size()) > 0) return false;
  for (size_t at = steps.size(); at-- > 0 && steps.size() - at < kMayGoOn;) {
    const size_t round = round_before(steps, at);
    if (round > 0 && steps[at] != steps[at - round]) return true;
  }
  return false;
}

// One rank's calls in two groups, renamed to 0 and 1.
std::vector<Step> steps_in(const Calls& calls, int rank, size_t group, size_t common_group) {
  std::vector<Step> steps;
  for (const FlightEntry& entry : calls.dumps.at(rank)->entries) {
    const size_t of = calls.group_of(rank, entry.group);
    if (!entry.is_p2p() && (of == group || of == common_group))
      steps.push_back(step_of(of == group ? 0 : 1, entry));
  }
  return steps;
}

// `missed`: the renamed group whose call the rank is waited for in.
Habit habit_beside(const std::vector<Step>& mine, const std::vector<Step>& sisters, size_t missed) {
  const auto [end, sisters_end] = std::ranges::mismatch(mine, sisters);
  const bool kept = end == mine.end();
  const auto before = kept && !mine.empty() ? end - 1 : end;  // the last call is the one in question
  for (const size_t group : {size_t{0}, size_t{1}})
    if (std::ranges::count(mine.begin(), before, group, &Step::group) < kSisterCalls) return Habit::kUnknown;
  if (kept) return Habit::kKept;
  if (sisters_end == sisters.end() || sisters_end->group != missed) return Habit::kUnknown;
  const auto rest = std::ranges::mismatch(end, mine.end(), sisters_end + 1, sisters.end());
  const bool same_rest = rest.in1 == mine.end() || rest.in2 == sisters.end();
  return same_rest ? Habit::kBroken : Habit::kUnknown;
}

// Beside all groups of the shape of `group` whose ranks are in `around` too.
Habit habit_beside_sisters(const Calls& calls, int rank, size_t group, size_t around, size_t missed_group) {
  const Ranks& own = calls.groups[group].ranks;
  const auto place = size_t(std::ranges::find(own, rank) - own.begin());
  const auto holds = [](const Ranks& ranks, int one) { return std::ranges::count(ranks, one) > 0; };
  std::optional<Habit> habit;
  for (size_t other = 0; other < calls.groups.size(); ++other) {
    const Ranks& ranks = calls.groups[other].ranks;
    const bool sister = other != group && other != around && ranks.size() == own.size() &&
                        std::ranges::all_of(ranks, [&](int one) {
                          return !holds(own, one) && holds(calls.groups[around].ranks, one);
                        });
    if (!sister || place >= ranks.size() || calls.gone(ranks[place])) continue;
    const int counterpart = ranks[place];
    if (calls.dumps.at(rank)->forgotten > 0 || calls.dumps.at(counterpart)->forgotten > 0) continue;
    const Habit beside =
        habit_beside(steps_in(calls, rank, group, around), steps_in(calls, counterpart, other, around),
                     missed_group == group ? 0 : 1);
    if (habit && *habit != beside) return Habit::kUnknown;
    habit = beside;
  }
  return habit.value_or(Habit::kUnknown);
}

// The smaller of the two groups has sisters within the larger one.
Habit habit_beside_sisters(const Calls& calls, int rank, const Side& side) {
  const size_t in = side.in->lane.group, missed = side.missed->lane.group;
  if (side.in->lane.p2p() || side.missed->lane.p2p() || in == missed) return Habit::kUnknown;
  const bool in_is_smaller = calls.groups[in].ranks.size() < calls.groups[missed].ranks.size();
  return habit_beside_sisters(calls, rank, in_is_smaller ? in : missed, in_is_smaller ? missed : in, missed);
}

// The one side all of whose ranks broke, where all ranks of all others kept to it.
const Side* odd_one(const std::vector<Side>& sides, const std::function<Habit(int, const Side&)>& habit_of) {
  const Side* odd = nullptr;
  for (const Side& side : sides) {
    const Habit habit = habit_of(side.ranks.front(), side);
    const bool alike =
        std::ranges::all_of(side.ranks, [&](int rank) { return habit_of(rank, side) == habit; });
    if (!alike || habit == Habit::kUnknown || (habit == Habit::kBroken && odd != nullptr)) return nullptr;
    if (habit == Habit::kBroken) odd = &side;
  }
  return odd;
}

bool is_of(int rank, const std::vector<Side>& sides) {
  return std::ranges::any_of(sides,
                             [&](const Side& side) { return std::ranges::count(side.ranks, rank) > 0; });
}

// Whether the rank waits in one of the calls at its place in rounds that hold other calls too.
bool bears_witness(const Calls& calls, int rank, const Call& in) {
  if (std::ranges::count(in.waiting, rank) == 0) return false;
  const History history = history_of(calls, rank);
  const size_t at = history.place_of(in.by_rank.at(rank));
  if (at == history.size()) return false;
  const size_t round = round_before(history.steps, at);
  if (round == 0 || !goes_on(history.steps, at, round, 0)) return false;
  return std::any_of(history.entries.begin() + std::ptrdiff_t(at - round),
                     history.entries.begin() + std::ptrdiff_t(at),
                     [&](const FlightEntry* entry) { return calls.lane_of(rank, *entry) != in.lane; });
}

// That the program is in its rounds still: a rank of no side waits with the odd one, at its own place, and
// none has left its own.
bool rounds_go_on(const Calls& calls, const std::vector<Side>& sides, const Side& odd) {
  Ranks outside;
  for (const int rank : calls.dumped)
    if (!is_of(rank, sides) && outside.size() < kMostAsked) outside.push_back(rank);
  return std::ranges::any_of(outside, [&](int rank) { return bears_witness(calls, rank, *odd.in); }) &&
         std::ranges::none_of(outside, [&](int rank) { return leaves_its_rounds(calls, rank); });
}

}  // namespace

OddSide odd_side(const Calls& calls, const std::vector<Side>& sides) {
  const auto in_rounds = [&](int rank, const Side& side) { return habit_in_rounds(calls, rank, side); };
  if (const Side* odd = odd_one(sides, in_rounds); odd != nullptr && rounds_go_on(calls, sides, *odd))
    return {odd, "that it made in the rounds before"};
  if (const Side* odd =
          odd_one(sides, [&](int rank, const Side& side) { return habit_beside_sisters(calls, rank, side); }))
    return {odd, "that a sister group made at that place"};
  if (const Side* odd = odd_side_by_messages(calls, sides)) return {odd, "that it is waited for in"};
  return {};
}

}  // namespace ringside::inline flight
