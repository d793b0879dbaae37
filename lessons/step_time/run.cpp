// Four trainings in turns, one a stage, on a link that is to them what the case's link is to the case.
#include "parts.h"
#include "ringside/lesson/fields.h"

namespace ringside::lessons::step_time {
namespace {

constexpr char kCalibration[] = "without a link, ";
constexpr int64_t kCalibrationRounds = 3;

TrainerConfig trainer_config(const Config& config) {
  TrainerConfig trainer;
  trainer.max_tokens = 48;
  trainer.ranks = int(config.integer("ranks"));
  trainer.batch = config.integer("batch");
  trainer.evaluate_every = -1;
  read_fields<Distribution>(config, trainer);
  return trainer;
}

// s of a micro-batch of the case that the scenario's stands for.
double compute_s(const Config& config) {
  return kCase.compute_s() * double(config.integer("batch")) / kReferenceBatch;
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
    Attributes attributes = link_attributes(base.link);
    if (link.simulated()) attributes[kSlower] = slower;
    train_all(stages("", attributes), rounds, tr("the stages in turns"));
    context.store.set_rows(rows);
    record_carried(context.store);
  }

  void train_all(const std::vector<Turn>& turns, int64_t count, const std::string& phase) {
    train_in_turns(turns, count, dataset, context.store, context.control, rows, [&] {
      context.progress({phase, ++done, total});
    });
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
    const double bytes = step.of(StepCall::kGradients).bytes / (2 * kCase.half_bytes());
    const double time = step.compute / compute_s(config);
    slower = time / bytes;
    base.link = scaled(link, bytes, time);
  }
};

}  // namespace

void record_carried(TraceStore& store) {
  const Trace trace = store.snapshot();
  const int64_t tell_of_cores = is_crowded(trace, trace.find(section_of(0)));
  Recorder& pen = *store.add_section("median steps", {}, 1).front();
  for (int stage = 0; stage < kStages; ++stage) {
    const StepAccount step = median_step(trace, stage).value();
    const auto record = [&](const std::string& carries, const Carried& of, bool all = false) {
      record_row(pen,
                 CarriedRow{stage, carries, of.calls, of.bytes, 1e3 * of.model, 1e3 * of.wire,
                            1e3 * of.hidden(), 1e3 * of.exposed, of.exposed / of.wire, all, tell_of_cores});
    };
    for (const StepCall kind : kStepCalls)
      if (step.of(kind).calls > 0) record(std::string(to_string(kind)), step.of(kind));
    record("all", step.all(), true);
  }
}

void run(const Config& config, const RunContext& context) { Run{config, context}.run(); }

std::vector<ParameterSpec> parameter_specs() {
  std::vector<ParameterSpec> specs = {
      text("link",
           tr("of the case, 7B on 8 cards: none, {}, or like 50us/0.1GBps; slowed down here until the ratio "
              "of communication to computation is the case's",
              link_figures()),
           "100g", {"nvlink", "pcie", "100g"}, [](const std::string& value) { parse_link(value); })};
  for (const char* field : {"accumulate", "bucket", "overlap", "prefetch"})
    specs.push_back(spec_of_field<Distribution>(field));
  return specs;
}

double step_at_best(const Config& config, const LinkModel& link, int stage) {
  return seconds_of_step({.compute = compute_s(config),
                          .collective = link.simulated() ? kCase.half_bytes() / link.bytes_per_s : 0,
                          .micro_batches = config.integer("accumulate"),
                          .overlap = config.is_on("overlap"),
                          .prefetch = config.is_on("prefetch")},
                         stage);
}

double step_at_best(const Config& config, int stage) {
  return step_at_best(config, parse_link(config.text("link")), stage);
}

}  // namespace ringside::lessons::step_time
