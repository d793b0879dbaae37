// What is around the program: how it was set up, its network, and peers that ended without a word here.
#include <set>

#include <fmt/format.h>

#include "clues.h"
#include "ringside/flight/words.h"

namespace ringside::inline logs {
namespace {

using Kind = LogEventKind;

void add_first(const Clues& clues, const LogEvent& event, Cause cause, Sure sure, const std::string& sentence,
               Diagnosis& diagnosis) {
  add_finding(diagnosis.first, cause, sure, sentence, {clues.evidence(event)},
              cause == Cause::kSetup ? event.ranks : std::vector<int>{});
}

std::string gloo_words(const LogEvent& event) {
  return fmt::format("{} waited in a {} of Gloo until its time was up; Gloo does not say for whom",
                     rank_words(event.rank), event.what == "pair" ? "send or recv" : event.what);
}

// Who timed out, beside who is in the log and did not.
bool gloo_blames(const Clues& clues, const std::vector<const LogEvent*>& timeouts, Diagnosis& diagnosis) {
  std::set<int> silent(clues.log.ranks.begin(), clues.log.ranks.end());
  for (const LogEvent* event : timeouts) silent.erase(event->rank);
  const std::vector<int> absent(silent.begin(), silent.end());
  const bool likely = clues.ended_by_launcher(absent);
  const std::string who = absent.empty() ? "a rank" : flight::name_ranks(absent);
  add_first(clues, *timeouts.front(), Cause::kAbsent, likely ? Sure::kLikely : Sure::kCannotBeTold,
            who + " did not come to that call: skipped, late, or stuck elsewhere", diagnosis);
  diagnosis.first.back().ranks = absent;
  if (likely)
    for (const LogEvent* exit : clues.of(Kind::kExit))
      if (exit->rank == absent.front()) diagnosis.first.back().evidence.push_back(clues.evidence(*exit));
  if (likely) return true;
  add_first(clues, *timeouts.front(), Cause::kTransport, Sure::kCannotBeTold, "the network between two ranks",
            diagnosis);
  return true;
}

bool by_lost(const Clues& clues, Diagnosis& diagnosis) {
  const LogEvent* lost = clues.first(Kind::kPeerLost);
  if (lost == nullptr) return false;
  const std::string peer =
      lost->ranks.empty() ? "; its own lines are not here" : fmt::format(" to rank {}", lost->ranks[0]);
  add_first(clues, *lost, Cause::kPeerLost, Sure::kLikely,
            lost->what == "a node" ? "the launcher lost a node: it went down, or the network to it"
                                   : fmt::format("another rank ended first, and {} lost its connection{}",
                                                 rank_words(lost->rank), peer),
            diagnosis);
  return true;
}

// How a launcher says that a rank ended; `how`: what the event has, "" for any.
bool by_exit(const Clues& clues, Diagnosis& diagnosis, std::string_view how) {
  for (const LogEvent* event : clues.of(Kind::kExit)) {
    if (event->exit_code == 0 || (!how.empty() && event->what != how)) continue;
    const bool aborted = event->exit_code == -6;
    const std::string who = rank_words(event->rank);
    std::string words = aborted ? who + " aborted itself (SIGABRT): an assertion in native code"
                                : fmt::format("{} ended with exit code {}; what it said before is not here",
                                              who, event->exit_code);
    if (event->what == "MPI_Abort") words = who + " called MPI_Abort, which ends the job; why, is not here";
    add_first(clues, *event, aborted ? Cause::kCrash : Cause::kException,
              how.empty() ? Sure::kCannotBeTold : Sure::kLikely, words, diagnosis);
    if (aborted)
      add_first(clues, *event, Cause::kAbsent, Sure::kCannotBeTold,
                "the watchdog aborted it, as a rank did not come to a call", diagnosis);
    diagnosis.first.front().ranks = event->rank >= 0 ? std::vector<int>{event->rank} : std::vector<int>{};
    return true;
  }
  return false;
}

}  // namespace

bool by_setup(const Clues& clues, Diagnosis& diagnosis) {
  const LogEvent* event = clues.first(Kind::kSetup);
  if (event == nullptr) return false;
  std::string sentence = "the job is set up so that NCCL cannot work: " + event->what;
  if (event->what == "one GPU twice" && event->ranks.size() == 2)
    sentence = fmt::format("ranks {} and {} use one GPU", event->ranks[0], event->ranks[1]);
  if (event->what == "shared memory") sentence = "shared memory (/dev/shm) is full or too small";
  add_first(clues, *event, Cause::kSetup, Sure::kCertain, sentence, diagnosis);
  return true;
}

bool by_network(const Clues& clues, Diagnosis& diagnosis) {
  auto events = clues.of(Kind::kNetwork);
  std::erase_if(events, [&](const LogEvent* event) { return clues.is_behind(*event); });
  if (events.empty()) return false;
  add_first(clues, *events.front(), Cause::kTransport, Sure::kLikely,
            "the network reported an error: " + events.front()->what +
                "; a peer that ended could look the same, and none is seen here",
            diagnosis);
  return true;
}

bool by_peer(const Clues& clues, Diagnosis& diagnosis) {
  if (const auto timeouts = clues.of(Kind::kGlooTimeout); !timeouts.empty()) {
    const LogEvent& event = *timeouts.front();
    add_fact(diagnosis.waits, gloo_words(event), {clues.evidence(event)});
    return gloo_blames(clues, timeouts, diagnosis);
  }
  if (const LogEvent* stuck = clues.first(Kind::kStuck)) {
    add_fact(diagnosis.waits, rank_words(stuck->rank) + "'s watchdog itself does not answer",
             {clues.evidence(*stuck)});
    add_first(clues, *stuck, Cause::kAbsent, Sure::kCannotBeTold,
              "a rank did not come to a call, and an abort of it hangs", diagnosis);
    add_first(clues, *stuck, Cause::kTransport, Sure::kCannotBeTold,
              "a call of CUDA or NCCL hangs, or the GIL is held in one", diagnosis);
    return true;
  }
  if (by_exit(clues, diagnosis, "MPI_Abort") || by_lost(clues, diagnosis) || by_exit(clues, diagnosis, ""))
    return true;
  if (clues.later.empty()) return false;
  const LogEvent& event = *clues.later.front();
  add_first(clues, event, Cause::kException, Sure::kCannotBeTold, "an error that follows from the timeout",
            diagnosis);
  return true;
}

}  // namespace ringside::inline logs
