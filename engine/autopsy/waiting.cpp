// Who waits where: the timeouts of all ranks beside each other. A rank that never came to a call has no
// timeout for it, so that the ranks that complain are seldom those that are wrong.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include "clues.h"
#include "ringside/flight/report.h"
#include "ringside/flight/words.h"

namespace ringside::inline logs {
namespace {

using Kind = LogEventKind;

constexpr size_t kFew = 4;  // of so many ranks one is few

// The ranks of a group, told from what one puts in and what comes out; 0: not told.
int64_t size_of_group(const LoggedCall& call) {
  const bool gathers = call.op.starts_with("_ALLGATHER") || call.op.starts_with("ALLGATHER");
  const bool scatters = call.op.starts_with("_REDUCE_SCATTER") || call.op.starts_with("REDUCE_SCATTER");
  const int64_t large = gathers ? call.numel_out : call.numel_in,
                small = gathers ? call.numel_in : call.numel_out;
  if ((!gathers && !scatters) || small <= 0 || large % small != 0) return 0;
  return large / small;
}

// "ranks 0 and 1 wait in #9 BROADCAST, rank 2 waits in #11 ALLREDUCE"
std::string sides_words(const Sides& sides) {
  std::string words;
  for (const auto& [call, group] : sides.all) {
    const std::vector<int> ranks = ranks_of(group);
    words += fmt::format("{}{} {} in {}", words.empty() ? "" : ", ", flight::name_ranks(ranks),
                         ranks.size() == 1 ? "waits" : "wait", call);
  }
  return words;
}

std::vector<Evidence> evidence_of(const Clues& clues, const Sides& sides) {
  std::vector<Evidence> all;
  for (const auto& [call, group] : sides.all)
    if (all.size() < 4) all.push_back(clues.evidence(*group.front()->event));
  return all;
}

std::vector<int> fewest(const Sides& sides) {
  if (sides.all.size() != 2) return {};
  const auto &a = sides.all.begin()->second, &b = std::next(sides.all.begin())->second;
  if (a.size() == b.size()) return {};
  return ranks_of(a.size() < b.size() ? a : b);
}

// Different calls where all should make one.
bool by_conflict(const Clues& clues, const std::string& group, const Sides& sides, Diagnosis& diagnosis) {
  if (!sides.differ()) return false;
  const bool same_number = !sides.seqs;
  // Without the group's name two groups may be meant, each with numbers of its own.
  if (group.empty() && !same_number) return false;
  const Cause cause = sides.ops || !same_number ? Cause::kOtherCall : Cause::kOtherSize;
  const Sure sure = !group.empty() && same_number ? Sure::kCertain : Sure::kLikely;
  const std::vector<int> few = fewest(sides);
  add_finding(diagnosis.first, cause, sure,
              fmt::format("the ranks are not at one call{}: {}; {}", in_group(group), sides_words(sides),
                          few.empty() ? "which of them left the order cannot be told"
                                      : flight::name_ranks(few) +
                                            " did otherwise than the others, which is no proof"),
              evidence_of(clues, sides), few);
  return true;
}

struct Presence {
  std::vector<int> here, absent;
  bool absent_speaks = true;  // the log has lines of those that are absent
  int64_t expected = 0;       // 0: not known
  bool all_here() const { return expected > 0 && int64_t(here.size()) >= expected; }
};

Presence presence_of(const Clues& clues, const std::string& group, const Group& members) {
  Presence presence{.here = ranks_of(members), .absent = {}};
  for (const Waiting* one : members)
    presence.expected = std::max(presence.expected, size_of_group(one->call));
  const bool whole_world =
      group.empty() || group.starts_with("0") || group.find("default") != std::string::npos;
  if (presence.expected == 0 && whole_world) presence.expected = clues.world;
  std::set<int> others(clues.log.ranks.begin(), clues.log.ranks.end());
  for (const int rank : presence.here) others.erase(rank);
  const auto counted = int64_t(presence.here.size() + others.size());
  if (whole_world || counted == presence.expected) presence.absent.assign(others.begin(), others.end());
  // Those without a line; where they are many, their log is likely not here.
  if (whole_world && clues.silent.size() * kFew <= presence.here.size() && !clues.silent.empty()) {
    presence.absent_speaks = false;
    presence.absent.insert(presence.absent.end(), clues.silent.begin(), clues.silent.end());
    std::ranges::sort(presence.absent);
  }
  // A number that is left out between those that are there.
  if (presence.absent.empty() && presence.here.size() > 2 && whole_world) {
    const int last =
        std::max(presence.here.back(), int(std::min<int64_t>(presence.expected, kMostRanks)) - 1);
    presence.absent_speaks = false;
    if (last == int(presence.here.size()))
      for (int rank = 0; rank <= last; ++rank)
        if (!std::ranges::binary_search(presence.here, rank)) presence.absent.push_back(rank);
  }
  return presence;
}

// A rank that waits in a call is done with what it was busy with before.
const LogEvent* work_before(const Clues& clues) {
  const LogEvent* last = nullptr;
  for (const LogEvent* event : clues.of(Kind::kWork)) {
    const bool waits = event->rank >= 0 && std::ranges::count(clues.waiting, event->rank, &Waiting::rank) > 0;
    const bool in_time =
        clues.first_timeout == nullptr ||
        (event->file != clues.first_timeout->file ? !clues.is_behind(*event)
                                                  : event->line <= clues.first_timeout->line + 20);
    if (in_time && !waits) last = event;
  }
  return last;
}

void blame_busy(const Clues& clues, const LogEvent& work, const Presence& presence, Diagnosis& diagnosis) {
  const std::string who = presence.absent.empty() ? "a rank" : flight::name_ranks(presence.absent);
  add_finding(diagnosis.first, Cause::kBusy, Sure::kLikely,
              fmt::format("{} {} late: the log shows \"{}\" while the others wait", who,
                          presence.absent.size() > 1 ? "are" : "is", work.what),
              {clues.evidence(work)}, presence.absent);
}

std::vector<Evidence> evidence_of_timeout(const Clues& clues) {
  if (clues.first_timeout == nullptr) return {};
  return {clues.evidence(*clues.first_timeout)};
}

void blame_absent(const Clues& clues, const Presence& presence, Sure sure, Diagnosis& diagnosis) {
  const std::string who =
      presence.absent.empty() ? "a rank whose lines are not here" : flight::name_ranks(presence.absent);
  Finding& found = add_finding(diagnosis.first, Cause::kAbsent, sure,
                               who + " did not come to that call: skipped, late, or stuck elsewhere",
                               evidence_of_timeout(clues), presence.absent);
  if (!presence.absent.empty() && !presence.here.empty())
    found.evidence.push_back(
        {"in the log", fmt::format("{} timed out, {} did not", flight::name_ranks(presence.here), who)});
}

void blame_no_rank(const Clues& clues, bool all_here, Diagnosis& diagnosis) {
  add_finding(diagnosis.first, Cause::kTransport, Sure::kCannotBeTold,
              std::string("The network, a link between GPUs, or a kernel that is stuck") +
                  (all_here ? ": every rank of the group is in the call" : ""),
              evidence_of_timeout(clues));
  add_finding(diagnosis.first, Cause::kOtherCall, Sure::kCannotBeTold,
              std::string("Ranks made calls in another order") + (all_here ? ", in another group" : ""),
              evidence_of_timeout(clues));
}

// Who waits for whom, as a picture has it: by the merged dumps where there are some, else by the timeouts.

std::vector<int> without(std::vector<int> ranks, const std::vector<int>& others) {
  std::erase_if(ranks, [&](int rank) { return std::ranges::find(others, rank) != others.end(); });
  return ranks;
}

std::vector<WaitFor> of_dumps(const std::vector<FlightDump>& dumps, Sure sure) {
  std::vector<WaitFor> waits;
  if (dumps.empty()) return waits;
  for (const StuckCollective& stuck : merge_flights(dumps).stuck) {
    if (stuck.queued) continue;
    const std::vector<int> agreed = without(stuck.in_it, stuck.disagreeing);
    std::vector<int> on = stuck.missing;
    on.insert(on.end(), stuck.disagreeing.begin(), stuck.disagreeing.end());
    std::ranges::sort(on);
    waits.push_back({agreed, flight::describe(agreed.empty() ? -1 : agreed.front(), stuck.call), on, sure});
    if (!stuck.disagreeing.empty())
      waits.push_back({stuck.disagreeing, "another call under that number", agreed, sure});
  }
  return waits;
}

// Whom the report names first; nobody, where it names several causes that differ in it.
std::pair<std::vector<int>, Sure> blamed(const Diagnosis& diagnosis) {
  for (const Finding& finding : diagnosis.first)
    if (!finding.ranks.empty()) return {finding.ranks, finding.sure};
  return {{}, Sure::kCannotBeTold};
}

}  // namespace

bool by_waiting(const Clues& clues, Diagnosis& diagnosis) {
  if (clues.waiting.empty()) return false;
  const std::map<std::string, Group> groups = by_group(clues);
  const Group* largest = nullptr;
  std::string name;
  for (const auto& [group, members] : groups) {
    if (const Sides sides = sides_of(members); !sides.all.empty())
      add_fact(diagnosis.waits, sides_words(sides) + in_group(group), evidence_of(clues, sides));
    if (largest == nullptr || members.size() > largest->size()) largest = &members, name = group;
  }
  for (const auto& [group, members] : groups)
    if (by_conflict(clues, group, sides_of(members), diagnosis)) return true;
  const Presence presence = presence_of(clues, name, *largest);
  const bool some_absent = !presence.absent.empty() && !presence.all_here();
  if (const LogEvent* work = work_before(clues); work != nullptr && !presence.all_here()) {
    blame_busy(clues, *work, presence, diagnosis);
    return true;
  }
  // Trouble of a link leaves a timeout in every rank; one that speaks and has none is in no such call.
  const bool few = presence.absent.size() * kFew <= presence.here.size();
  if (some_absent && (few || clues.ended_by_launcher(presence.absent)) && presence.absent_speaks &&
      groups.size() == 1) {
    blame_absent(clues, presence, Sure::kLikely, diagnosis);
    return true;
  }
  if (!presence.all_here()) blame_absent(clues, presence, Sure::kCannotBeTold, diagnosis);
  blame_no_rank(clues, presence.all_here(), diagnosis);
  return true;
}

bool by_store(const Clues& clues, Diagnosis& diagnosis) {
  if (const LogEvent* meeting = clues.first(Kind::kRendezvous)) {
    add_finding(diagnosis.first, Cause::kRendezvous, Sure::kCertain,
                "The ranks never all met: " + meeting->what, {clues.evidence(*meeting)});
    return true;
  }
  const auto waits = clues.of(Kind::kStoreWait);
  if (waits.empty()) return false;
  const LogEvent& event = *waits.front();
  add_fact(diagnosis.waits,
           rank_words(event.rank) + " waits for rank 0 of its group to open the communicator",
           {clues.evidence(event)});
  const Presence presence{.here = {}, .absent = event.ranks};
  const auto prepares = [](const LogEvent* wait) {  // "with training_args.main_process_first(...)"
    return wait->where.find("process_first") != std::string::npos;
  };
  const LogEvent* work = work_before(clues);
  if (work == nullptr && std::ranges::any_of(waits, prepares)) work = &event;
  if (work != nullptr) {
    blame_busy(clues, *work, presence, diagnosis);
    return true;
  }
  blame_absent(clues, presence, Sure::kCannotBeTold, diagnosis);
  diagnosis.first.back().evidence = {clues.evidence(event)};
  add_finding(
      diagnosis.first, Cause::kSetup, Sure::kCannotBeTold,
      "Rank 0 could not open its communicator: no usable network interface, or a port that is blocked",
      {clues.evidence(event)});
  return true;
}

void add_waits_for(const Clues& clues, const std::vector<FlightDump>& dumps, Diagnosis& diagnosis) {
  const auto [ranks, sure] = blamed(diagnosis);
  diagnosis.waits_for = of_dumps(dumps, sure);
  if (!diagnosis.waits_for.empty()) return;
  for (const auto& [group, members] : by_group(clues)) {
    const Sides sides = sides_of(members);
    const std::vector<int> all = ranks_of(members);
    for (const auto& [call, side] : sides.all) {
      const std::vector<int> from = ranks_of(side);
      if (from.empty()) continue;
      diagnosis.waits_for.push_back({from, call + in_group(group),
                                     without(sides.differ() ? all : ranks, from),
                                     sides.differ() ? Sure::kCertain : sure});
    }
  }
}

}  // namespace ringside::inline logs
