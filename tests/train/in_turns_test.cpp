// Trainings that take turns: one at a time, in the order that a comparison needs, and each as if it were
// alone.
#include "ringside/train/in_turns.h"

#include <algorithm>

#include "catch.h"
#include "ringside/base/error.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

struct Span {
  char section;
  int64_t start, end;
};

// Of all ranks and sections, by the time at which they began. What a rank does after its update may last into
// the next turn: the sum of the metrics has reached rank 0, and this rank has not noticed yet.
std::vector<Span> updates_of(const Trace& trace) {
  std::vector<Span> updates;
  for (const SectionView& section : trace.sections()) {
    for (int rank = 0; rank < section.ranks(); ++rank) {
      int64_t start = 0;  // of the step: its span is written after that of the update within
      for (const SpanEvent& span : section.spans(rank)) {
        if (trace.name(span.name) == "forward" && start == 0) start = span.start_ns;
        if (trace.name(span.name) != "update") continue;
        updates.push_back({section.name().front(), start, span.end_ns});
        start = 0;
      }
    }
  }
  std::sort(updates.begin(), updates.end(), [](const Span& a, const Span& b) { return a.start < b.start; });
  return updates;
}

Turn turn(const std::string& section, int stage) {
  return {tiny_config(2, stage), section, {{"of", "a test"}}};
}

}  // namespace

TEST_CASE("rounds change their order, and nobody steps in another's turn") {
  const auto store = TraceStore::create("test");
  RunControl control;
  int turns = 0;
  TraceRows rows;
  const auto results =
      train_in_turns({turn("a", 0), turn("b", 3)}, 3, tiny_data(), *store, control, rows, [&] { ++turns; });
  CHECK(turns == 8);
  REQUIRE(results.size() == 2);
  std::string order;
  int64_t end = 0;
  char last = ' ';
  for (const Span& step : updates_of(store->snapshot())) {
    if (step.section != last) {
      order += step.section;
      CHECK(step.start > end);
      end = 0;
    }
    last = step.section;
    end = std::max(end, step.end);
  }
  CHECK(order == "ababab");  // a b to warm up; a b, b a, a b: two steps of one training stand side by side
  CHECK(store->snapshot().find("b")->text("of") == "a test");
  CHECK(store->snapshot().find("a")->number("steps") == 4);
  for (const int rank : {0, 1}) {
    const auto cpu = cpu_of_rounds(*store->snapshot().find("a"), rank);
    CHECK(cpu.size() == 3);
    for (const double ns : cpu) CHECK(ns > 0);
  }
}

TEST_CASE("a training in turns computes what it computes alone, and its books are kept") {
  const Dataset data = tiny_data();
  const auto store = TraceStore::create("test");
  RunControl control;
  TraceRows rows;
  std::vector<Turn> turns = {turn("a", 0), turn("b", 3)};
  turns.back().config.agree_on_steps = false;  // a turn needs it: it is agreed all the same
  const auto results = train_in_turns(turns, 2, data, *store, control, rows, [] {});
  for (size_t i = 0; i < turns.size(); ++i) {
    const TrainerConfig config = config_in_turns(turns[i].config, 2);
    CHECK(results[i].complete);
    CHECK(results[i].parameters_sha256 == audit(config, data).result.parameters_sha256);
    CHECK(std::ranges::count(rows.ledger, turns[i].section, &LedgerRow::section) > 20);
  }
  CHECK(unexplained_bytes(rows.ledger) == 0);
}

TEST_CASE("a step says how long it took, as the trace has it; the last one ends the training") {
  const Dataset data = tiny_data();
  const auto store = TraceStore::create("test");
  TrainerConfig config = tiny_config(2, 1);
  config.evaluate_every = 1;
  SteppedTraining training(config, data, *store, "a");
  std::vector<double> ms;
  CHECK_THROWS_AS(training.result(), InvariantError);
  for (int step = 0; step < 3; ++step) ms.push_back(training.step());
  CHECK(ms == training.result().step_ms);
  CHECK(training.result().evaluations == 3);
  CHECK(training.result().ranks_agree);
  CHECK_THROWS_AS(training.step(), InvariantError);
}

TEST_CASE("cancelled between turns, all of them end") {
  const auto store = TraceStore::create("test");
  RunControl control;
  TraceRows rows;
  int turns = 0;
  CHECK_THROWS_AS(train_in_turns({turn("a", 0), turn("b", 2)}, 1000, tiny_data(), *store, control, rows,
                                 [&] {
                                   if (++turns == 5) control.cancel();
                                 }),
                  CancelledError);
  CHECK(turns == 5);
}

TEST_CASE("what a training throws is what its turn throws") {
  const auto store = TraceStore::create("test");
  RunControl control;
  Turn wrong = turn("b", 1);
  wrong.config.bucket_elements = 0;
  TraceRows rows;
  CHECK_THROWS_AS(train_in_turns({turn("a", 0), wrong}, 2, tiny_data(), *store, control, rows, [] {}),
                  UsageError);
}
