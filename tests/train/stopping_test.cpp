// How a run ends early: cancelled, paused and stepped, or by a rank's error.
#include <atomic>
#include <chrono>
#include <thread>

#include "catch.h"
#include "faulty_group.h"
#include "patience.h"
#include "ringside/base/error.h"
#include "ringside/comm/errors.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

using namespace std::chrono_literals;

// How many steps each rank finished, as the trace has it.
std::vector<int64_t> steps_by_rank(const TraceStore& store) {
  const Trace trace = store.snapshot();
  const SectionView& section = *trace.find("run");
  std::vector<int64_t> steps;
  for (int rank = 0; rank < section.ranks(); ++rank) {
    steps.push_back(0);
    for (const NoteEvent& note : section.notes(rank)) {
      if (trace.name(note.name) == kAfterStep) ++steps.back();
    }
  }
  return steps;
}

// The third gather of parameters fails on rank 1.
struct FailsOnOneRank : FaultyGroup {
  using FaultyGroup::FaultyGroup;
  WorkPtr start(Collective call) override {
    if (call.op == Op::kAllGather && rank() == 1 && ++count == 3)
      throw InputError("planted: the disk is full");
    return inner_->start(std::move(call));
  }
  int count = 0;
};

// Where rank 1 fails.
enum class Place { kConstructor, kLoad, kStep };

// Rank 1 throws at one of its group's calls what the test says, and tells when it has been broken off.
class ThrowsOnOneRank : public FaultyGroup {
 public:
  ThrowsOnOneRank(std::unique_ptr<ProcessGroup> inner, Place place, std::function<void()> fail,
                  std::atomic<bool>& aborted)
      : FaultyGroup(std::move(inner)), place_(place), fail_(std::move(fail)), aborted_(aborted) {
    if (name() == "default") strike(Place::kConstructor);  // the trainer's second group
  }
  WorkPtr start(Collective call) override {
    if (call.op == Op::kBroadcast && ++broadcasts_ == 3) strike(Place::kLoad);
    if (call.op == Op::kAllReduce) strike(Place::kStep);
    return inner_->start(std::move(call));
  }
  void abort(const std::string& reason) override {
    if (rank() == 1) aborted_ = true;
    inner_->abort(reason);
  }

 private:
  void strike(Place place) const {
    if (rank() == 1 && place == place_) fail_();
  }
  Place place_;
  std::function<void()> fail_;
  std::atomic<bool>& aborted_;
  int broadcasts_ = 0;
};

// How each rank ended, and whether rank 1's groups were broken off before its function returned: while what
// peers may read was still there.
struct Failing {
  std::vector<std::string> ends{"fine", "fine", "fine"};
  bool broken_in_time = false;
  std::chrono::steady_clock::duration time{};
};
Failing fail_at(Place place, const std::function<void()>& fail) {
  Failing result;
  std::atomic<bool> aborted = false;
  TrainerHooks hooks;
  hooks.wrap_group = [&](std::unique_ptr<ProcessGroup> inner) {
    return std::make_unique<ThrowsOnOneRank>(std::move(inner), place, fail, aborted);
  };
  hooks.on_rank_end = [&](int rank, const std::exception_ptr& error) {
    if (rank == 1) result.broken_in_time = aborted;
    std::string& end = result.ends[static_cast<size_t>(rank)];
    try {
      if (error) std::rethrow_exception(error);
    } catch (const PeerLostError& lost) {
      end = lost.ranks() == std::vector<int>{1} ? "lost rank 1" : lost.what();
    } catch (const std::exception& other) {
      end = other.what();
    } catch (int number) {
      end = std::to_string(number);
    }
  };
  const auto start = std::chrono::steady_clock::now();
  TrainerConfig config = tiny_config(3, 0);
  config.timeout = 2 * kPatience;
  config.two_groups = place == Place::kConstructor;
  try {
    train(config, tiny_data(), *TraceStore::create("test"), "run", hooks);
  } catch (...) {
    // Noted by each rank.
  }
  result.time = std::chrono::steady_clock::now() - start;
  return result;
}

}  // namespace

TEST_CASE("a cancelled run ends all ranks after the same step, with what it has") {
  for (const int stage : {0, 3}) {
    TrainerConfig config = tiny_config(3, stage);
    config.steps = 100000;
    config.evaluate_every = 0;
    RunControl control;
    TrainerHooks hooks;
    hooks.control = &control;
    hooks.on_step = [&](int64_t step) {
      if (step == 2) control.cancel();
    };
    const Audit run = audit(config, tiny_data(), hooks);
    CHECK_FALSE(run.result.complete);
    CHECK(run.result.steps == 3);
    CHECK(run.result.loss.size() == 3);
    CHECK(run.result.evaluated == 7);
    CHECK(run.result.ranks_agree);
    CHECK(steps_by_rank(*run.store) == std::vector<int64_t>{3, 3, 3});
    CHECK(run.ledger_problem() == "");
  }
}

TEST_CASE("a paused run makes the steps that it is granted, and no more") {
  TrainerConfig config = tiny_config(2, 2);
  config.steps = 100000;
  RunControl control;
  control.pause();
  control.step();
  control.step();
  std::atomic<int64_t> done{0};
  TrainerHooks hooks;
  hooks.control = &control;
  hooks.on_step = [&](int64_t) { ++done; };
  std::thread watcher([&] {
    eventually([&] { return done == 2; });
    std::this_thread::sleep_for(20ms);  // time for a third step, if it were taken
    control.cancel();
  });
  const Audit run = audit(config, tiny_data(), hooks);
  watcher.join();
  CHECK(run.result.steps == 2);
  CHECK(steps_by_rank(*run.store) == std::vector<int64_t>{2, 2});
  CHECK(run.ledger_problem() == "");  // decisions while paused are booked as well
}

TEST_CASE("a rank's error ends the run and is what the caller sees") {
  try {
    audit(tiny_config(3, 3), tiny_data(), with_fault<FailsOnOneRank>());
    FAIL("the run went on");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()) == "planted: the disk is full");
  }
}

TEST_CASE("a rank that fails breaks its groups off at once, wherever it fails and whatever it throws") {
  for (const Place place : {Place::kConstructor, Place::kLoad, Place::kStep}) {
    for (const bool typed : {true, false}) {
      INFO("place " << static_cast<int>(place) << ", typed " << typed);
      const Failing failing = fail_at(place, [&] {
        if (typed) throw InputError("planted");
        throw 42;
      });
      CHECK(failing.ends == std::vector<std::string>{"lost rank 1", typed ? "planted" : "42", "lost rank 1"});
      CHECK(failing.broken_in_time);
      CHECK(failing.time < kPatience);  // half a deadline
    }
  }
}

TEST_CASE("an error in the watcher's callback ends the run too") {
  TrainerHooks hooks;
  hooks.on_step = [](int64_t) { throw UsageError("enough"); };
  CHECK_THROWS_AS(audit(tiny_config(3, 1), tiny_data(), hooks), UsageError);
}
