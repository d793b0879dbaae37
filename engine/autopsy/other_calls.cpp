// What a line or the dumps say by themselves: ranks that made different calls, or that did not come.
#include <algorithm>

#include <fmt/format.h>

#include "clues.h"
#include "ringside/flight/report.h"
#include "ringside/flight/words.h"

namespace ringside::inline logs {
namespace {

using Kind = LogEventKind;

std::string fingerprint_words(const LoggedCall& call) {
  std::string words = call.op.empty() ? "a call" : call.op;
  if (!call.shape.empty()) words += " of shape " + call.shape;
  if (call.seq >= 0) words += fmt::format(" (#{})", call.seq);
  return words;
}

// MPI_ERR_TRUNCATE
bool by_truncation(const Clues& clues, const LogEvent& event, Diagnosis& diagnosis) {
  Finding& found = add_finding(diagnosis.first, Cause::kOtherSize, Sure::kLikely,
                               rank_words(event.rank) +
                                   " got a message that is longer than its buffer: ranks made one call with "
                                   "different sizes, or different calls",
                               {clues.evidence(event)});
  if (event.rank >= 0) found.ranks = {event.rank};
  return true;
}

bool by_fingerprint(const Clues& clues, Diagnosis& diagnosis) {
  const auto events = clues.of(Kind::kFingerprint);
  if (events.empty()) return false;
  const LogEvent& event = *events.front();
  if (event.what == "truncated") return by_truncation(clues, event, diagnosis);
  const bool both = !event.other.op.empty();
  const LogEvent* second = nullptr;  // PyTorch before 2.0 writes a line a rank
  for (const LogEvent* other : events)
    if (!both && other->rank != event.rank && second == nullptr) second = other;
  const LoggedCall& theirs = second != nullptr ? second->call : event.other;
  std::vector<int> ranks;
  if (event.rank >= 0) ranks.push_back(event.rank);
  if (second != nullptr) ranks.push_back(second->rank);
  ranks.insert(ranks.end(), event.ranks.begin(), event.ranks.end());
  std::ranges::sort(ranks);
  const bool known = both || second != nullptr;
  const bool same_op = known && event.call.op == theirs.op && event.call.seq == theirs.seq;
  std::string sentence =
      known
          ? fmt::format("{} made {} where {} made {}", rank_words(event.rank), fingerprint_words(event.call),
                        rank_words(second != nullptr ? second->rank : event.ranks.front()),
                        fingerprint_words(theirs))
          : fmt::format("{} made a call that does not match", rank_words(event.rank));
  Finding& found = add_finding(diagnosis.first, same_op ? Cause::kOtherSize : Cause::kOtherCall,
                               known ? Sure::kCertain : Sure::kLikely,
                               sentence + "; which of them is wrong cannot be told from it",
                               {clues.evidence(event)}, ranks);
  if (second != nullptr) found.evidence.push_back(clues.evidence(*second));
  return true;
}

bool by_lagging(const Clues& clues, Diagnosis& diagnosis) {
  const LogEvent* event = clues.first(Kind::kLagging);
  if (event == nullptr) return false;
  const bool numbered = event->what.empty();
  add_finding(diagnosis.first, Cause::kAbsent, numbered ? Sure::kLikely : Sure::kCertain,
              fmt::format("{} did not come to {}", flight::name_ranks(event->ranks),
                          numbered ? fmt::format("call #{}", event->call.seq) : event->what),
              {clues.evidence(*event)}, event->ranks);
  return true;
}

Cause cause_of(const FlightReport& report) {
  const StuckCollective* stuck = report.stuck.empty() ? nullptr : &report.stuck.front();
  if (report.mispaired) stuck = &*report.mispaired;
  if (stuck == nullptr) return Cause::kNothing;
  if (stuck->state == MatchState::kSizeOrSyntaxMismatch ||
      stuck->state == MatchState::kCollectiveDtypeMismatch)
    return Cause::kOtherSize;
  if (stuck->state == MatchState::kCollectiveTypeMismatch) return Cause::kOtherCall;
  if (!report.cycle.empty() || report.mispaired) return Cause::kOtherCall;
  return stuck->missing.empty() ? Cause::kTransport : Cause::kAbsent;
}

}  // namespace

std::string rank_words(int rank) { return rank < 0 ? "a rank" : fmt::format("rank {}", rank); }

bool by_mismatch(const Clues& clues, Diagnosis& diagnosis) {
  return by_fingerprint(clues, diagnosis) || by_lagging(clues, diagnosis);
}

bool by_dumps(const std::vector<FlightDump>& dumps, Diagnosis& diagnosis) {
  if (dumps.empty()) return false;
  const FlightReport report = merge_flights(dumps);
  const Cause cause = cause_of(report);
  if (cause == Cause::kNothing) return false;
  Sure sure = report.grounds == Grounds::kKnown ? Sure::kCertain : Sure::kLikely;
  if (report.suspects.empty()) sure = Sure::kCannotBeTold;
  if (cause == Cause::kTransport) sure = Sure::kLikely;  // everybody called it, and nobody disagrees
  Finding& found = add_finding(
      diagnosis.first, cause, sure, report.sentence,
      {{"flight recorders", fmt::format("{} dumps merged; `ringside flight` shows the calls", dumps.size())}},
      report.suspects.empty() ? report.possible : report.suspects);
  if (found.sentence.ends_with('.')) found.sentence.pop_back();
  return true;
}

}  // namespace ringside::inline logs
