// Ends in every way that a run can end, for the tests of the terminal.
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <new>
#include <stdexcept>
#include <thread>

#include "ringside/base/threads.h"
#include "ringside/comm/errors.h"
#include "ringside/lesson/lesson.h"
#include "word_questions.h"

namespace ringside::lessons::faults {
namespace {

CallRecord some_collective() {
  return {
      .group = "dp", .seq = 41, .op = Op::kAllReduce, .dtype = Dtype::kFloat32, .elements = 1024, .rank = 3};
}

[[noreturn]] void fail(const std::string& how) {
  if (how == "internal") throw InvariantError("planted");
  if (how == "foreign") throw std::runtime_error("planted");
  if (how == "input") throw InputError("planted");
  if (how == "memory") throw std::bad_alloc();
  if (how == "lost") throw PeerLostError(some_collective(), {1}, "planted");
  if (how == "timeout") throw TimeoutError(some_collective(), {1}, "planted");
  if (how == "mismatch") throw MismatchError(some_collective(), {1}, "planted");
  if (how == "checkpoint") throw Error(ExitCode::kCheckpoint, "planted");
  throw MissingError("planted");
}

// Makes the file that a test waits for, if it named one.
void come_there() {
  if (const char* file = std::getenv("RINGSIDE_TESTED_THERE")) std::ofstream(file) << "here";
}

void take_steps(const RunContext& context, Recorder& recorder, int64_t steps) {
  for (int64_t step = 0; step < steps; ++step) {
    if (context.control.decide() == RunControl::Decision::kCancel) throw CancelledError();
    recorder.scalar("step", step, static_cast<double>(step));
    context.progress({"stepping", step + 1, steps});
    if (step == 2) come_there();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// Looks at nobody for a day, like a collective without a peer.
void get_stuck() {
  const WaitScope waiting("something that never comes");
  come_there();
  std::this_thread::sleep_for(std::chrono::hours(24));
}

void run(const Config& config, const RunContext& context) {
  Recorder& recorder = *context.store.add_section("faults", {}, 1)[0];
  const std::string& how = config.text("how");
  if (how == "stuck") get_stuck();
  if (how == "slow")
    take_steps(context, recorder, 1'000'000);
  else if (how == "brief")
    take_steps(context, recorder, 40);
  else if (how != "none" && how != "check")
    fail(how);
  recorder.scalar("broken", 0, std::numeric_limits<double>::quiet_NaN());
  if (how == "check") recorder.note("check fails");

  TraceRows rows;
  rows.outcome["infinite"] = std::numeric_limits<double>::infinity();
  rows.outcome_text["no_utf8"] = "\xff\xfe";
  rows.ledger = {{"memory", "faults", 0, "activations", "peak", "", std::nullopt, 7, {}},
                 {"traffic", "faults", 0, "gradients", "", "reduce_scatter", 10, 12, {{"padding", 2}}}};
  context.store.set_rows(rows);
}

// A step takes what it says, so that a test knows who wins.
StepTimer step_timer(const Config& config) {
  const std::string how = config.text("how");
  return {"a step of " + how, [how] {
            if (how == "slow") std::this_thread::sleep_for(std::chrono::milliseconds(10));
            if (how != "none" && how != "brief" && how != "slow") fail(how);
            return how == "brief" ? 20.0 : 10.0;
          }};
}

std::string failed_check(const Trace& trace) {
  const SectionView* section = trace.find("faults");
  return section != nullptr && !section->notes(0).empty() ? "as planted" : "";
}

}  // namespace

Lesson make_lesson() {
  Lesson lesson;
  lesson.parameters = {{"how",
                        "how the run ends",
                        "",
                        ParameterKind::kChoice,
                        "none",
                        0,
                        0,
                        {"none", "brief", "slow", "stuck", "check", "internal", "foreign", "input", "memory",
                         "lost", "timeout", "mismatch", "checkpoint", "missing"}},
                       {"label", "any text", "", ParameterKind::kText, ""}};
  lesson.claims = {{"planted", "T1", "it fails", [](const Trace&) {
                      return ClaimResult{Verdict::kFails, "\xff"};
                    }}};
  const auto constant = [](double value) { return [value](const Config&) { return value; }; };
  lesson.predictions = {{"p", "what?", "B", constant(1), {{"worse", constant(2)}}, nullptr},
                        {"none", "and what?", "B", constant(NAN), {}, nullptr}};
  for (PredictionSpec& question : word_questions()) lesson.predictions.push_back(std::move(question));
  lesson.run = run;
  lesson.summary = [](const Config& config, const Trace&, int width, bool color) {
    return (color ? "\033[1mSUMMARY\033[0m" : "SUMMARY") + (" of " + config.scenario()) + ", width " +
           std::to_string(width) + "\n";
  };
  lesson.failed_check = failed_check;
  lesson.step_timer = step_timer;
  return lesson;
}

}  // namespace ringside::lessons::faults
