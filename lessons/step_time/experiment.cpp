// Four trainings in turns, one a stage, on a link that is to them what the case's link is to the case.
#include <thread>
#include "embedded.h"
#include "parts.h"
#include "ringside/train/in_turns.h"

namespace ringside::lessons::step_time {
namespace {

constexpr int64_t kCalibrationRounds = 3;

Attributes of_link(const LinkModel& link, double slower) {
  Attributes attributes = link_attributes(link);
  attributes[kCores] = int64_t{std::thread::hardware_concurrency()};
  if (link.simulated()) attributes[kSlower] = slower;
  return attributes;
}

struct Run {
  const Config& config;
  const RunContext& context;
  TrainerConfig base = trainer_config(config);
  const Dataset dataset = load_dataset({.max_tokens = base.max_tokens});
  const LinkModel link = parse_link(config.text("link"));
  const int64_t rounds = config.integer("rounds");
  const int64_t total = kStages * (2 * kWarmUpSteps + kCalibrationRounds + rounds);
  double slower = 1;
  int64_t done = 0;
  TraceRows rows = {};

  void run() {
    if (link.simulated()) calibrate();
    compare_stages();
    context.store.set_rows(rows);
  }

  void advance(const std::string& phase) { context.progress({phase, ++done, total}); }

  void train_all(const std::vector<Turn>& turns, int64_t count, const std::string& phase) {
    train_in_turns(turns, count, dataset, context.store, context.control, rows, [&] { advance(phase); });
  }

  std::vector<Turn> stages(const std::string& before, const Attributes& attributes) const {
    std::vector<Turn> turns;
    for (int stage = 0; stage < kStages; ++stage) {
      turns.push_back({base, before + section_of(stage), attributes});
      turns.back().config.stage = stage;
    }
    return turns;
  }

  // How long stage 0 computes a micro-batch, at memory speed and in turns with the others, as it does
  // afterwards. The link is slowed down so that an all-reduce takes as many times that as in the case.
  void calibrate() {
    auto turns = stages(kCalibration, {});
    for (Turn& turn : turns) turn.config.accumulate = 1;
    train_all(turns, kCalibrationRounds, tr("without a link"));
    const Trace trace = context.store.snapshot();
    const StepAccount step =
        training::median_step(step_accounts(trace, trace.find(turns.front().section))).value();
    const Case real;
    const double bytes = step.of(StepCall::kGradients).bytes / (2 * real.half_bytes());
    const double time = step.compute / compute_s(config);
    slower = time / bytes;
    base.link = scaled(link, bytes, time);
  }

  void compare_stages() {
    train_all(stages("", of_link(base.link, slower)), rounds, tr("the stages in turns"));
  }
};

void run(const Config& config, const RunContext& context) { Run{config, context}.run(); }

double last_to_first(const Trace& trace) { return step_of(trace, 3).step / step_of(trace, 0).step; }

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"), {.parameters = parameter_specs(),
                                           .run = run,
                                           .questions = questions(),
                                           .claims = claims(),
                                           .figures = figures(),
                                           .gauges = {{"ratio", last_to_first}},
                                           .readouts = readouts});
}

}  // namespace ringside::lessons::step_time
