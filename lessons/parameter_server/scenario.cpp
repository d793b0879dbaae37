#include "parts.h"
#include "ringside/parameter_server/messages.h"

namespace ringside::parameter_server_lesson {

std::shared_ptr<const ps::Samples> samples_of(const Config& config) {
  return std::make_shared<const ps::Samples>(ps::power_law_samples(
      {.samples = 1500, .keys = kKeys, .fields = 10, .seed = uint64_t(config.integer("seed"))}));
}

int64_t staleness_of(const Config& config) {
  const std::string& rule = config.text("consistency");
  return rule == "bsp" ? 0 : rule == "asp" ? -1 : config.integer("staleness");
}

ps::Consistency consistency_of(int64_t staleness) {
  if (staleness == 0) return ps::Consistency::kBsp;
  return staleness < 0 ? ps::Consistency::kAsp : ps::Consistency::kSsp;
}

std::string name_of_rule(int64_t staleness) {
  if (staleness == 0) return kBsp;
  return staleness < 0 ? kAsp : fmt::format("SSP({})", staleness);
}

ps::StragglerConfig speeds_of(const Config& config, const std::string& straggler) {
  ps::StragglerConfig speeds;
  speeds.workers = uint32_t(config.integer("workers"));
  speeds.compute_ns = int64_t(kComputeS * 1e9);
  speeds.straggling = straggler == "random" ? kStraggling : 0;
  speeds.straggling_factor = kStragglingFactor;
  speeds.slow_factor = straggler == "slow" ? kStragglingFactor : 1;
  speeds.optimizer = {.name = "adagrad"};
  speeds.learning_rate = config.real("rate");
  speeds.batch = 8;
  speeds.seed = uint64_t(config.integer("seed"));
  return speeds;
}

ps::Filters filters_of(const std::string& word) {
  using ps::ValueForm;
  if (word == "caching") return {.key_caching = true};
  if (word == "fp16") return {.pushed = ValueForm::kFloat16, .pulled = ValueForm::kFloat16};
  if (word == "int8") return {.pushed = ValueForm::kInt8, .pulled = ValueForm::kInt8};
  if (word == "top") return {.top = 0.1};
  if (word == "zstd") return {.zstd = true};
  return {};
}

ps::Cluster cluster_of(const Config& config) {
  const auto workers = uint32_t(config.integer("workers"));
  return {.groups = {{.end = kKeys,
                      .consistency = consistency_of(staleness_of(config)),
                      .staleness = staleness_of(config),
                      .optimizer = {.name = "adagrad"},
                      .learning_rate = config.real("rate"),
                      .gradient_scale = 1.0F / float(workers),
                      .filters = filters_of(config.text("filter"))}},
          .ranges = kRanges,
          .backups = uint32_t(std::stoi(config.text("copies"))),
          .servers = uint32_t(config.integer("servers")),
          .workers = workers};
}

}  // namespace ringside::parameter_server_lesson
