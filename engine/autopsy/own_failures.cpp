// A rank that failed by itself: the others wait for it, and their timeouts and lost connections follow.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "clues.h"
#include "ringside/flight/words.h"

namespace ringside::inline logs {
namespace {

using Kind = LogEventKind;
using Events = std::vector<const LogEvent*>;

Cause cause_of(const LogEvent& event) {
  static constexpr std::pair<Kind, Cause> kCauses[] = {{Kind::kOutOfMemory, Cause::kOutOfMemory},
                                                       {Kind::kGpuFault, Cause::kGpuFault},
                                                       {Kind::kCrash, Cause::kCrash},
                                                       {Kind::kKilled, Cause::kKilled}};
  if (event.kind == Kind::kExit) return event.exit_code == -9 ? Cause::kKilled : Cause::kCrash;
  const auto found = std::ranges::find(kCauses, event.kind, &std::pair<Kind, Cause>::first);
  return found == std::end(kCauses) ? Cause::kException : found->second;
}

std::string who(const LogEvent& event) {
  if (event.rank >= 0) return fmt::format("rank {}", event.rank);
  if (event.local_rank >= 0) return fmt::format("the rank with local_rank {}", event.local_rank);
  return "a rank";
}

std::string what_happened(const LogEvent& event) {
  const Cause cause = cause_of(event);
  if (cause == Cause::kOutOfMemory) return "ran out of GPU memory";
  if (cause == Cause::kGpuFault)
    return event.what == "hardware" ? "has a GPU that reported a hardware fault" : "got an error of CUDA";
  if (cause == Cause::kCrash)
    return event.exit_code == -7 ? "ended by SIGBUS, often for want of shared memory (/dev/shm)"
                                 : "ended by SIGSEGV, in native code";
  if (cause == Cause::kKilled)
    return event.kind == Kind::kExit || event.what.empty() ? "was killed by SIGKILL"
                                                           : "was killed: " + event.what;
  return "raised " + (event.what.empty() ? std::string("an exception") : event.what) +
         (event.where.empty() ? "" : fmt::format(" (innermost frame {})", event.where));
}

// The rank that torchrun's table has for it, where that is one alone; else -1.
int rank_in_table(const Clues& clues, const LogEvent& event) {
  int rank = -1;
  for (const LogEvent* row : clues.of(Kind::kExit)) {
    if (row->rank < 0 || (row->what != "table" && row->what != "MPI_Abort" && row->what != "srun")) continue;
    const bool fits = event.local_rank >= 0 ? row->local_rank == event.local_rank : row->exit_code > 0;
    if (fits && rank >= 0 && rank != row->rank) return -1;
    if (fits) rank = row->rank;
  }
  return rank;
}

// One kind of failure, with the ranks that have it.
struct Failure {
  const LogEvent* first = nullptr;
  std::vector<int> ranks;
};

std::string kind_of(const LogEvent& event) {
  const std::string cause(to_string(cause_of(event)));
  // Of one error in every rank the numbers differ.
  return event.kind == Kind::kException
             ? cause + event.what.substr(0, event.what.find_first_of("0123456789:"))
             : cause;
}

std::vector<Failure> failures_in(const Events& events) {
  std::vector<std::pair<std::string, Failure>> all;
  for (const LogEvent* event : events) {
    auto found = std::ranges::find(all, kind_of(*event), [](const auto& one) { return one.first; });
    if (found == all.end()) found = all.insert(all.end(), {kind_of(*event), {.first = event, .ranks = {}}});
    Failure& failure = found->second;
    if (event->rank >= 0 && std::ranges::count(failure.ranks, event->rank) == 0)
      failure.ranks.push_back(event->rank);
  }
  std::vector<Failure> result;
  for (auto& [kind, failure] : all) {
    std::ranges::sort(failure.ranks);
    result.push_back(std::move(failure));
  }
  return result;
}

// A killed or crashed process says nothing itself: what another rank said before it is earlier, and what
// was said of it by the launcher is later.
int strength(const Failure& failure) { return failure.first->kind == Kind::kExit ? 1 : 0; }

std::string by_whom(const Failure& failure) {
  if (cause_of(*failure.first) != Cause::kKilled || failure.first->what.starts_with("the host")) return "";
  if (failure.first->what.ends_with("time limit"))
    return "; whether it was at work or hung, that line does not say";
  if (failure.first->what.starts_with("its launcher"))
    return "; signal 1 is a terminal that was closed, 15 a scheduler or a person";
  return "; the kernel's OOM killer, a scheduler's limit or a person: the log does not say which";
}

// In the order in which they happened. A launcher's line is later than what it tells of, so that by time it
// comes first only where it is the earlier one.
std::vector<Failure> in_order(const Events& events) {
  std::vector<Failure> failures = failures_in(events);
  std::ranges::stable_sort(failures, {}, strength);
  for (size_t i = 1; i < failures.size(); ++i) {
    const LogEvent &one = *failures[i].first, &first = *failures.front().first;
    if (strength(failures[i]) > 0 && one.file != first.file && apart_ms(one, first).value_or(0) > kClocksMs)
      std::rotate(failures.begin(), failures.begin() + std::ptrdiff_t(i),
                  failures.begin() + std::ptrdiff_t(i) + 1);
  }
  return failures;
}

Finding found_of(const Clues& clues, const Failure& failure) {
  const LogEvent& event = *failure.first;
  std::vector<int> ranks = failure.ranks;
  if (ranks.empty())
    if (const int rank = rank_in_table(clues, event); rank >= 0) ranks = {rank};
  std::string subject = who(event);
  if (ranks.size() > 1 || (ranks.size() == 1 && event.rank < 0)) subject = flight::name_ranks(ranks);
  Finding found{cause_of(event),
                Sure::kLikely,
                ranks,
                flight::upper_first(fmt::format("{} {}{}", subject, what_happened(event), by_whom(failure))),
                {clues.evidence(event)}};
  if (ranks.size() > 1) found.sentence += "; the earliest of them in the log is " + who(event);
  return found;
}

// Between the lines of two files, by their times.
std::optional<int64_t> apart_in_two_files(const LogEvent& a, const LogEvent* b) {
  return b == nullptr || a.file == b->file ? std::nullopt : apart_ms(a, *b);
}

// The failure is the only one, in the file of the timeouts and before them.
bool is_certain(const Clues& clues, const std::vector<Failure>& failures, const Finding& found) {
  const LogEvent& event = *failures.front().first;
  const LogEvent* timeout = clues.first_timeout;
  const bool in_order = timeout == nullptr || (timeout->file == event.file && !clues.is_behind(event));
  const bool known = (event.rank >= 0 || timeout == nullptr) && event.what != "exit string";
  return failures.size() == 1 && found.ranks.size() <= 1 && known && in_order;
}

std::string seconds(int64_t ms) { return fmt::format("{:.1f} s", double(ms) / 1000); }

void add_others(const Clues& clues, const std::vector<Failure>& failures, Diagnosis& diagnosis) {
  for (size_t i = 1; i < std::min<size_t>(failures.size(), 3); ++i) {
    const LogEvent& event = *failures[i].first;
    add_finding(diagnosis.waits, cause_of(event), Sure::kLikely,
                who(event) + " " + what_happened(event) + ", which may follow from it",
                {clues.evidence(event)}, failures[i].ranks);
  }
}

}  // namespace

bool by_own_failure(const Clues& clues, Diagnosis& diagnosis) {
  std::vector<Failure> failures = in_order(clues.own);
  if (failures.empty()) return false;
  Finding found = found_of(clues, failures.front());
  if (is_certain(clues, failures, found)) found.sure = Sure::kCertain;
  const LogEvent* next = failures.size() > 1 ? failures[1].first : clues.first_timeout;
  const auto apart = apart_in_two_files(*failures.front().first, next);
  if (apart && *apart > kClocksMs)
    found.sentence +=
        fmt::format("; by the times of the lines {} before {}, if the hosts' clocks agree", seconds(*apart),
                    failures.size() > 1 ? "what befell " + who(*next) : "the first timeout");
  diagnosis.first.push_back(std::move(found));
  if (failures.size() == 1 || !apart || std::abs(*apart) > kClocksMs) {
    add_others(clues, failures, diagnosis);
    return true;
  }
  // Two failures closer than clocks can tell.
  Finding other = found_of(clues, failures[1]);
  for (Finding* one : {&diagnosis.first.back(), &other}) one->sure = Sure::kCannotBeTold;
  other.sentence +=
      fmt::format("; by the times of the lines {} later, which the clocks of two hosts do not settle",
                  seconds(std::abs(*apart)));
  diagnosis.first.push_back(std::move(other));
  return true;
}

}  // namespace ringside::inline logs
