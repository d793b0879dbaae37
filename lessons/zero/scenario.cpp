#include "scenario.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "ringside/base/error.h"
#include "ringside/base/units.h"
#include "ringside/comm/link_model.h"
#include "ringside/lesson/parameter_specs.h"

namespace ringside::zero_lesson {
namespace {

constexpr int64_t kEmbeddingAndHeadRows = 303;  // V + C: makes the default model 2^20 parameters exactly

void validate_link(const std::string& value) { parse_link(value); }

void validate_hidden(const Config& config) {
  if (config.integer("hidden") % 8 != 0) {
    throw UsageError("hidden=" + std::to_string(config.integer("hidden")) +
                     ": allowed are multiples of 8 (4 heads of an even size)");
  }
}

ClassifierConfig classifier(const Config& config, int64_t classes) {
  validate_hidden(config);
  ClassifierConfig model;
  model.classes = classes;
  model.vocabulary = kEmbeddingAndHeadRows - classes;
  model.hidden = config.integer("hidden");
  model.intermediate = model.hidden * 33 / 8;  // 528 at 128
  model.layers = config.integer("layers");
  return model;
}

// Stage 0 on every rank, or two trainings in turns, is the most the lesson keeps; activations by Korthikanti
// et al. 2022, arXiv:2205.05198: T B H (34 + 5 A T / H) bytes a layer in 16 bits.
double bytes_needed(const Config& config, const TrainerConfig& trainer) {
  const ClassifierConfig& model = trainer.model;
  const auto tokens = static_cast<double>(trainer.max_tokens), hidden = static_cast<double>(model.hidden);
  const auto state_of = [&](int stage) { return zero_state(planner_setup(config, stage)).total(); };
  const double state = std::max(state_of(0), 2 * state_of(timed_stage(config))) * trainer.ranks;
  const double width = trainer.precision == Precision::kBFloat16 ? 1 : 2;
  const double a_layer = tokens * static_cast<double>(trainer.batch) *
                         (34 * hidden + 5 * static_cast<double>(model.heads) * tokens) * width;
  return state + a_layer * static_cast<double>(model.layers);
}

// Refused before anything is allocated: the system would end the program without a word.
void require_memory(const Config& config, const TrainerConfig& trainer) {
  const double has =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const double needs = bytes_needed(config, trainer);
  if (needs <= 0.8 * has) return;
  throw UsageError("hidden=" + config.text("hidden") + " layers=" + config.text("layers") +
                   " batch=" + config.text("batch") + " tokens=" + config.text("tokens") +
                   " ranks=" + config.text("ranks") + ": it needs about " + format_bytes(needs) +
                   ", this machine has " + format_bytes(has) + "; lower one of them");
}

Precision precision_of(const Config& config) {
  return config.text("precision") == "bf16" ? Precision::kBFloat16 : Precision::kFloat32;
}

ReduceMode reduce_of(const Config& config) {
  return config.text("reduce") == "all_reduce" ? ReduceMode::kAllReduce : ReduceMode::kReduceScatter;
}

}  // namespace

std::vector<ParameterSpec> parameter_specs() {
  return {
      choice("stage", "which ZeRO stage trains to the end; the others are run for a few steps to compare",
             "all", {"all", "0", "1", "2", "3"}),
      number("ranks", "N, ranks as threads", "ranks", "4", 1, 8),
      choice("precision", "bf16 with an fp32 master copy, or fp32 throughout", "bf16", {"bf16", "fp32"}),
      number("accumulate", "g, micro-batches a step", "micro-batches", "1", 1, 64),
      choice("reduce", "how stages 1 and 2 sum gradients; DeepSpeed's default is all_reduce",
             "reduce_scatter", {"reduce_scatter", "all_reduce"}),
      number("bucket", "gradients reduced together, at most", "elements", "256Ki", 1, 1 << 30,
             ParameterKind::kCount),
      choice("overlap", "reduce a bucket while backward goes on", "on", {"on", "off"}),
      choice("prefetch", "stage 3 gathers the next layer while this one computes", "on", {"on", "off"}),
      choice("reshard", "stage 3 drops a layer's parameters after forward; off keeps them for backward", "on",
             {"on", "off"}),
      text("link", "none, or a simulated link: nvlink, pcie, ethernet, or like 50us/0.1GBps", "none",
           {"none", "nvlink", "pcie", "ethernet"}, validate_link),
      number("hidden", "H; 128 with 4 layers makes 2^20 parameters", "", "128", 8, 1024),
      number("layers", "L", "", "4", 1, 32),
      number("batch", "sequences of a micro-batch, over all ranks", "sequences", "16", 1, 4096),
      number("tokens", "T, longest sequence", "tokens", "48", 4, 1024),
      number("steps", "training steps", "steps", "32", 1, 100000),
      {"lr", "highest learning rate of AdamW, cosine schedule", "", ParameterKind::kReal, "0.001", 1e-6,
       1.0},
      choice("check", "compare fingerprints of collectives across ranks; off behaves like NCCL", "on",
             {"on", "off"}),
      number("seed", "of weights, data and order", "", "0", 0, 1e15),
      text("data",
           "self (this project's texts at one commit), tree (its files as they are now), folder:PATH, or "
           "synthetic",
           "self", {"self", "tree", "synthetic"}, nullptr),
      choice("proof", "bit-identity matrix: with the scenario's ranks, with 1, 2, 3, 4 and 8, or none", "own",
             {"own", "full", "off"}),
  };
}

Dataset load_data(const Config& config) {
  DataOptions options;
  options.source = config.text("data");
  options.max_tokens = config.integer("tokens");
  options.seed = static_cast<uint64_t>(config.integer("seed"));
  return load_dataset(options);
}

TrainerConfig trainer_config(const Config& config, const Dataset& dataset) {
  TrainerConfig trainer;
  trainer.model = classifier(config, static_cast<int64_t>(dataset.classes.size()));
  trainer.max_tokens = config.integer("tokens");
  trainer.ranks = static_cast<int>(config.integer("ranks"));
  trainer.precision = precision_of(config);
  trainer.reduce = reduce_of(config);
  trainer.bucket_elements = config.integer("bucket");
  trainer.overlap = config.is_on("overlap");
  trainer.prefetch = config.is_on("prefetch");
  trainer.reshard = config.is_on("reshard");
  trainer.link = parse_link(config.text("link"));
  trainer.check = config.is_on("check");
  trainer.learning_rate = config.real("lr");
  trainer.schedule.warmup = std::min<int64_t>(4, config.integer("steps") / 4);
  trainer.batch = config.integer("batch");
  trainer.accumulate = config.integer("accumulate");
  trainer.steps = config.integer("steps");
  trainer.seed = static_cast<uint64_t>(config.integer("seed"));
  require_memory(config, trainer);
  return trainer;
}

int timed_stage(const Config& config) {
  return config.text("stage") == "all" ? 0 : std::atoi(config.text("stage").c_str());
}

bool runs_fully(const Config& config, int stage) {
  return config.text("stage") == "all" || config.text("stage") == std::to_string(stage);
}

ZeroSetup planner_setup(const Config& config, int stage) {
  ZeroSetup setup;
  setup.parameters = static_cast<double>(count_parameters(classifier_shapes(classifier(config, 4))));
  setup.ranks = static_cast<int>(config.integer("ranks"));
  setup.stage = stage;
  setup.precision = precision_of(config);
  setup.reduce = reduce_of(config);
  setup.accumulate = config.integer("accumulate");
  setup.reshard = config.is_on("reshard");
  return setup;
}

}  // namespace ringside::zero_lesson
