#include "scenario.h"

#include <unistd.h>

#include <cstdlib>

#include "lesson.h"
#include "ringside/comm/link_model.h"
#include "ringside/lesson/fields.h"
#include "ringside/train/in_turns.h"

namespace ringside::zero_lesson {
namespace {

constexpr int64_t kEmbeddingAndHeadRows = 303;  // V + C: makes the default model 2^20 parameters exactly

// Of Distribution: each section chooses its stage, every run clips at the default, and only the proof is
// naive. It has all four stages of ZeRO, two of which make no sense over pp.
const std::vector<std::string> kOwnFields = {"stage",    "clip_norm", "naive",  "recompute",  "no_sync",
                                             "replicas", "pipeline",  "chunks", "part_layers"};

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

// Activations, of the one training that has its turn, by Korthikanti et al. 2022, arXiv:2205.05198:
// T B H (34 + 5 A T / H) bytes a layer in 16 bits.
double bytes_needed(const Config& config, const TrainerConfig& trainer, const std::vector<int>& stages) {
  const ClassifierConfig& model = trainer.model;
  const auto tokens = double(trainer.max_tokens), hidden = double(model.hidden);
  double state = 0;
  for (const int stage : stages) state += zero_state(planner_setup(config, stage)).total() * trainer.ranks;
  const double width = trainer.precision == Precision::kBFloat16 ? 1 : 2;
  const double a_layer =
      tokens * double(trainer.batch) * (34 * hidden + 5 * double(model.heads) * tokens) * width;
  return state + a_layer * double(model.layers);
}

// Those whose shards may end anywhere, so that stages 1 to 3 add no calls for them.
std::vector<std::string> elementwise_optimizers() {
  std::vector<std::string> names;
  for (const OptimizerSpec& spec : optimizer_specs())
    if (spec.granularity == Granularity::kElement) names.push_back(spec.name);
  return names;
}

struct Stages {  // each trained without an end, for `ringside bench step`
  Dataset dataset;
  std::shared_ptr<TraceStore> store = TraceStore::create("bench step");
  std::vector<std::unique_ptr<SteppedTraining>> trainings = {};
};

}  // namespace

std::vector<ParameterSpec> parameters() {
  std::vector<ParameterSpec> specs = specs_of_fields<Distribution>(kOwnFields);
  for (ParameterSpec& spec : specs_of_fields<OptimizerConfig>()) specs.push_back(std::move(spec));
  specs.push_back(choice(kOptimizerName,
                         tr("changes the parameters; bf16 adds an fp32 master copy to its state"), "adamw",
                         elementwise_optimizers()));
  specs.push_back(text("link", tr("none, or a simulated link: {}, or like 50us/0.1GBps", link_figures()),
                       "none", link_names(), [](const std::string& value) { parse_link(value); }));
  return specs;
}

OptimizerConfig optimizer_of(const Config& config) {
  OptimizerConfig optimizer{.name = config.text(kOptimizerName)};
  read_fields<OptimizerConfig>(config, optimizer);
  return optimizer;
}

Dataset load_data(const Config& config) {
  DataOptions options;
  options.source = config.text("data");
  options.max_tokens = config.integer("tokens");
  options.seed = uint64_t(config.integer("seed"));
  return load_dataset(options);
}

TrainerConfig trainer_config(const Config& config, const Dataset& dataset) {
  TrainerConfig trainer;
  trainer.model = classifier(config, int64_t(dataset.classes.size()));
  trainer.max_tokens = config.integer("tokens");
  trainer.ranks = int(config.integer("ranks"));
  read_fields<Distribution>(config, trainer, kOwnFields);
  trainer.device = from_text<Device>(config.text("device")).value();
  trainer.optimizer = optimizer_of(config);
  trainer.link = parse_link(config.text("link"));
  trainer.check = config.is_on("check");
  trainer.learning_rate = config.real("lr");
  trainer.schedule.warmup = std::min<int64_t>(4, config.integer("steps") / 4);
  trainer.batch = config.integer("batch");
  trainer.steps = config.integer("steps");
  trainer.seed = uint64_t(config.integer("seed"));
  require_memory(config, trainer, {0});
  return trainer;
}

// Refused before anything is allocated: the system would end the program without a word.
void require_memory(const Config& config, const TrainerConfig& trainer, const std::vector<int>& stages) {
  const double has = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  const double needs = bytes_needed(config, trainer, stages);
  if (needs <= 0.8 * has) return;
  throw UsageError("hidden=" + config.text("hidden") + " layers=" + config.text("layers") +
                   " batch=" + config.text("batch") + " tokens=" + config.text("tokens") +
                   " ranks=" + config.text("ranks") + ": " +
                   (stages.size() == 1 ? "stage " + std::to_string(stages.front()) + " needs"
                                       : std::to_string(stages.size()) + " trainings in turns need") +
                   " about " + format_bytes(needs) + ", this machine has " + format_bytes(has) +
                   "; lower one of them");
}

int timed_stage(const Config& config) {
  return config.text("stage") == "all" ? 0 : std::atoi(config.text("stage").c_str());
}

bool runs_fully(const Config& config, int stage) {
  return config.text("stage") == "all" || config.text("stage") == std::to_string(stage);
}

Mesh mesh_of(const Config& config) {
  Distribution distribution;
  read_fields<Distribution>(config, distribution, kOwnFields);
  return mesh_of_run(int(config.integer("ranks")), distribution, classifier_shapes(classifier(config, 4)));
}

ZeroSetup planner_setup(const Config& config, int stage) {
  ZeroSetup setup;
  read_fields<Distribution>(config, setup, kOwnFields);
  setup.optimizer = optimizer_of(config);
  const Mesh mesh = mesh_of(config);
  setup.parameters = mean_held(classifier_shapes(classifier(config, 4)), mesh).trainable;
  setup.mesh = "";  // the formulas are of what a rank has of the model, over those that have the same part
  setup.ranks = mesh.size(data_dimensions());
  setup.stage = stage;
  return setup;
}

StepTimer step_timer(const Config& config) {
  const auto all = std::make_shared<Stages>(load_data(config));
  TrainerConfig trainer = trainer_config(config, all->dataset);
  trainer.steps = kEndlessSteps;
  trainer.evaluate_every = -1;
  std::vector<int> stages;
  for (int stage = 0; stage < kStages; ++stage)
    if (runs_fully(config, stage)) stages.insert(stages.end(), 2, stage);
  require_memory(config, trainer, stages);  // twice: the other side is taken to be as large
  for (size_t i = 0; i < stages.size(); i += 2) {
    trainer.stage = stages[i];
    all->trainings.push_back(
        std::make_unique<SteppedTraining>(trainer, all->dataset, *all->store, stage_name(trainer.stage)));
  }
  const auto step_ms = [all] {
    double ms = 0;
    for (const auto& training : all->trainings) ms += training->step();
    return ms;
  };
  const std::string& stage = config.text("stage");
  return {stage == "all" ? "a step of each stage, one after the other" : "a step of stage " + stage, step_ms};
}

}  // namespace ringside::zero_lesson
