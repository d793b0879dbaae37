#include "train_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/lesson/fields.h"
#include "ringside/lesson/suggest.h"
#include "ringside/optim/optimizer.h"
#include "ringside/planner/classifier_layers.h"
#include "ringside/planner/distribution.h"

namespace ringside {
namespace {

constexpr double kMostSteps = 1e9;
constexpr char kOptimizer[] = "optimizer";

ParameterSpec whole(const char* name, const char* meaning, const char* unit, const char* value, double least,
                    double most) {
  return number(name, meaning, unit, value, least, most);
}
ParameterSpec real(const char* name, const char* meaning, const char* value, double least, double most) {
  return number(name, meaning, "", value, least, most, ParameterKind::kReal);
}
ParameterSpec flag(const char* name, const char* meaning, bool on) {
  return choice(name, meaning, on ? "on" : "off", {"on", "off"});
}

std::vector<ParameterSpec> data_settings() {
  return {
      text("data",
           "what is learned: a folder with a sub-folder for each class, a .csv, .tsv or .jsonl file, or "
           "images "
           "as train-images-idx3-ubyte with their labels beside them; each also .gz; or synthetic",
           "", {"synthetic"}),
      text("test", "of the same kinds, to be evaluated on; empty: a share of data is held out", "", {}),
      choice("kind", "of the files, where their names do not say it", "by_name",
             {"by_name", "folder", "csv", "tsv", "jsonl", "idx"}),
      text("text_column", "the column, or key, with the text", "text", {}),
      text("label_column", "the column, or key, with the class", "label", {}),
      real("held_out", "the share of each class that is not trained on, but evaluated on", "0.2", 0.001, 0.9),
      choice("class_weights", "balanced: a sample counts the more the rarer its class is", "none",
             {"none", "balanced"}),
      text("tokenizer",
           "bytes, or a tokenizer.json of Hugging Face's (byte-level BPE); auto: the pretrained model's own, "
           "else "
           "bytes",
           "auto", {"auto", "bytes"}),
      whole("max_tokens", "of a text, the end token among them; what is longer is cut", "tokens", "128", 2,
            65536),
      choice("padding", "where a batch's shorter texts are filled up", "right", {"right", "left"}),
      flag("by_length", "batches of texts of like lengths: less padding, another order", false)};
}

std::vector<ParameterSpec> model_settings() {
  const ClassifierConfig standard;
  return {
      text("pretrained",
           "a folder of transformers' (config.json, safetensors) to start from; the sizes are "
           "its own then, and those below are not read",
           "", {}),
      whole("hidden", "H, features of a token", "features", "64", 2, 65536),
      whole("layers", "L, decoder layers", "layers", "2", 1, 1024),
      whole("heads", "attention heads; H is a multiple of twice as many", "heads", "4", 1, 1024),
      whole("kv_heads", "of keys and values; heads are a multiple", "heads", "2", 1, 1024),
      whole("intermediate", "I, features inside a layer's MLP", "features", "256", 1, 1 << 20),
      choice("norm", "rms: of a token's features, without a mean; layer: with it", "rms", {"rms", "layer"}),
      choice("where", "a norm before the sub-layer, or behind its residual sum", "pre", {"pre", "post"}),
      flag("freeze_embedding", "the vectors of the tokens stay as they are", standard.freeze_embedding)};
}

std::vector<ParameterSpec> training_settings() {
  std::vector<std::string> optimizers;
  for (const OptimizerSpec& spec : optimizer_specs()) optimizers.push_back(spec.name);
  std::vector<ParameterSpec> settings = {
      whole("epochs", "times that every training sample is seen; not read where steps is given", "epochs",
            "10", 1, 1e6),
      whole("steps", "updates; 0: as many as the epochs need", "steps", "0", 0, kMostSteps),
      whole("batch", "samples of a forward pass, over all ranks", "samples", "32", 1, 1 << 20),
      choice(kOptimizer, "changes the parameters; [optimizer] has its own settings", "adamw", optimizers),
      real("learning_rate", "its peak, behind the warm-up", "0.001", 0, 1e3),
      choice("schedule", "of the rate, from the peak to the last step", "cosine",
             {"constant", "linear", "cosine"}),
      whole("warmup", "steps in which the rate climbs to its peak; -1: a twentieth of all", "steps", "-1", -1,
            kMostSteps),
      real("label_smoothing", "s: the right class is taught as 1 - s, and s is spread over all", "0", 0,
           0.999),
      real("dropout", "p: a sub-layer's output is 0 with this probability, while training", "0", 0, 0.99),
      whole("seed", "of initial values, order of samples and split", "", "0", 0, 4294967295)};
  const std::set<std::string> here = {"precision", "accumulate", "clip_norm"};
  for (ParameterSpec& spec : specs_of_fields<Distribution>()) {
    if (spec.name == "precision") spec.default_value = "fp32";
    if (here.contains(spec.name)) settings.push_back(std::move(spec));
  }
  return settings;
}

std::vector<ParameterSpec> optimizer_settings(const std::string& name) {
  std::vector<ParameterSpec> settings;
  for (const HyperparameterSpec& one : find_optimizer(name).hyperparameters)
    settings.push_back(real(one.name.c_str(), one.meaning.c_str(), fmt::format("{}", one.standard).c_str(),
                            one.least, std::min(one.below, 1e9)));
  for (ParameterSpec& spec : specs_of_fields<OptimizerConfig>()) settings.push_back(std::move(spec));
  return settings;
}

std::vector<ParameterSpec> distribution_settings() {
  std::vector<ParameterSpec> settings = {
      whole("ranks", "that train together: threads, or as many as there are processes", "ranks", "2", 1,
            4096),
      real("timeout", "seconds that a rank waits for another one", "60", 0.001, 86400)};
  const std::vector<std::string> elsewhere = {"precision", "accumulate", "clip_norm", "naive"};
  for (ParameterSpec& spec : specs_of_fields<Distribution>(elsewhere)) settings.push_back(std::move(spec));
  return settings;
}

std::vector<ParameterSpec> evaluation_settings() {
  return {
      whole("evaluate_every", "steps between evaluations; 0: once an epoch; there is one at the end always",
            "steps", "0", 0, kMostSteps),
      whole("evaluation_rows", "samples of one forward pass on a rank", "samples", "64", 1, 65536),
      choice("watch", "what says which evaluation is the best", "loss", {"loss", "accuracy", "macro_f1"}),
      whole("patience", "evaluations in a row without a new best that end the run; 0: it takes all its steps",
            "evaluations", "0", 0, 1e6),
      real("least_gain", "a value is better where it is by more than this", "0", 0, 1e9),
      flag("keep_best", "the model of the best evaluation is what is kept, not the last one's", true)};
}

std::vector<ParameterSpec> output_settings() {
  return {text("output", "the folder for everything that the run leaves", "trained", {}),
          whole("save_every", "steps between checkpoints; 0: at the end, and where the run is interrupted",
                "steps", "0", 0, kMostSteps),
          whole("keep", "so many checkpoints stay; 0: all", "checkpoints", "2", 0, 1e6),
          flag("save_beside", "the run goes on while a copy of its state is written", false),
          flag("resume", "go on from the newest checkpoint in the output folder", false)};
}

struct Known {
  const SettingSection* section = nullptr;
  const ParameterSpec* spec = nullptr;
};

Known find(const std::vector<SettingSection>& sections, const std::string& name) {
  for (const SettingSection& section : sections)
    for (const ParameterSpec& spec : section.settings)
      if (spec.name == name) return {&section, &spec};
  return {};
}

std::vector<std::string> names_of(const std::vector<SettingSection>& sections) {
  std::vector<std::string> names;
  for (const SettingSection& section : sections)
    for (const ParameterSpec& spec : section.settings) names.push_back(spec.name);
  return names;
}

// The setting's name without its section.
std::string checked_name(const Setting& setting, const std::vector<SettingSection>& sections) {
  const size_t dot = setting.name.find('.');
  const std::string section = dot == std::string::npos ? "" : setting.name.substr(0, dot);
  const std::string name = setting.name.substr(dot == std::string::npos ? 0 : dot + 1);
  const Known known = find(sections, name);
  if (known.spec == nullptr)
    throw UsageError(
        fmt::format("{}: there is no such setting{}; ringside train --print-config has all of them",
                    as_typed(setting.name), suggestion(name, names_of(sections))));
  if (!section.empty() && section != known.section->name)
    throw UsageError(
        fmt::format("{}: it stands in [{}], not in [{}]", name, known.section->name, as_typed(section)));
  return name;
}

std::string toml_value(const ParameterSpec& spec, const std::string& value) {
  const bool is_number = spec.kind == ParameterKind::kInteger || spec.kind == ParameterKind::kReal;
  if (is_number) return value;
  if (spec.choices == std::vector<std::string>{"on", "off"}) return value == "on" ? "true" : "false";
  std::string quoted = "\"";
  for (const char letter : value) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\')
      quoted += {'\\', letter};
    else
      quoted += byte < 0x20 || byte == 0x7F ? fmt::format("\\u{:04X}", byte) : std::string(1, letter);
  }
  return quoted + "\"";
}

std::string comment(const ParameterSpec& spec) {
  constexpr size_t kWidth = 96;
  const bool is_flag = spec.choices == std::vector<std::string>{"on", "off"};
  std::string words = spec.meaning;
  if (spec.kind == ParameterKind::kChoice && !is_flag) words += ": " + join(spec.choices);
  if (spec.kind == ParameterKind::kInteger || spec.kind == ParameterKind::kCount)
    words += "; " + allowed_values(spec).substr(sizeof "allowed are " - 1);
  std::string lines = "# " + wrap(words, kWidth, 0);
  for (size_t at = lines.find('\n'); at != std::string::npos && at + 1 < lines.size();
       at = lines.find('\n', at + 1))
    lines.insert(at + 1, "# ");
  return lines + (lines.ends_with('\n') ? "" : "\n");
}

}  // namespace

