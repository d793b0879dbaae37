#include "ringside/base/run_control.h"

#include "catch.h"
#include "patience.h"
#include "ringside/base/error.h"

using namespace ringside;
using namespace ringside::testing;
using namespace std::chrono_literals;
using Decision = RunControl::Decision;

namespace {

// A run of many steps, as a lesson makes it.
class Run {
 public:
  explicit Run(RunControl& control) : control_(control), thread_([this] { loop(); }) {}
  ~Run() {
    control_.cancel();
    thread_.join();
  }
  int64_t steps() const { return steps_.load(); }
  bool waiting() const { return waiting_.load(); }
  bool ended() const { return ended_.load(); }

 private:
  void loop() {
    for (;;) {
      switch (control_.decide()) {
        case Decision::kCancel:
          ended_ = true;
          return;
        case Decision::kPause:
          waiting_ = true;
          control_.wait_while_paused();
          waiting_ = false;
          break;
        case Decision::kContinue:
          ++steps_;
          std::this_thread::yield();
      }
    }
  }

  RunControl& control_;
  std::atomic<int64_t> steps_{0};
  std::atomic<bool> waiting_{false}, ended_{false};
  std::thread thread_;
};

}  // namespace

TEST_CASE("decisions of a control") {
  RunControl control;
  CHECK(control.decide() == Decision::kContinue);
  control.step();  // not paused: nothing to grant
  control.pause();
  CHECK(control.decide() == Decision::kPause);
  control.step();
  control.step();
  CHECK(control.decide() == Decision::kContinue);
  CHECK(control.decide() == Decision::kContinue);
  CHECK(control.decide() == Decision::kPause);
  control.step();
  control.resume();
  control.pause();
  CHECK(control.decide() == Decision::kPause);  // a grant ends with its pause
  control.cancel();
  CHECK(control.decide() == Decision::kCancel);
  control.resume();
  CHECK(control.decide() == Decision::kCancel);  // for good
  CHECK(control.cancelled());
  control.wait_while_paused();  // returns at once
}

TEST_CASE("a running thread is paused, stepped, resumed and cancelled; cancel ends a pause") {
  RunControl control;
  Run run(control);
  REQUIRE(eventually([&] { return run.steps() > 10; }));
  control.pause();
  REQUIRE(eventually([&] { return run.waiting(); }));
  const int64_t at_pause = run.steps();
  std::this_thread::sleep_for(20ms);
  CHECK(run.steps() == at_pause);
  for (int64_t granted = 1; granted <= 3; ++granted) {
    control.step();
    REQUIRE(eventually([&] { return run.steps() == at_pause + granted && run.waiting(); }));
    std::this_thread::sleep_for(5ms);
    CHECK(run.steps() == at_pause + granted);
  }
  control.resume();
  REQUIRE(eventually([&] { return run.steps() > at_pause + 100; }));
  control.cancel();
  CHECK(eventually([&] { return run.ended(); }));
  RunControl paused;
  paused.pause();
  Run stopped(paused);
  REQUIRE(eventually([&] { return stopped.waiting(); }));
  paused.cancel();
  CHECK(eventually([&] { return stopped.ended(); }));
  CHECK(stopped.steps() == 0);
}

TEST_CASE("a run of one thread passes its steps, one at a time while paused") {
  RunControl control;
  control.pass_step();
  control.pause();
  std::atomic<int> steps{0};
  bool cancelled = false;
  std::thread run([&] {
    try {
      for (;; ++steps) control.pass_step();
    } catch (const CancelledError&) {
      cancelled = true;
    }
  });
  control.step();
  CHECK(eventually([&] { return steps == 1; }));
  std::this_thread::sleep_for(20ms);
  CHECK(steps == 1);
  control.resume();
  CHECK(eventually([&] { return steps > 10; }));
  control.cancel();
  run.join();
  CHECK(cancelled);
}
