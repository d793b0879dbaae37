#include "clues.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include "ringside/base/units.h"
#include "ringside/flight/words.h"

namespace ringside::inline logs {
namespace {

using Kind = LogEventKind;

bool is_own(const LogEvent& event) {
  if (event.kind == Kind::kExit)
    return event.exit_code == -9 || event.exit_code == -11 || event.exit_code == -7;
  return event.kind == Kind::kException || event.kind == Kind::kOutOfMemory ||
         event.kind == Kind::kGpuFault || event.kind == Kind::kCrash || event.kind == Kind::kKilled;
}

// A rank that waits in a call after it failed went on: the program caught that exception.
bool went_on(const LogEvent& event, const std::vector<Waiting>& all) {
  return event.rank >= 0 && event.kind != Kind::kExit && event.kind != Kind::kKilled &&
         std::ranges::any_of(all, [&](const Waiting& one) { return one.rank == event.rank; });
}

// Behind a timeout in the file, and yet perhaps before it in time: logs of ranks are joined one behind the
// other. The rank itself timed out nowhere, and the error is none that a lost peer leaves.
bool may_be_earlier(const LogEvent& event, const std::vector<Waiting>& all) {
  constexpr std::string_view kLeftByPeers[] = {"RuntimeError", "Connection", "BrokenPipe", "EOFError",
                                               "Timeout"};
  const auto is = [&](std::string_view type) { return event.what.find(type) != std::string::npos; };
  return (event.kind == Kind::kOutOfMemory || event.kind == Kind::kException) && event.rank >= 0 &&
         std::ranges::none_of(kLeftByPeers, is) &&
         std::ranges::none_of(all, [&](const Waiting& one) { return one.rank == event.rank; });
}

void add_waiting(const LogEvent& event, std::vector<Waiting>& all) {
  Waiting made{.rank = event.rank, .group = {}, .call = event.call, .event = &event};
  const bool told = std::ranges::any_of(all, [&](const Waiting& other) {
    return other.rank == made.rank && other.call.seq == made.call.seq && other.call.op == made.call.op;
  });
  if (!told) all.push_back(std::move(made));
}

// The line behind a timeout says its group; it has the same rank and number.
void join_progress(const LogEvent& event, std::vector<Waiting>& all) {
  bool known = false;
  for (Waiting& waiting : all) {
    if (waiting.rank != event.rank || waiting.call.seq != event.call.seq) continue;
    if (waiting.group.empty()) waiting.group = event.group;
    known = true;
  }
  if (!known && event.call.seq >= 0) all.push_back({event.rank, event.group, event.call, &event});
}

// Of several files, where every one of them has its time; else as they stand.
void sort_by_time(std::vector<const LogEvent*>& events) {
  const bool all_timed = std::ranges::all_of(
      events, [&](const LogEvent* event) { return apart_ms(*events.front(), *event).has_value(); });
  if (all_timed) std::ranges::stable_sort(events, {}, [](const LogEvent* event) { return event->time.ms; });
}

// Settings that a rank of the log contradicts are another job's.
void find_silent(Clues& clues) {
  const int last = clues.log.ranks.empty() ? -1 : *clues.log.ranks.rbegin();
  clues.world = clues.settings.world() > last ? clues.settings.world() : clues.log.world;
  if (clues.log.ranks.empty() || clues.settings.world() <= last) return;
  constexpr int64_t kMostNamed = 16'384;
  if (clues.world > kMostNamed) return;
  for (int rank = 0; rank < clues.world; ++rank)
    if (!clues.log.ranks.contains(rank)) clues.silent.push_back(rank);
}

// Ranks of these have sizes of their own, or a partner of their own.
bool is_asymmetric(const std::string& op) {
  return op.starts_with("ALLTOALL") || op == "SEND" || op == "RECV" || op == "COALESCED" || op == "GATHER" ||
         op == "SCATTER" || op.empty();
}

}  // namespace

std::vector<const LogEvent*> Clues::of(Kind kind) const {
  std::vector<const LogEvent*> found;
  for (const LogEvent& event : log.events)
    if (event.kind == kind) found.push_back(&event);
  return found;
}

const LogEvent* Clues::first(Kind kind) const {
  const auto found = std::ranges::find(log.events, kind, &LogEvent::kind);
  return found == log.events.end() ? nullptr : &*found;
}

bool Clues::ended_by_launcher(const std::vector<int>& ranks) const {
  const auto exits = of(Kind::kExit);
  return !ranks.empty() && std::ranges::all_of(ranks, [&](int rank) {
    return std::ranges::any_of(
        exits, [&](const LogEvent* exit) { return exit->rank == rank && exit->exit_code == -15; });
  });
}

std::optional<int64_t> apart_ms(const LogEvent& a, const LogEvent& b) {
  const LineTime &from = a.time, &to = b.time;
  if (from.ms < 0 || to.ms < 0 || from.is_utc != to.is_utc || from.has_year != to.has_year)
    return std::nullopt;
  return to.ms - from.ms;
}

bool Clues::is_behind(const LogEvent& event) const {
  if (first_timeout == nullptr) return false;
  if (event.file == first_timeout->file) return event.line > first_timeout->line;
  return apart_ms(*first_timeout, event).value_or(0) > kClocksMs;
}

Clues clues_of(const Log& log, const JobSettings& settings) {
  Clues clues{.log = log, .settings = settings, .silent = {}, .waiting = {}, .own = {}, .later = {}};
  find_silent(clues);
  for (const LogEvent& event : log.events) {
    if (event.kind == Kind::kTimeout) add_waiting(event, clues.waiting);
    if (event.kind != Kind::kTimeout && event.kind != Kind::kProgress) continue;
    if (clues.first_timeout == nullptr ||
        (event.file != clues.first_timeout->file && apart_ms(*clues.first_timeout, event).value_or(0) < 0))
      clues.first_timeout = &event;
  }
  for (const LogEvent& event : log.events)
    if (event.kind == Kind::kProgress) join_progress(event, clues.waiting);
  for (const LogEvent& event : log.events)
    if (is_own(event)) {
      const bool told = clues.first_timeout != nullptr && event.file != clues.first_timeout->file;
      const bool behind = clues.is_behind(event) && (told || !may_be_earlier(event, clues.waiting));
      (behind || went_on(event, clues.waiting) ? clues.later : clues.own).push_back(&event);
    }
  sort_by_time(clues.own);
  return clues;
}

Finding& add_finding(std::vector<Finding>& to, Cause cause, Sure sure, const std::string& sentence,
                     std::vector<Evidence> evidence, std::vector<int> ranks) {
  return to.emplace_back(
      Finding{cause, sure, std::move(ranks), flight::upper_first(sentence), std::move(evidence)});
}

Finding& add_fact(std::vector<Finding>& to, const std::string& sentence, std::vector<Evidence> evidence) {
  return add_finding(to, Cause::kNothing, Sure::kCertain, sentence, std::move(evidence));
}

std::string call_words(const LoggedCall& call) {
  std::string words = call.op.empty() ? "a call" : call.op;
  if (call.numel_in > 0)
    words += fmt::format(" of {} element{}", format_count(call.numel_in), call.numel_in == 1 ? "" : "s");
  if (call.seq >= 0) words = fmt::format("#{} {}", call.seq, words);
  return words;
}

std::string in_group(const std::string& group) { return group.empty() ? "" : " of group " + group; }

std::vector<int> ranks_of(const Group& group) {
  std::set<int> ranks;
  for (const Waiting* one : group)
    if (one->rank >= 0) ranks.insert(one->rank);
  return {ranks.begin(), ranks.end()};
}

std::map<std::string, Group> by_group(const Clues& clues) {
  std::map<std::string, Group> groups;
  for (const Waiting& one : clues.waiting) groups[one.group].push_back(&one);
  // What is of one call is of one group: a line without the group's name joins those of the same call.
  if (groups.size() == 2 && groups.contains("")) {
    auto& known = std::ranges::find_if(groups, [](const auto& g) { return !g.first.empty(); })->second;
    for (const Waiting* one : groups[""]) known.push_back(one);
    groups.erase("");
  }
  return groups;
}

Sides sides_of(const Group& group) {
  std::map<int, const Waiting*> heads;
  for (const Waiting* waiting : group) {
    const Waiting*& head = heads[waiting->rank];
    if (head == nullptr || (waiting->call.seq >= 0 && waiting->call.seq < head->call.seq)) head = waiting;
  }
  Sides sides;
  const Waiting* one = nullptr;
  for (const auto& [rank, head] : heads) {
    if (rank < 0) continue;
    sides.all[call_words(head->call)].push_back(head);
    if (one == nullptr || one->call.op.empty()) one = head;
    if (head->call.op.empty() || one->call.op.empty()) continue;
    sides.seqs |= head->call.seq != one->call.seq;
    sides.ops |= head->call.op != one->call.op;
    sides.sizes |= !is_asymmetric(head->call.op) && head->call.numel_in != one->call.numel_in &&
                   head->call.numel_in >= 0 && one->call.numel_in >= 0;
  }
  return sides;
}

}  // namespace ringside::inline logs
