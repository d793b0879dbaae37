// Every fault on every rank, in the first, a middle and the last step of every strategy, with the check on
// and off: nobody hangs, everybody ends with a typed error, and the right rank and call are named.
//
// ./check runs so many that every two of these stand together, several cases at once, and a third of them
// (RINGSIDE_MATRIX=few) under AddressSanitizer. All of it, one after the other, and how long each end may
// take: RINGSIDE_MATRIX=full, or ctest --test-dir build/release -C full -L matrix
#include <catch.h>

#include "../train/tiny_training.h"
#include "pairwise.h"
#include "ringside/base/clock.h"
#include "ringside/comm/errors.h"
#include "ringside/flight/report.h"
#include "ringside/train/trainer.h"
#include "stand_in_device.h"

using namespace ringside;
using namespace ringside::testing;
using std::chrono::milliseconds;

namespace {

constexpr int kRanks = 4;
constexpr int64_t kSteps = 3;
constexpr milliseconds kInTime{1100};  // the deadline of the full matrix and a tenth of it
constexpr milliseconds kAtOnce{250};   // after a rank was lost

std::string wanted() {
  const char* words = std::getenv("RINGSIDE_MATRIX");
  return words == nullptr ? "" : words;
}
bool full() { return wanted() == "full"; }

// Ranks of a run without a fault are apart by less than a tenth of it, also where others run beside it.
milliseconds deadline() { return milliseconds(full() ? 1000 : 2000); }
int cases_at_once() { return full() ? 1 : 8; }  // most of them wait

struct Case {
  FaultKind kind;
  int rank;
  int64_t step;
  int stage;
  bool check;
};

std::string to_string(const Case& one) {
  std::ostringstream text;
  text << ringside::to_string(one.kind) << ", rank " << one.rank << ", step " << one.step << ", stage "
       << one.stage << ", check " << (one.check ? "on" : "off");
  return text.str();
}

constexpr std::array kKinds = {FaultKind::kSkip,       FaultKind::kExtra, FaultKind::kWrongSize,
                               FaultKind::kWrongDtype, FaultKind::kDelay, FaultKind::kStop,
                               FaultKind::kKill,       FaultKind::kRaise, FaultKind::kNan};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const FaultKind kind : kKinds)
    for (int rank = 0; rank < kRanks; ++rank)
      for (int64_t step = 0; step < kSteps; ++step)
        for (int stage = 0; stage <= 3; ++stage)
          for (const bool check : {true, false}) cases.push_back({kind, rank, step, stage, check});
  return cases;
}

std::vector<Case> chosen_cases() {
  if (full()) return all_cases();
  std::vector<Case> cases;
  for (const std::vector<size_t>& row : testing::pairwise({kKinds.size(), kRanks, kSteps, 4, 2}))
    cases.push_back({kKinds[row[0]], static_cast<int>(row[1]), static_cast<int64_t>(row[2]),
                     static_cast<int>(row[3]), row[4] == 0});
  size_t nth = 0;
  if (wanted() == "few") std::erase_if(cases, [&](const Case&) { return nth++ % 3 != 0; });
  return cases;
}

const Dataset& data() {
  static const Dataset dataset = ringside::testing::tiny_data();
  return dataset;
}

TrainerConfig training(const Case& one) {
  TrainerConfig config = ringside::testing::tiny_config(kRanks, one.stage);
  config.steps = kSteps;
  config.check = one.check;
  config.timeout = deadline();
  config.device = tested_device();
  config.two_groups = (one.rank + one.stage) % 2 == 0;
  return config;
}

// Before and inside take turns, so that both strike every kind of collective.
Fault fault_of(const Case& one) {
  Fault fault{.kind = one.kind, .rank = one.rank, .step = one.step, .tag = "gradients"};
  const bool may_be_inside = one.kind == FaultKind::kDelay || one.kind == FaultKind::kStop ||
                             one.kind == FaultKind::kKill || one.kind == FaultKind::kRaise;
  if (may_be_inside && (one.rank + static_cast<int>(one.step)) % 2 == 1) fault.when = FaultMoment::kInside;
  fault.time = deadline() * 3 / 2;
  return fault;
}

