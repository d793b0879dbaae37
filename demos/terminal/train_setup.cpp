#include "train_setup.h"

#include <fmt/format.h>

#include <filesystem>

#include "ringside/base/error.h"
#include "ringside/base/json.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/lesson/fields.h"
#include "train_data.h"

namespace ringside {
namespace {

OptimizerConfig optimizer_of(const Config& config) {
  OptimizerConfig optimizer{.name = config.text("optimizer")};
  read_fields<OptimizerConfig>(config, optimizer);
  for (const HyperparameterSpec& one : find_optimizer(optimizer.name).hyperparameters)
    if (!config.is_default(one.name)) optimizer.values[one.name] = config.real(one.name);
  return optimizer;
}

// How long, how fast, and when it is looked at.
void set_length(const Config& config, int64_t samples, TrainSetup& setup) {
  TrainerConfig& trainer = setup.trainer;
  const int64_t a_rank = samples / trainer.ranks;
  if (config.is_default("batch") && a_rank > 0)
    trainer.batch = std::min(trainer.batch, a_rank * trainer.ranks);  // few texts
  if (trainer.batch > samples)
    throw UsageError(fmt::format("batch={}: there are {} texts to train on; allowed are as many at most",
                                 trainer.batch, format_count(samples)));
  const int64_t a_step = trainer.batch * trainer.accumulate;
  const auto steps_of = [&](int64_t epochs) {
    return std::max<int64_t>(1, (epochs * samples + a_step - 1) / a_step);
  };
  setup.epoch = steps_of(1);
  trainer.steps = config.integer("steps") > 0 ? config.integer("steps") : steps_of(config.integer("epochs"));
  trainer.learning_rate = config.real("learning_rate");
  trainer.schedule.name = config.text("schedule");
  const int64_t warmup = config.integer("warmup");
  trainer.schedule.warmup = warmup >= 0 ? warmup : trainer.steps / 20;
  if (trainer.schedule.warmup > trainer.steps)
    throw UsageError(
        fmt::format("warmup={}: the run has {} steps; allowed are as many at most", warmup, trainer.steps));
  const int64_t every = config.integer("evaluate_every");
  trainer.evaluate_every = every > 0 ? every : setup.epoch;
  trainer.evaluation_rows = config.integer("evaluation_rows");
  trainer.watch = {.what = from_text<WatchedValue>(config.text("watch")).value(),
                   .patience = config.integer("patience"),
                   .least_gain = config.real("least_gain")};
}

// config.json's names of the classes.
std::string named(const std::string& json, const std::vector<std::string>& classes) {
  Json top = json.empty() ? Json::object() : Json::parse(json);
  top["id2label"] = Json::object(), top["label2id"] = Json::object();
  for (size_t i = 0; i < classes.size(); ++i) {
    top["id2label"][std::to_string(i)] = classes[i];
    top["label2id"][classes[i]] = i;
  }
  return top.dump();
}

// One that goes on has a copy, and does without the file that it came from.
std::string tokenizer_of_run(const Config& config, const RunFolder& folder) {
  std::string name = tokenizer_name(config);
  const bool is_gone = config.is_on("resume") && name != "bytes" && !std::filesystem::exists(name) &&
                       std::filesystem::exists(folder.tokenizer());
  return is_gone ? folder.tokenizer().string() : name;
}

void set_model(const Config& config, TrainSetup& setup) {
  const Dataset& data = setup.data;
  const auto classes = std::ssize(data.classes);
  if (const std::string& folder = config.text("pretrained"); !folder.empty()) {
    if (!std::filesystem::is_directory(folder))
      throw InputError("pretrained=" + typed_path(folder) +
                       ": there is no such folder; if it was moved, pretrained=FOLDER names the new place");
    setup.start = std::make_shared<PretrainedModel>(folder, classes);
    setup.kept = setup.start->config();
  } else {
    setup.kept.model = model_of(config, classes, data.vocabulary);
    setup.kept.padding = data.padding.token;
    setup.kept.positions = config.integer("max_tokens");
  }
  if (setup.kept.model.vocabulary < data.vocabulary)
    throw UsageError(fmt::format("pretrained={}: its vocabulary has {} tokens, the tokenizer has {}",
                                 as_typed(config.text("pretrained")), setup.kept.model.vocabulary,
                                 kByteVocabulary));
  setup.kept.json = named(setup.kept.json, data.classes);
  setup.trainer.model = setup.kept.model;
  setup.trainer.model.dropout = config.real("dropout");
  setup.trainer.model.fused = config.is_on("fused");
  setup.trainer.model.packed = config.is_on("packed");
}

}  // namespace

ClassifierConfig model_of(const Config& config, int64_t classes, int64_t vocabulary) {
  ClassifierConfig model;
  model.vocabulary = vocabulary;
  model.hidden = config.integer("hidden"), model.layers = config.integer("layers");
  model.heads = config.integer("heads"), model.kv_heads = config.integer("kv_heads");
  model.intermediate = config.integer("intermediate");
  model.norm = from_text<NormKind>(config.text("norm")).value();
  model.where = from_text<NormPlace>(config.text("where")).value();
  model.freeze_embedding = config.is_on("freeze_embedding");
  model.classes = classes;
  return model;
}

TrainSetup set_up(const Config& config, const RunFolder& folder, bool trace) {
  TrainSetup setup;
  setup.tokenizer = tokenizer_of_run(config, folder);
  setup.data = load_data(config, *tokenizer_of(setup.tokenizer));
  TrainerConfig& trainer = setup.trainer;
  set_model(config, setup);
  read_fields<Distribution>(config, trainer);
  trainer.ranks = int(config.integer("ranks"));
  trainer.timeout = std::chrono::nanoseconds(int64_t(config.real("timeout") * 1e9));
  trainer.optimizer = optimizer_of(config);
  trainer.max_tokens = config.integer("max_tokens");
  trainer.batch = config.integer("batch");
  trainer.label_smoothing = config.real("label_smoothing");
  trainer.seed = uint64_t(config.integer("seed"));
  trainer.record_calls = trace;
  set_length(config, std::ssize(setup.data.train), setup);
  trainer.checkpoint = {.folder = folder.checkpoints().string(),
                        .every = config.integer("save_every"),
                        .keep = config.integer("keep"),
                        .resume = config.is_on("resume"),
                        .best = config.is_on("keep_best") ? folder.best().string() : "",
                        .asynchronous = config.is_on("save_beside")};
  // What does not go together is refused here, before the run has its folder.
  planned_run(trainer, classifier_task(trainer, setup.data), Interruption());
  return setup;
}

}  // namespace ringside
