#include "parts.h"
#include "ringside/lesson/fields.h"
#include "ringside/planner/step_at_best.h"

namespace ringside::lessons::step_time {

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

TrainerConfig trainer_config(const Config& config) {
  TrainerConfig trainer;
  trainer.max_tokens = 48;
  trainer.ranks = int(config.integer("ranks"));
  trainer.batch = config.integer("batch");
  trainer.evaluate_every = -1;
  read_fields<Distribution>(config, trainer);
  return trainer;
}

double compute_s(const Config& config) {
  return Case().compute_s() * double(config.integer("batch")) / kReferenceBatch;
}

double step_at_best(const Config& config, const LinkModel& link, int stage) {
  return seconds_of_step({.compute = compute_s(config),
                          .collective = link.simulated() ? Case().half_bytes() / link.bytes_per_s : 0,
                          .micro_batches = config.integer("accumulate"),
                          .overlap = config.is_on("overlap"),
                          .prefetch = config.is_on("prefetch")},
                         stage);
}

double step_at_best(const Config& config, int stage) {
  return step_at_best(config, parse_link(config.text("link")), stage);
}

std::string section_of(int stage) { return "stage " + std::to_string(stage); }

std::optional<StepAccount> median_step(const Trace& trace, int stage) {
  return training::median_step(step_accounts(trace, trace.find(section_of(stage))));
}

std::vector<double> step_seconds(const Trace& trace, int stage) {
  std::vector<double> all;
  for (const StepAccount& step : step_accounts(trace, trace.find(section_of(stage))))
    all.push_back(step.step);
  return all;
}

std::string crowded(const Trace& trace) {
  const SectionView* section = trace.find(section_of(0));
  const auto step = median_step(trace, 0);
  if (!step || !section->has(kCores) || section->integer(kCores) >= section->ranks()) return "";
  if (step->all().model > step->compute) return "";
  return tr("cannot be told here: {} ranks share {} cores, and the link takes less time than they compute",
            section->ranks(), section->integer(kCores));
}

void check_not_crowded(const Trace& trace) {
  if (const std::string why = crowded(trace); !why.empty()) throw NotRun{why};
}

std::optional<RatioInterval> to_stage_0(const Trace& trace, int stage) {
  if (!crowded(trace).empty()) return std::nullopt;
  const auto mine = step_seconds(trace, stage), first = step_seconds(trace, 0);
  if (mine.empty() || mine.size() != first.size()) return std::nullopt;
  return ratio_interval(mine, first);
}

}  // namespace ringside::lessons::step_time
