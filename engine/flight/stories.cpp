// What each rank was about when the dumps were made. Of a rank that left none its peers tell: no rank can
// leave an all-reduce that another has not entered, and what was received from a rank, that rank has sent.
#include <algorithm>

#include "analysis.h"
#include "ringside/flight/words.h"

namespace ringside::inline flight {
namespace {

// A call that completed, on the rank that recorded it.
struct Completed {
  int rank = -1;
  const FlightEntry* entry = nullptr;

  void keep_latest(int of, const FlightEntry& other) {
    if (entry == nullptr || other.time_discovered_completed_ns >= entry->time_discovered_completed_ns)
      *this = {of, &other};
  }
};

void keep_highest(int64_t& last, int64_t seq) { last = std::max(last, seq); }

class Stories {
 public:
  explicit Stories(const Calls& calls)
      : calls_(calls), last_of_group_(calls.groups.size()), seq_of_group_(calls.groups.size(), -1) {}

  std::vector<RankStory> tell() {
    for (const int rank : calls_.ranks) {
      RankStory& story = stories_[rank];
      story.rank = rank;
      story.dumped = !calls_.gone(rank);
      story.last_seq_completed = story.last_seq_scheduled = seq_of_group_;  // -1
    }
    for (const auto& [rank, dump] : calls_.dumps)
      for (const FlightEntry& entry : dump->entries) read(rank, entry);
    for (size_t group = 0; group < calls_.groups.size(); ++group)
      for (const int rank : calls_.groups[group].ranks)
        if (calls_.gone(rank)) tell_gone(rank, group);
    std::vector<RankStory> told;
    for (auto& [rank, story] : stories_) {
      tell_last(story, last_[rank]);
      told.push_back(std::move(story));
    }
    return told;
  }

 private:
  void read(int rank, const FlightEntry& entry) {
    const bool completed = entry.state == CollectiveState::kCompleted;
    const size_t group = calls_.group_of(rank, entry.group);
    RankStory& story = stories_.at(rank);
    if (!entry.is_p2p()) keep_highest(story.last_seq_scheduled[group], entry.collective_seq_id);
    if (!completed) {
      if (!story.waits_in) story.waits_in = calls_.shown(rank, entry);
      return;
    }
    last_[rank].keep_latest(rank, entry);
    if (!entry.is_p2p()) keep_highest(story.last_seq_completed[group], entry.collective_seq_id);
    if (entry.op == Op::kRecv || entry.op == Op::kBroadcast) {  // it needed its peer alone
      const int peer = calls_.peer_of(rank, entry);
      if (calls_.gone(peer)) last_[peer].keep_latest(rank, entry);
    } else if (entry.op != Op::kSend) {
      last_of_group_[group].keep_latest(rank, entry);
      keep_highest(seq_of_group_[group], entry.collective_seq_id);
    }
  }

  void tell_gone(int rank, size_t group) {
    RankStory& story = stories_.at(rank);
    story.last_seq_completed[group] = story.last_seq_scheduled[group] = seq_of_group_[group];
    const Completed& last = last_of_group_[group];
    if (last.entry != nullptr) last_[rank].keep_latest(last.rank, *last.entry);
  }

  void tell_last(RankStory& story, const Completed& last) const {
    if (!story.dumped) story.did_last = "left no dump; ";
    if (last.entry == nullptr) {
      story.did_last += story.dumped ? "completed nothing" : "nobody knows of it";
      return;
    }
    story.last_completed = calls_.shown(last.rank, *last.entry);
    story.did_last +=
        (story.dumped ? "completed " : "took part in ") + describe(last.rank, *story.last_completed);
    const int64_t time_ns = last.entry->time_discovered_completed_ns;
    if (time_ns != 0)
      story.did_last += ", " + seconds(calls_.latest_ns - time_ns) + " ago";  // Gloo tells no time
  }

  const Calls& calls_;
  std::map<int, RankStory> stories_;      // by rank
  std::map<int, Completed> last_;         // by rank
  std::vector<Completed> last_of_group_;  // the last that no rank completes unless all have called it
  std::vector<int64_t> seq_of_group_;     // the highest number of such a call
};

}  // namespace

std::vector<RankStory> tell_stories(const Calls& calls) { return Stories(calls).tell(); }

}  // namespace ringside::inline flight
