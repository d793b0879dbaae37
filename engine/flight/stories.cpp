#include "stories.h"

#include <algorithm>

#include "words.h"

namespace ringside::flight {
namespace {

void note_completed(const Calls& calls, int rank, const FlightEntry& entry, RankStory& story) {
  const int64_t before = story.last_completed ? story.last_completed->time_discovered_completed_ns : -1;
  if (entry.time_discovered_completed_ns > before) story.last_completed = calls.shown(rank, entry);
}

void tell_dumped(const Calls& calls, RankStory& story) {
  for (const FlightEntry& entry : calls.dumps.at(story.rank)->entries) {
    if (entry.state == CollectiveState::kCompleted)
      note_completed(calls, story.rank, entry, story);
    else if (!story.waits_in)
      story.waits_in = calls.shown(story.rank, entry);
  }
}

// No rank can leave an all-reduce that another has not entered; of a broadcast that is true of the root.
bool needs(const Calls& calls, const Call& call, int rank, int witness) {
  const std::vector<int>& ranks = calls.groups[call.lane.group].ranks;
  if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) return false;
  const FlightEntry& entry = *call.by_rank.at(witness);
  if (entry.state != CollectiveState::kCompleted) return false;
  if (call.lane.p2p()) return call.lane.from == rank && entry.op == Op::kRecv;
  return entry.op != Op::kBroadcast || calls.shown(witness, entry).peer == rank;
}

void tell_gone(const Calls& calls, RankStory& story) {
  for (const Call& call : calls.calls)
    for (const auto& [witness, entry] : call.by_rank) {
      if (!needs(calls, call, story.rank, witness)) continue;
      note_completed(calls, witness, *entry, story);
      if (call.lane.p2p()) continue;
      story.last_seq_completed[call.lane.group] = call.seq;
      story.last_seq_scheduled[call.lane.group] = call.seq;
    }
}

void count_numbers(const Calls& calls, RankStory& story) {
  for (const Call& call : calls.calls) {
    const auto found = call.by_rank.find(story.rank);
    if (call.lane.p2p() || found == call.by_rank.end()) continue;
    story.last_seq_scheduled[call.lane.group] = call.seq;  // ascending
    if (found->second->state == CollectiveState::kCompleted)
      story.last_seq_completed[call.lane.group] = call.seq;
  }
}

std::string did_last(const Calls& calls, const RankStory& story) {
  const std::string start = story.dumped ? "" : "left no dump; ";
  if (!story.last_completed) return start + (story.dumped ? "completed nothing" : "nobody knows of it");
  const FlightEntry& last = *story.last_completed;
  const int64_t ago = calls.latest_ns - last.time_discovered_completed_ns;
  return start + (story.dumped ? "completed " : "took part in ") + describe(story.rank, last) + ", " +
         seconds(ago) + " ago";
}

}  // namespace

std::vector<RankStory> tell_stories(const Calls& calls) {
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
      tell_gone(calls, story);
    }
    story.did_last = did_last(calls, story);
    stories.push_back(std::move(story));
  }
  return stories;
}

}  // namespace ringside::flight
