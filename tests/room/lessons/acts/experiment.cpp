// A training without one: two stages of steps whose times are made up, 2 ms each, so that tests know every
// instant. A case can be solved, which the panel tells.
#include <chrono>
#include <thread>

#include "ringside/base/error.h"
#include "ringside/lesson/lesson.h"

namespace ringside::lessons::acts {
namespace {

constexpr int kRanks = 2;

void take_step(const std::vector<Recorder*>& recorders, int64_t step) {
  const int64_t at = 1'000'000 + 3'000'000 * step;
  for (Recorder* recorder : recorders) {
    recorder->span("forward", at, at + 500'000, step, "layer 0");
    recorder->span("backward", at + 1'000'000, at + 1'500'000, step, "layer 0");
    recorder->span("step", at, at + 2'000'000, step);
  }
}

void run(const Config& config, const RunContext& context) {
  for (const std::string stage : {"0", "1"}) {
    if (config.text("stage") != "all" && config.text("stage") != stage) continue;
    const Attributes attributes = {{"sent", config.integer("length") * (stage == "0" ? 10 : 5)}};
    const auto recorders = context.store.add_section("stage " + stage, attributes, kRanks);
    for (int64_t step = 0; step < config.integer("steps"); ++step) {
      std::this_thread::sleep_for(std::chrono::milliseconds(config.integer("ms")));
      context.control.pass_step();  // a run that is stopped meanwhile has not taken the step
      take_step(recorders, step);
      context.progress({"stage " + stage, step, 2 * config.integer("steps")});
    }
  }
}

PredictionSpec asked(std::string id, std::string section, std::string instant) {
  PredictionSpec spec;
  spec.id = std::move(id);
  spec.question = "How much is sent?";
  spec.formula = [](const Config& config) { return 5.0 * config.real("length"); };
  spec.measured = [section](const Trace& trace) -> std::optional<double> {
    const SectionView* found = trace.find(section);
    return found == nullptr ? std::nullopt : std::optional(found->number("sent"));
  };
  spec.section = std::move(section);
  spec.instant = std::move(instant);
  spec.name = "what " + spec.id + " asks";
  return spec;
}

std::optional<double> attribute(const FigureInput& input) { return input.section->number("sent"); }

std::optional<double> steps_taken(const FigureInput& input) {
  double steps = 0;
  for (const SpanEvent& span : input.section->spans(0)) steps += input.trace.name(span.name) == "step";
  return steps;
}

}  // namespace

Lesson make_lesson() {
  Lesson lesson;
  lesson.parameters = {{"stage", "which", "", ParameterKind::kChoice, "all", 0, 0, {"all", "0", "1"}},
                       {"length", "of what is sent", "", ParameterKind::kInteger, "2", 1, 9},
                       {"steps", "of a stage", "", ParameterKind::kInteger, "3", 1, 100},
                       {"ms", "that a step takes", "ms", ParameterKind::kInteger, "0", 0, 1000}};
  lesson.predictions = {asked("first", "stage 0", ""), asked("second", "stage 1", "stage 1:1:forward")};
  lesson.gauges = {{"sent", "B", attribute}, {"steps", "", steps_taken}};
  lesson.run = run;
  return lesson;
}

}  // namespace ringside::lessons::acts