struct RankEnd {
  bool completed = false, killed = false, raised = false, typed = false, diverged = false;
  std::vector<int> ranks;  // that the error names
  std::string message;
  int64_t time_ns = 0;
};

RankEnd end_of(const std::exception_ptr& error) {
  RankEnd end;
  end.time_ns = now_ns();
  end.completed = error == nullptr;
  if (end.completed) return end;
  try {
    std::rethrow_exception(error);
  } catch (const RankKilled&) {
    end.killed = true;
  } catch (const PlannedError&) {
    end.raised = true;
  } catch (const CollectiveError& typed) {
    end.typed = true;
    end.ranks = typed.ranks();
    end.message = typed.what();
  } catch (const DivergedError& diverged) {
    end.typed = end.diverged = true;
    end.message = diverged.what();
  } catch (const std::exception& other) {
    end.message = other.what();
  }
  return end;
}

struct Outcome {
  std::vector<RankEnd> ends{kRanks};
  std::vector<FlightDump> dumps;  // (rank)
  FlightReport report;
  int64_t struck = 0;
};

Outcome run(const Case& one) {
  Outcome outcome;
  FaultInjector faults({{fault_of(one)}}, kRanks);
  std::vector<std::unique_ptr<FlightRecorder>> flights;
  TrainerHooks hooks;
  hooks.faults = &faults;
  for (int rank = 0; rank < kRanks; ++rank) {
    flights.push_back(std::make_unique<FlightRecorder>(rank));
    hooks.flights.push_back(flights.back().get());
  }
  hooks.on_rank_end = [&](int rank, const std::exception_ptr& error) {
    outcome.ends[static_cast<size_t>(rank)] = end_of(error);
  };
  const auto run_with = [&](TrainerHooks own) {
    const auto store = TraceStore::create("matrix");
    try {
      train(training(one), data(), *store, "run", std::move(own));
    } catch (const std::exception&) {  // each rank's own end has been noted
    }
  };
  if (is_as_processes()) {
    std::vector<std::thread> ranks;
    for (const auto& process : connect_as_processes(kRanks)) {
      hooks.process = process;
      ranks.emplace_back(run_with, hooks);
    }
    hooks.process.reset();
    for (std::thread& rank : ranks) rank.join();
  } else {
    run_with(hooks);
  }
  outcome.struck = faults.struck();
  std::vector<FlightDump> left;
  for (const auto& flight : flights) {
    outcome.dumps.push_back(flight->dump());
    if (!outcome.ends[static_cast<size_t>(flight->rank())].killed) left.push_back(outcome.dumps.back());
  }
  outcome.report = merge_flights(left);
  return outcome;
}

