// What was sent, and who waits for whom.
#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>

#include "ringside/figures/in_time.h"
#include "ringside/figures/live.h"
#include "ringside/trace/hang_rows.h"
#include "ringside/trace/measure.h"

namespace ringside::figure {
namespace {

constexpr std::ptrdiff_t kAtOnce = 16;  // calls of a group that a rank may have under way
constexpr size_t kNestedSpans = 8;      // that end after an instant, before the one that began before it

}  // namespace

// ---- Sent -----------------------------------------------------------------------------------

std::pair<int64_t, int64_t> LiveIndex::Sums::until(int64_t time_ns) const {
  const auto calls = std::ranges::upper_bound(times, time_ns) - times.begin();
  return {calls, calls == 0 ? 0 : bytes[size_t(calls - 1)]};
}

void LiveIndex::Sums::add(int64_t time_ns, int64_t sent) {
  times.push_back(times.empty() ? time_ns : std::max(times.back(), time_ns));
  bytes.push_back((bytes.empty() ? 0 : bytes.back()) + std::max<int64_t>(0, sent));
}

void LiveIndex::take_collective(Rank& rank, const CollectiveEvent& event) {
  has_traffic_ = true;
  if (event.state == CollectiveState::kScheduled) return;
  if (event.state == CollectiveState::kCompleted && event.op != Op::kRecv)
    rank.sent[{int(event.op), event.tag}].add(event.time_completed_ns, event.bytes_sent);
  std::vector<Call>& calls = rank.calls[event.group];
  const auto at = std::ranges::lower_bound(calls, event.collective_seq_id, {}, &Call::seq);
  const int64_t ended = event.state == CollectiveState::kStarted ? 0 : time_of(event);
  if (at != calls.end() && at->seq == event.collective_seq_id)
    at->ended_ns = ended;
  else
    calls.insert(at, {event.collective_seq_id, event.time_started_ns, ended, event.op, event.tag});
}

void LiveIndex::take_messages(int rank) {
  Rank& one = ranks_[size_t(rank)];
  const auto messages = section_->messages(rank);
  for (; one.messages < messages.size(); ++one.messages) {
    const MessageEvent& message = messages[one.messages];
    if (message.state != MessageState::kSent || message.from != rank) continue;
    has_traffic_ = true;
    one.sent[{kMessage, message.tag}].add(message.time_sent_ns, message.bytes);
  }
}

int64_t LiveIndex::sent_between(int rank, int64_t from_ns, int64_t to_ns) const {
  int64_t bytes = 0;
  for (const auto& [kind, sums] : ranks_[size_t(rank)].sent)
    bytes += sums.until(to_ns).second - sums.until(from_ns).second;
  return bytes;
}

// By operation and by when they began: the numbers of names differ once a trace was saved and opened again.
std::vector<std::pair<LiveIndex::Kind, const LiveIndex::Sums*>> LiveIndex::in_order(
    const std::map<Kind, Sums>& sent) const {
  std::vector<std::pair<Kind, const Sums*>> all;
  for (const auto& [kind, sums] : sent) all.emplace_back(kind, &sums);
  std::ranges::sort(all, {}, [&](const auto& one) {
    return std::tuple(one.first.first, one.second->times.front(), trace_.name(one.first.second));
  });
  return all;
}

LiveTraffic LiveIndex::traffic(int rank, int64_t time_ns) const {
  LiveTraffic traffic;
  const Rank& mine = ranks_[size_t(rank)];
  const auto window = mine.steps.at(time_ns);
  if (window) traffic.step = window->step;
  const int64_t from = window ? window->start_ns - 1 : std::numeric_limits<int64_t>::min();
  for (const auto& [kind, sums] : in_order(mine.sent)) {
    const auto [all_calls, all_bytes] = sums->until(time_ns);
    if (all_calls == 0) continue;
    const auto [calls, bytes] = sums->until(from);
    const bool is_message = kind.first == kMessage;
    traffic.kinds.push_back({is_message ? "" : std::string(to_string(static_cast<Op>(kind.first))),
                             trace_.name(kind.second), all_calls - calls, all_bytes - bytes, all_calls,
                             all_bytes});
    traffic.sent += all_bytes - bytes;
  }
  for (int other = 0; other < ranks(); ++other) {
    const auto its = window ? ranks_[size_t(other)].steps.of(window->step) : std::nullopt;
    if (window && !its && other != rank) {  // a server has no steps: what it sent in this rank's
      traffic.wire += sent_between(other, from, time_ns);
    } else {
      const int64_t end = its && !its->open ? std::min(time_ns, its->end_ns - 1) : time_ns;
      traffic.wire += sent_between(other, its ? its->start_ns - 1 : from, end);
    }
  }
  traffic.waits = waits(time_ns);
  return traffic;
}

// ---- Waits ----------------------------------------------------------------------------------

const LiveIndex::Call* LiveIndex::call_of(int rank, NameId group, int64_t seq) const {
  const auto& groups = ranks_[size_t(rank)].calls;
  const auto calls = groups.find(group);
  if (calls == groups.end()) return nullptr;
  const auto at = std::ranges::lower_bound(calls->second, seq, {}, &Call::seq);
  return at == calls->second.end() || at->seq != seq ? nullptr : &*at;
}

// Those of the group that have not come to the call of this rank; it has ended where nobody waits.
LiveWait LiveIndex::wait_in(int rank, NameId group, const Call& call, int64_t time_ns) const {
  LiveWait wait;
  wait.call = call.seq, wait.group = trace_.name(group), wait.carried = trace_.name(call.tag);
  wait.what = std::string(to_string(call.op));
  int64_t first = call.started_ns;
  for (int other = 0; other < ranks(); ++other) {
    if (!ranks_[size_t(other)].calls.contains(group)) continue;
    const Call* its = other == rank ? &call : call_of(other, group, call.seq);
    if (its == nullptr || its->started_ns > time_ns) {
      wait.missing.push_back(other);
    } else if (its->ended_ns == 0 || its->ended_ns > time_ns) {
      wait.ranks.push_back(other);
      first = std::min(first, its->started_ns);
    }
  }
  wait.waited_ns = time_ns - first;
  const auto deadline = number_in(*section_, wait.group == "default" ? kDefaultDeadlineMs : kDeadlineMs);
  if (deadline) wait.left_ns = int64_t(1e6 * *deadline) - wait.waited_ns;
  return wait;
}

std::vector<LiveWait> LiveIndex::waits(int64_t time_ns) const {
  std::vector<LiveWait> all;
  const auto is_known = [&](const std::string& group, int64_t seq) {
    return std::ranges::any_of(all,
                               [&](const LiveWait& one) { return one.group == group && one.call == seq; });
  };
  for (int rank = 0; rank < ranks(); ++rank) {
    for (const auto& [group, calls] : ranks_[size_t(rank)].calls) {
      auto at = std::ranges::upper_bound(calls, time_ns, {}, &Call::started_ns);
      for (std::ptrdiff_t i = 0; i < kAtOnce && at != calls.begin(); ++i) {
        --at;
        if (at->op == Op::kSend || at->op == Op::kRecv) continue;
        if ((at->ended_ns != 0 && at->ended_ns <= time_ns) || is_known(trace_.name(group), at->seq)) continue;
        LiveWait wait = wait_in(rank, group, *at, time_ns);
        if (!wait.missing.empty()) all.push_back(std::move(wait));
      }
    }
  }
  std::ranges::move(server_waits(time_ns), std::back_inserter(all));
  if (const auto ranks = waiting_spans(time_ns); all.empty() && !ranks.empty()) {
    all.emplace_back();
    all.back().ranks = ranks;
  }
  std::ranges::stable_sort(all, {}, [](const LiveWait& one) { return std::pair(-one.waited_ns, one.group); });
  return all;
}

// Ranks that recorded a wait around the instant; whom for is not recorded.
std::vector<int> LiveIndex::waiting_spans(int64_t time_ns) const {
  std::vector<int> waiting;
  for (int rank = 0; rank < ranks(); ++rank) {
    const auto spans = section_->spans(rank);
    const size_t at = upper_bound(spans, time_ns, end_of);
    for (size_t i = at; i < std::min(spans.size(), at + kNestedSpans); ++i) {
      if (spans[i].start_ns > time_ns || !trace_.name(spans[i].name).starts_with("wait")) continue;
      waiting.push_back(rank);
      break;
    }
  }
  return waiting;
}

}  // namespace ringside::figure
