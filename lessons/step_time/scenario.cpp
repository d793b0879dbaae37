#include "account.h"
#include "ringside/lesson/fields.h"

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

LinkModel scaled(const LinkModel& link, double bytes, double time) {
  return {link.name, link.latency_s * time, link.bytes_per_s * bytes / time};
}

double compute_s(const Config& config) {
  return Case().compute_s() * double(config.integer("batch")) / kReferenceBatch;
}

double step_at_best(const Config& config, const LinkModel& link, int stage) {
  const Case real;
  const auto g = double(config.integer("accumulate"));
  const double c = compute_s(config);
  const double C = link.simulated() ? real.half_bytes() / link.bytes_per_s : 0;
  const auto beyond = [](double time, double window) { return std::max(time - window, 0.0); };
  const double window = config.is_on("overlap") ? 2 * c / 3 : 0;
  if (stage == 0) return g * c + beyond(2 * C, window);
  if (stage == 1) return g * c + beyond(C, window) + C;
  if (stage == 2) return g * (c + beyond(C, window)) + C;
  if (!config.is_on("prefetch")) return g * (c + 2 * C + beyond(C, window));
  const double backward = config.is_on("overlap") ? beyond(2 * C, window) : C + beyond(C, 2 * c / 3);
  return g * (c + beyond(C, c / 3) + backward);
}

double step_at_best(const Config& config, int stage) {
  return step_at_best(config, parse_link(config.text("link")), stage);
}

}  // namespace ringside::lessons::step_time