std::vector<SettingSection> train_sections(const std::string& optimizer) {
  return {{"data", "What is learned.", data_settings()},
          {"model", "A classifier in the shape of Qwen2ForSequenceClassification.", model_settings()},
          {"training", "How it is learned.", training_settings()},
          {kOptimizer, "Of " + find_optimizer(optimizer).title + ".", optimizer_settings(optimizer)},
          {"evaluation", "On the samples that are held out.", evaluation_settings()},
          {"output", "What is left of it.", output_settings()},
          {"distribution", "Which rank has what.", distribution_settings()}};
}

bool is_toml_file(const std::string& word) {
  return word.ends_with(".toml") && word.find('=') == std::string::npos;
}

Setting setting_of_word(const std::string& word) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(fmt::format("{}: expected a file that ends in .toml, or name=value such as batch=16",
                                 as_typed(word)));
  return {word.substr(0, equals), word.substr(equals + 1)};
}

Config train_config(const std::vector<Setting>& settings) {
  std::string optimizer = "adamw";
  const auto is_known = [](const std::string& name) {  // another is refused below, with its place
    return std::ranges::find(optimizer_specs(), name, &OptimizerSpec::name) != optimizer_specs().end();
  };
  for (const Setting& setting : settings)
    if ((setting.name == kOptimizer || setting.name == "training.optimizer") && is_known(setting.value))
      optimizer = setting.value;
  const std::vector<SettingSection> sections = train_sections(optimizer);
  std::vector<ParameterSpec> specs;
  for (const SettingSection& section : sections)
    specs.insert(specs.end(), section.settings.begin(), section.settings.end());

  std::map<std::string, std::string> words;
  std::set<std::pair<bool, std::string>> given;  // in the file, or on the command line
  for (const Setting& setting : settings) {
    try {
      const std::string name = checked_name(setting, sections);
      if (!given.emplace(!setting.from.empty(), name).second) throw UsageError(name + ": given twice");
      const bool is_flag = find(sections, name).spec->choices == std::vector<std::string>{"on", "off"};
      std::string value = setting.value;
      if (is_flag && (value == "true" || value == "false")) value = value == "true" ? "on" : "off";
      Config::parse("train", specs, {name + "=" + value});  // is it allowed?
      words[name] = name + "=" + value;
    } catch (const UsageError& error) {
      if (setting.from.empty()) throw;
      throw InputError(setting.from + ": " + error.what());
    }
  }
  std::vector<std::string> all;
  for (const auto& [name, word] : words) all.push_back(word);
  return Config::parse("train", specs, all);
}

std::string toml_of(const Config& config, bool explained) {
  std::string text;
  for (const SettingSection& section : train_sections(config.text(kOptimizer))) {
    text += (text.empty() ? "[" : "\n[") + section.name + "]" + (explained ? "  # " + section.meaning : "") +
            "\n";
    for (const ParameterSpec& spec : section.settings) {
      if (explained) text += comment(spec);
      text += spec.name + " = " + toml_value(spec, config.text(spec.name)) + "\n";
    }
  }
  return text;
}

}  // namespace ringside
