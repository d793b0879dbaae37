#include "ringside/figures/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "ringside/base/units.h"
#include "ringside/figures/instant.h"
#include "ringside/lesson/tr.h"

namespace ringside::figure {
namespace {

constexpr int64_t kShown = 6;  // calls of a group
constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::max();

int64_t waited_ns(const Call& call, int64_t time_ns) {
  return (call.ended_ns > 0 ? call.ended_ns : time_ns) - call.event.time_created_ns;
}

const char* code_of(Op op) {
  constexpr std::array<const char*, 8> kCodes = {"AR", "RS", "AG", "BC", "A2A", "S", "R", "BAR"};
  return kCodes.at(size_t(op));
}

Ink ink_of_call(const Trace& trace, const Call& call, const CallView& view) {
  if (!view.contents) return Ink::kOther;
  return trace.name(call.event.tag) == "gradients" ? Ink::kGradients : Ink::kActivations;
}

// The first and the last number of a group that are shown.
std::pair<int64_t, int64_t> shown_calls(const CallGroup& group) {
  int64_t last = -1;
  for (const auto& calls : group.ranks)
    if (!calls.empty()) last = std::max(last, calls.rbegin()->first);
  for (const auto& calls : group.ranks) {
    const auto open = std::ranges::find_if(calls, [](const auto& one) { return !one.second.is_completed(); });
    if (open != calls.end()) last = std::min(last, open->first + 1);
  }
  return {std::max<int64_t>(0, last - kShown + 1), last};
}

// queued: a call before it is not complete, so that it is scheduled and not started.
Box box_of(const Trace& trace, const Calls& calls, const Call& call, const CallView& view, bool queued) {
  const CollectiveEvent& event = call.event;
  const std::string waited = waited_words(waited_ns(call, calls.time_ns));
  Box box{.text = fmt::format("#{} {}", event.collective_seq_id, code_of(event.op)),
          .ink = ink_of_call(trace, call, view),
          .filled = call.is_completed()};
  if (queued) box.text = tr("#{} queued", event.collective_seq_id);
  if (!box.filled && !queued) box.text += " " + waited;
  if (!view.contents) return box;
  const std::string what = tr("{} of {} elements, {} {}", to_string(event.op), format_count(event.elements),
                              trace.name(event.tag), trace.name(event.unit));
  box.detail = box.filled ? tr("{}; completed in {}", what, waited)
               : queued   ? tr("{}; scheduled, and not started: the call before it holds it up", what)
                          : tr("{}; has waited {}", what, waited);
  return box;
}

BoxRow row_of(const Trace& trace, const Calls& calls, const CallGroup& group, int rank,
              const CallView& view) {
  BoxRow row{.name = tr("{}, rank {}", group.name, rank), .boxes = {}};
  if (calls.over && view.gone.contains(rank)) {
    row.boxes.push_back({.text = tr("no dump: this process is gone"), .filled = false});
    return row;
  }
  const auto [first, last] = shown_calls(group);
  const auto& own = group.ranks[size_t(rank)];
  bool missed = false, open = false;
  for (int64_t seq = first; seq <= last; ++seq) {
    const auto call = own.find(seq);
    if (call == own.end()) {
      const bool is_missing = calls.over && !std::exchange(missed, true);
      row.boxes.push_back({.text = is_missing ? tr("missing") : "",
                           .ink = is_missing ? Ink::kAlarm : Ink::kDim,
                           .filled = false});
      continue;
    }
    const bool waits = !call->second.is_completed();
    row.boxes.push_back(box_of(trace, calls, call->second, view, waits && open));
    open = open || waits;
    if (view.struck.contains({rank, fmt::format("{} #{}", group.name, seq)}))
      row.boxes.back().ink = Ink::kAlarm;
  }
  return row;
}

}  // namespace

std::string waited_words(int64_t ns) {
  const double s = double(ns) * 1e-9;
  return s >= 0.1 ? fmt::format("{:.2f} s", s) : format_duration(s);
}

Calls calls_at(const Trace& trace, const SectionView& section, int64_t time_ns, bool ended,
               const std::string& first_group) {
  Calls calls;
  int64_t over_ns = kNoEnd, latest_ns = 0;
  for (int rank = 0; rank < section.ranks(); ++rank)
    for (const CollectiveEvent& event : section.collectives(rank)) {
      latest_ns = std::max({latest_ns, event.time_created_ns, event.time_completed_ns});
      if (event.state == CollectiveState::kFailed) over_ns = std::min(over_ns, event.time_completed_ns);
    }
  // The playhead goes as far as every rank has come. One that was killed comes no further.
  calls.time_ns = ended && time_ns >= time_range(section).last ? std::max(time_ns, latest_ns) : time_ns;
  calls.over = over_ns <= calls.time_ns || (ended && calls.time_ns >= latest_ns);
  std::map<NameId, size_t> places;
  for (int rank = 0; rank < section.ranks(); ++rank) {
    for (const CollectiveEvent& event : section.collectives(rank)) {
      const bool is_p2p = event.op == Op::kSend || event.op == Op::kRecv;
      if (is_p2p || event.time_created_ns > std::min(calls.time_ns, over_ns - 1)) continue;
      const auto [place, is_new] = places.try_emplace(event.group, calls.groups.size());
      if (is_new) {
        calls.groups.push_back({trace.name(event.group), {}});
        calls.groups.back().ranks.resize(size_t(section.ranks()));
      }
      Call& call = calls.groups[place->second].ranks[size_t(rank)][event.collective_seq_id];
      call.event = event;
      if (event.time_completed_ns == 0 || event.time_completed_ns > calls.time_ns) continue;
      call.ended_ns = event.time_completed_ns;
      call.failed = call.failed || event.state == CollectiveState::kFailed;
    }
  }
  std::ranges::stable_sort(calls.groups, std::greater(),
                           [&](const CallGroup& one) { return one.name == first_group; });
  return calls;
}

Boxes call_boxes(const Trace& trace, const Calls& calls, const CallView& view) {
  Boxes boxes;
  for (const CallGroup& group : calls.groups)
    for (const int rank : view.ranks) boxes.rows.push_back(row_of(trace, calls, group, rank, view));
  return boxes;
}

Lanes call_lanes(const Trace& trace, const Calls& calls, const CallView& view) {
  Lanes lanes{.at = {tr("time"), "s"}, .lanes = {}, .items = {}};
  int64_t start = kNoEnd;
  for (const bool placed : {false, true}) {  // first where the axis begins, then the items
    for (const CallGroup& group : calls.groups) {
      const auto [first, last] = shown_calls(group);
      for (const int rank : view.ranks) {
        if (placed) lanes.lanes.push_back(tr("{}, rank {}", group.name, rank));
        for (const auto& [seq, call] : group.ranks[size_t(rank)]) {
          if (seq < first || seq > last) continue;
          start = std::min(start, call.event.time_created_ns);
          if (!placed) continue;
          const auto at = [&](int64_t ns) { return double(ns - start) * 1e-9; };
          lanes.items.push_back({.lane = lanes.lanes.size() - 1,
                                 .from = at(call.event.time_created_ns),
                                 .to = call.is_completed() ? at(call.ended_ns) : kNone,
                                 .name = fmt::format("#{} {}", seq, code_of(call.event.op)),
                                 .ink = ink_of_call(trace, call, view),
                                 .filled = call.is_completed()});
        }
      }
    }
  }
  return lanes;
}

Table call_counters(const Calls& calls, const CallView& view, int64_t worth_ns) {
  Table table{.columns = {{tr("rank")}}, .rows = {}};
  std::map<size_t, std::pair<int, int64_t>> came_last;  // times, ns
  for (const CallGroup& group : calls.groups) {
    table.columns.push_back({tr("{}: done, started, queued", group.name)});
    for (const auto& [seq, call] : group.ranks[0]) {
      std::vector<std::pair<int64_t, size_t>> came;
      for (size_t rank = 0; rank < group.ranks.size(); ++rank)
        if (const auto found = group.ranks[rank].find(seq); found != group.ranks[rank].end())
          came.emplace_back(found->second.event.time_created_ns, rank);
      std::ranges::sort(came);
      const int64_t late = came.size() < 2 ? 0 : came.back().first - came[came.size() - 2].first;
      if (came.size() < group.ranks.size() || late < worth_ns) continue;
      auto& [times, ns] = came_last[came.back().second];
      ++times;
      ns += late;
    }
  }
  table.columns.push_back({tr("came last"), "", true});
  for (const int rank : view.ranks) {
    std::vector<TableCell> row = {{tr("rank {}", rank)}};
    const bool gone = view.gone.contains(rank);
    for (const CallGroup& group : calls.groups) {
      const auto& own = group.ranks[size_t(rank)];
      int64_t completed = -1, started = -1;  // a call starts when the one before it is complete
      for (const auto& [seq, call] : own) {
        if (completed >= started) started = seq;
        if (call.is_completed()) completed = std::max(completed, seq);
      }
      const int64_t scheduled = own.empty() ? -1 : own.rbegin()->first;
      row.push_back({gone            ? "—"
                     : scheduled < 0 ? tr("none")
                                     : fmt::format("#{}, #{}, #{}", completed, started, scheduled)});
    }
    const auto [times, ns] = came_last[size_t(rank)];
    const std::string late = times == 0 ? "0" : tr("{} times, {}", times, waited_words(ns));
    row.push_back({gone ? "—" : late, double(ns)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::optional<LongestWait> longest_wait(const Calls& calls, const std::vector<int>& ranks, int64_t worth_ns) {
  LongestWait wait{.waited_ns = worth_ns};
  const CallGroup* in = nullptr;
  for (const CallGroup& group : calls.groups)
    for (const int rank : ranks)
      for (const auto& [seq, call] : group.ranks[size_t(rank)]) {
        const int64_t waited = waited_ns(call, calls.time_ns);
        if (call.is_completed() || waited <= wait.waited_ns) continue;
        wait = {.group = group.name, .seq = seq, .waited_ns = waited};
        in = &group;
      }
  if (in == nullptr) return std::nullopt;
  for (size_t rank = 0; rank < in->ranks.size(); ++rank)
    (in->ranks[rank].contains(wait.seq) ? wait.waiting : wait.missing).push_back(int(rank));
  return wait;
}

}  // namespace ringside::figure
