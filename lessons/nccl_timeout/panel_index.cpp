#include "panel_index.h"

#include <algorithm>

namespace ringside::nccl_panel {
namespace {

constexpr int64_t kLookedBack = 8;  // how far behind a rank is followed, in collectives of a group

template <typename Lane>
auto lower_bound(Lane& lane, int64_t seq) {
  return std::lower_bound(lane.begin(), lane.end(), seq,
                          [](const Call& call, int64_t wanted) { return call.seq < wanted; });
}

}  // namespace

CallState Call::at(int64_t time_ns) const {
  if (created_ns > time_ns) return CallState::kNotYet;
  if (ended_ns != 0 && ended_ns <= time_ns) return failed ? CallState::kGivenUp : CallState::kCompleted;
  return started_ns != 0 && started_ns <= time_ns ? CallState::kStarted : CallState::kScheduled;
}

int64_t Call::waited_ns(int64_t time_ns) const {
  const int64_t end = ended_ns != 0 ? std::min(ended_ns, time_ns) : time_ns;
  return std::max<int64_t>(0, end - created_ns);
}

void SequenceIndex::update(const Trace& trace, const SectionView& section) {
  if (section.name() != section_) *this = {};
  section_ = section.name();
  calls_.resize(static_cast<size_t>(section.ranks()));
  seen_.resize(calls_.size());
  for (int rank = 0; rank < section.ranks(); ++rank) {
    const auto events = section.collectives(rank);
    size_t& seen = seen_[static_cast<size_t>(rank)];
    for (; seen < events.size(); ++seen) take(trace, rank, events[seen]);
  }
}

size_t SequenceIndex::place_of(const std::string& group) {
  const auto found = std::find(groups_.begin(), groups_.end(), group);
  if (found != groups_.end()) return static_cast<size_t>(found - groups_.begin());
  if (group != "dp") return groups_.push_back(group), groups_.size() - 1;
  groups_.insert(groups_.begin(), group);  // the others move up
  for (auto& [name, place] : places_) ++place;
  for (auto& lanes : calls_) lanes.insert(lanes.begin(), Lane());
  return 0;
}

void SequenceIndex::take(const Trace& trace, int rank, const CollectiveEvent& event) {
  if (event.op == Op::kSend || event.op == Op::kRecv) return;
  if (!places_.contains(event.group)) places_[event.group] = place_of(trace.name(event.group));
  auto& lanes = calls_[static_cast<size_t>(rank)];
  lanes.resize(std::max(lanes.size(), groups_.size()));
  Lane& lane = lanes[places_[event.group]];
  auto at = lower_bound(lane, event.collective_seq_id);
  if (at == lane.end() || at->seq != event.collective_seq_id) at = lane.insert(at, Call{});
  at->seq = event.collective_seq_id;
  at->elements = event.elements;
  at->op = event.op;
  at->tag = event.tag;
  at->unit = event.unit;
  at->created_ns = event.time_created_ns;
  at->started_ns = std::max(at->started_ns, event.time_started_ns);
  at->ended_ns = std::max(at->ended_ns, event.time_completed_ns);
  if (event.state == CollectiveState::kFailed) over_ns_ = std::min(over_ns_, event.time_completed_ns);
  latest_ns_ = std::max({latest_ns_, event.time_created_ns, event.time_started_ns, event.time_completed_ns});
  at->failed = at->failed || event.state == CollectiveState::kFailed;
}

const SequenceIndex::Lane* SequenceIndex::lane(int rank, size_t group) const {
  if (rank < 0 || rank >= ranks() || group >= calls_[static_cast<size_t>(rank)].size()) return nullptr;
  return &calls_[static_cast<size_t>(rank)][group];
}

const Call* SequenceIndex::find(int rank, size_t group, int64_t seq) const {
  const Lane* calls = lane(rank, group);
  if (calls == nullptr) return nullptr;
  const auto at = lower_bound(*calls, seq);
  return at == calls->end() || at->seq != seq || at->created_ns >= over_ns_ ? nullptr : &*at;
}

const Call* SequenceIndex::last_called(int rank, size_t group, int64_t time_ns) const {
  const Lane* calls = lane(rank, group);
  if (calls == nullptr) return nullptr;
  time_ns = std::min(time_ns, over_ns_ - 1);
  const auto after = std::upper_bound(calls->begin(), calls->end(), time_ns,
                                      [](int64_t time, const Call& call) { return time < call.created_ns; });
  return after == calls->begin() ? nullptr : &*(after - 1);
}

const Call* SequenceIndex::last_completed(int rank, size_t group, int64_t time_ns) const {
  const Call* call = last_called(rank, group, time_ns);
  for (; call != nullptr && call->at(time_ns) != CallState::kCompleted;)
    call = find(rank, group, call->seq - 1);
  return call;
}

const Call* SequenceIndex::first_open(int rank, size_t group, int64_t time_ns) const {
  const Call* open = nullptr;
  for (const Call* call = last_called(rank, group, time_ns);
       call != nullptr && call->at(time_ns) != CallState::kCompleted; call = find(rank, group, call->seq - 1))
    open = call;
  return open;
}

int64_t SequenceIndex::top(size_t group, int64_t time_ns, int only) const {
  int64_t most = -1;
  for (int rank = 0; rank < ranks(); ++rank) {
    if (only >= 0 && rank != only) continue;
    const Call* call = last_called(rank, group, time_ns);
    if (call != nullptr) most = std::max(most, call->seq);
  }
  return most;
}

namespace {

Hole hole_of(const SequenceIndex& index, int rank, size_t group, int64_t seq, int64_t time_ns, bool ended) {
  Hole hole;
  hole.rank = rank;
  hole.group = group;
  hole.seq = seq;
  for (int other = 0; other < index.ranks(); ++other) {
    const Call* call = index.find(other, group, seq);
    if (call == nullptr || call->at(time_ns) == CallState::kNotYet) continue;
    hole.waiting.push_back(other);
    if (call->waited_ns(time_ns) >= hole.waited_ns) {
      hole.waited_ns = call->waited_ns(time_ns);
      hole.since_ns = call->created_ns;
    }
  }
  hole.never = index.find(rank, group, seq) == nullptr && (ended || index.is_over());
  return hole;
}

}  // namespace

std::vector<Hole> holes_at(const SequenceIndex& index, int64_t time_ns, bool ended) {
  std::vector<Hole> holes;
  for (size_t group = 0; group < index.groups().size(); ++group) {
    const int64_t top = index.top(group, time_ns);
    for (int rank = 0; rank < index.ranks(); ++rank) {
      const Call* last = index.last_called(rank, group, time_ns);
      const int64_t next = std::max(last == nullptr ? 0 : last->seq + 1, top - kLookedBack + 1);
      for (int64_t seq = next; seq <= top; ++seq) {
        Hole hole = hole_of(index, rank, group, seq, time_ns, ended);
        hole.first = seq == next;
        if (!hole.waiting.empty()) holes.push_back(std::move(hole));
      }
    }
  }
  std::stable_sort(holes.begin(), holes.end(),
                   [](const Hole& a, const Hole& b) { return a.waited_ns > b.waited_ns; });
  return holes;
}

}  // namespace ringside::nccl_panel