std::vector<Outcome> run_all(const std::vector<Case>& cases) {
  std::vector<Outcome> outcomes(cases.size());
  std::atomic<size_t> next = 0;
  data();  // made once, before they share it
  std::vector<std::thread> threads;
  for (int i = 0; i < cases_at_once(); ++i) {
    threads.emplace_back([&] {
      for (size_t at; (at = next++) < cases.size();) outcomes[at] = run(cases[at]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return outcomes;
}

// When the rank entered the call that it never came out of.
int64_t entered_ns(const FlightDump& dump) {
  for (const FlightEntry& entry : dump.entries)
    if (entry.state != CollectiveState::kCompleted) return entry.time_created_ns;
  return INT64_MAX;
}

bool loses_a_rank(FaultKind kind) { return kind == FaultKind::kKill || kind == FaultKind::kRaise; }

double ms(int64_t ns) { return static_cast<double>(ns) * 1e-6; }

// The slowest of each kind, to be printed at the end.
std::map<std::string, double> slowest;
void note_slowest(const std::string& what, double value) { slowest[what] = std::max(slowest[what], value); }

void check_ends(const Case& one, const Outcome& outcome) {
  const RankEnd& culprit = outcome.ends[static_cast<size_t>(one.rank)];
  CHECK(culprit.killed == (one.kind == FaultKind::kKill));
  CHECK(culprit.raised == (one.kind == FaultKind::kRaise));
  for (int rank = 0; rank < kRanks; ++rank) {
    const RankEnd& end = outcome.ends[static_cast<size_t>(rank)];
    CAPTURE(rank, end.message);
    CHECK_FALSE(end.completed);
    if (end.killed || end.raised) continue;
    CHECK(end.typed);
    if (end.diverged) continue;  // nobody waits for anybody
    if (loses_a_rank(one.kind)) {
      const double late = ms(end.time_ns - std::max(culprit.time_ns, entered_ns(outcome.dumps[rank])));
      note_slowest(std::string(ringside::to_string(one.kind)), late);
      if (full()) CHECK(late <= static_cast<double>(kAtOnce.count()));
    } else if (entered_ns(outcome.dumps[rank]) < INT64_MAX) {
      const double waited = ms(end.time_ns - entered_ns(outcome.dumps[rank]));
      note_slowest(std::string(ringside::to_string(one.kind)) + (one.check ? ", check on" : ", check off"),
                   waited);
      if (full()) CHECK(waited <= static_cast<double>(kInTime.count()));
    }
  }
}

// A rank that sleeps is woken when another one gives up. It may then make that call, and come out of it,
// before it hears that the group broke: the report has the next call then, and who gave up has this one.
bool one_gave_up_in(const std::string& tag, const Case& one, const Outcome& outcome) {
  return std::ranges::any_of(outcome.dumps, [&](const FlightDump& dump) {
    const auto entry = std::ranges::find_if(
        dump.entries, [](const FlightEntry& of) { return of.state != CollectiveState::kCompleted; });
    return dump.rank != one.rank && entry != dump.entries.end() && entry->tag == tag;
  });
}

// What the check sees at the call is in each rank's error; the rest is in the merged report.
void check_culprit(const Case& one, const Outcome& outcome) {
  const std::vector<int> culprit = {one.rank};
  const bool seen_at_the_call =
      one.check &&
      (one.kind == FaultKind::kSkip || one.kind == FaultKind::kExtra || one.kind == FaultKind::kWrongSize ||
       one.kind == FaultKind::kWrongDtype || one.kind == FaultKind::kNan);
  if (seen_at_the_call) {
    for (const RankEnd& end : outcome.ends) {
      CAPTURE(end.message);
      CHECK(end.ranks == culprit);
      CHECK(end.message.find("dp #") != std::string::npos);
    }
    return;
  }
  if (one.kind == FaultKind::kNan) {
    for (const RankEnd& end : outcome.ends) {
      CAPTURE(end.message);
      CHECK(end.diverged);
    }
    return;
  }
  const FlightReport& report = outcome.report;
  CAPTURE(report.sentence);
  if (loses_a_rank(one.kind)) {  // the others may have been anywhere just then
    CHECK(report.suspects == culprit);
    for (int rank = 0; rank < kRanks; ++rank)
      if (rank != one.rank) CHECK(outcome.ends[static_cast<size_t>(rank)].ranks == culprit);
    return;
  }
  REQUIRE_FALSE(report.stuck.empty());
  CHECK(report.stuck.front().call.group == "dp");
  const char* which = report.grounds == Grounds::kKnown ? "certain reports" : "uncertain reports";
  note_slowest(which, slowest[which] + 1);
  const bool paired_wrongly = !one.check && (one.kind == FaultKind::kSkip || one.kind == FaultKind::kExtra);
  if (!paired_wrongly || report.grounds >= Grounds::kMajority) CHECK(report.suspects == culprit);
  if (one.kind == FaultKind::kDelay || one.kind == FaultKind::kStop)
    CHECK(one_gave_up_in("gradients", one, outcome));
  else if (!paired_wrongly)
    CHECK(report.stuck.front().call.tag == "gradients");
}

}  // namespace

TEST_CASE("the fault matrix") {
  const std::vector<Case> cases = chosen_cases();
  const auto start = SteadyClock::now();
  const std::vector<Outcome> outcomes = run_all(cases);
  for (size_t i = 0; i < cases.size(); ++i) {
    INFO(to_string(cases[i]));
    CHECK(outcomes[i].struck == 1);
    check_ends(cases[i], outcomes[i]);
    check_culprit(cases[i], outcomes[i]);
  }
  std::cout << cases.size() << " cases, " << std::chrono::duration<double>(SteadyClock::now() - start).count()
            << " s; the longest that a rank took, ms:\n";
  for (const auto& [what, value] : slowest) std::cout << "  " << what << ": " << value << '\n';
}
