#include "stories.h"

#include <algorithm>

#include "ringside/flight/words.h"

namespace ringside::flight {
namespace {

void tell_dumped(const Calls& calls, RankStory& story) {
  const FlightEntry* last = nullptr;
  for (const FlightEntry& entry : calls.dumps.at(story.rank)->entries) {
    const bool later =
        last == nullptr || entry.time_discovered_completed_ns >= last->time_discovered_completed_ns;
    if (entry.state != CollectiveState::kCompleted) {
      if (!story.waits_in) story.waits_in = calls.shown(story.rank, entry);
    } else if (later) {
      last = &entry;
    }
  }
  if (last != nullptr) story.last_completed = calls.shown(story.rank, *last);
}

void count_numbers(const Calls& calls, RankStory& story) {
  for (const FlightEntry& entry : calls.dumps.at(story.rank)->entries) {
    if (entry.is_p2p()) continue;
    const size_t group = calls.group_of(story.rank, entry.group);
    int64_t& scheduled = story.last_seq_scheduled[group];
    int64_t& completed = story.last_seq_completed[group];
    scheduled = std::max(scheduled, entry.collective_seq_id);
    if (entry.state == CollectiveState::kCompleted) completed = std::max(completed, entry.collective_seq_id);
  }
}

// A call that completed on one rank, which proves that the call's other ranks made it.
struct Seen {
  int witness = -1;
  const FlightEntry* entry = nullptr;
};
void keep_latest(Seen& best, Seen seen) {
  const auto time = [](const Seen& s) {
    return s.entry == nullptr ? -1 : s.entry->time_discovered_completed_ns;
  };
  if (time(seen) > time(best)) best = seen;
}

// What the dumps tell of ranks that left none.
struct Witnesses {
  std::vector<Seen> of_group;                    // the last that needed all of a group
  std::map<int, Seen> of_rank;                   // the last that needed one: from a root, or sent
  std::vector<int64_t> last_seq;                 // of group
  std::map<int, std::vector<size_t>> groups_of;  // by rank
};

// No rank can leave an all-reduce that another has not entered; of a broadcast that is true of the root.
Witnesses ask_witnesses(const Calls& calls) {
  Witnesses known;
  known.of_group.resize(calls.groups.size());
  known.last_seq.assign(calls.groups.size(), -1);
  for (size_t group = 0; group < calls.groups.size(); ++group)
    for (const int rank : calls.groups[group].ranks) known.groups_of[rank].push_back(group);
  for (const Call& call : calls.calls)
    for (const auto& [witness, entry] : call.by_rank) {
      if (entry->state != CollectiveState::kCompleted || entry->op == Op::kSend) continue;
      const Seen seen{witness, entry};
      if (entry->op == Op::kRecv || entry->op == Op::kBroadcast) {
        keep_latest(known.of_rank[calls.shown(witness, *entry).peer], seen);
        continue;
      }
      keep_latest(known.of_group[call.lane.group], seen);
      int64_t& last = known.last_seq[call.lane.group];
      last = std::max(last, call.seq);
    }
  return known;
}

void tell_gone(const Calls& calls, const Witnesses& known, RankStory& story) {
  const auto own = known.of_rank.find(story.rank);
  Seen best = own == known.of_rank.end() ? Seen() : own->second;
  for (const size_t group : known.groups_of.at(story.rank)) {
    keep_latest(best, known.of_group[group]);
    story.last_seq_completed[group] = story.last_seq_scheduled[group] = known.last_seq[group];
  }
  if (best.entry != nullptr) story.last_completed = calls.shown(best.witness, *best.entry);
}

std::string did_last(const Calls& calls, const RankStory& story) {
  const std::string start = story.dumped ? "" : "left no dump; ";
  if (!story.last_completed) return start + (story.dumped ? "completed nothing" : "nobody knows of it");
  const FlightEntry& last = *story.last_completed;
  const std::string what =
      start + (story.dumped ? "completed " : "took part in ") + describe(story.rank, last);
  if (last.time_discovered_completed_ns == 0) return what;  // Gloo does not tell when
  return what + ", " + seconds(calls.latest_ns - last.time_discovered_completed_ns) + " ago";
}

}  // namespace

std::vector<RankStory> tell_stories(const Calls& calls) {
  const Witnesses known = ask_witnesses(calls);
  std::vector<RankStory> stories;
  for (const int rank : calls.ranks) {
    RankStory story;
    story.rank = rank;
    story.dumped = !calls.gone(rank);
    story.last_seq_completed.assign(calls.groups.size(), -1);
    story.last_seq_scheduled.assign(calls.groups.size(), -1);
    if (story.dumped) {
      tell_dumped(calls, story);
      count_numbers(calls, story);
    } else {
      tell_gone(calls, known, story);
    }
    story.did_last = did_last(calls, story);
    stories.push_back(std::move(story));
  }
  return stories;
}

}  // namespace ringside::flight
