#include "train_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "ringside/base/error.h"
#include "ringside/base/field.h"
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
      text(
          "data",
          "the training data: a folder with a sub-folder per class, a .csv, .tsv or .jsonl file, images such "
          "as train-images-idx3-ubyte with their labels beside them (each may be .gz), or the word synthetic",
          "", {"synthetic"}),
      text("test", "the test data, of the same kinds; empty: a share of the training data is held out", "",
           {}),
      choice("kind", "the kind of the data, if the file name does not show it", "by_name",
             {"by_name", "folder", "csv", "tsv", "jsonl", "idx"}),
      text("text_column", "the column (in JSONL: the key) that holds the text", "text", {}),
      text("label_column", "the column (in JSONL: the key) that holds the class", "label", {}),
      real("held_out", "the share of each class that is kept for evaluation", "0.2", 0.001, 0.9),
      choice("class_weights",
             "balanced: samples of a rare class weigh more, so that each class weighs the same", "none",
             {"none", "balanced"}),
      text("tokenizer",
           "bytes, or the path of a Hugging Face tokenizer.json (byte-level BPE); auto: that of the "
           "pretrained model, else bytes",
           "auto", {"auto", "bytes"}),
      whole("max_tokens", "the longest text, with its end token; longer ones are cut", "tokens", "128", 2,
            65536),
      choice("padding", "the side on which shorter texts of a batch are padded", "right", {"right", "left"}),
      flag("by_length", "each batch has texts of similar length: less padding, but another order of samples",
           false)};
}

// The norms that look at one token alone.
std::vector<std::string> norms_of_a_token() {
  std::vector<std::string> names;
  for (const std::string_view name : texts(NormKind()))
    if (!spans_tokens(from_text<NormKind>(std::string(name)).value())) names.emplace_back(name);
  return names;
}

std::vector<ParameterSpec> model_settings() {
  const ClassifierConfig standard;
  return {text("pretrained",
               "a folder in transformers' format (config.json, safetensors) to start from; it brings its own "
               "sizes, and the ones below are ignored",
               "", {}),
          whole("hidden", "H, the features of a token", "features", "64", 2, 65536),
          whole("layers", "L, the number of decoder layers", "layers", "2", 1, 1024),
          whole("heads", "attention heads; H must be a multiple of twice this number", "heads", "4", 1, 1024),
          whole("kv_heads", "key and value heads; heads must be a multiple of this number", "heads", "2", 1,
                1024),
          whole("intermediate", "I, the features inside an MLP", "features", "256", 1, 1 << 20),
          choice("norm", "rms: divides by the root mean square; layer: also subtracts the mean", "rms",
                 norms_of_a_token()),
          choice("where", "pre: a norm before each sub-layer; post: behind each residual sum", "pre",
                 {"pre", "post"}),
          flag("freeze_embedding", "the token embedding is not trained", standard.freeze_embedding)};
}

std::vector<ParameterSpec> training_settings(const std::string& optimizer) {
  std::vector<std::string> optimizers;
  for (const OptimizerSpec& spec : optimizer_specs()) optimizers.push_back(spec.name);
  std::vector<ParameterSpec> settings = {
      whole("epochs", "how often each training sample is seen; ignored if steps is given", "epochs", "10", 1,
            1e6),
      whole("steps", "the number of updates; 0: as many as the epochs need", "steps", "0", 0, kMostSteps),
      whole("batch", "samples per forward pass, over all ranks", "samples", "32", 1, 1 << 20),
      choice(kOptimizer, "the optimizer; its own settings stand in [optimizer]", "adamw", optimizers),
      real("learning_rate", "the learning rate after warm-up, which is the highest", "0.001", 0, 1e3),
      choice("schedule", "how the learning rate falls after warm-up", "cosine",
             {"constant", "linear", "cosine"}),
      whole("warmup", "steps in which the learning rate rises; -1: a twentieth of all steps", "steps", "-1",
            -1, kMostSteps),
      real("label_smoothing", "s: the target is 1 - s for the right class, and s is shared by all classes",
           "0", 0, 0.999),
      real("dropout", "p: in training an output of a sub-layer is set to 0 with this probability", "0", 0,
           0.99),
      flag("fused",
           "what stands between the products of a layer is one node of the graph each: less time and memory, "
           "and another rounding",
           false),
      flag(
          "packed",
          "with fused: padding is left out of all but attention, and the last MLP has each text's last token "
          "alone: less time and memory, and another rounding",
          false),
      whole("seed", "the random seed for initial values, order of samples and split", "", "0", 0,
            4294967295)};
  const std::set<std::string> here = {"precision", "accumulate", "clip_norm"};
  for (ParameterSpec& spec : specs_of_fields<Distribution>()) {
    if (spec.name == "precision") spec.default_value = "fp32";
    if (spec.name == "clip_norm" && find_optimizer(optimizer).compares_gradients) spec.default_value = "0";
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
      whole("ranks", "ranks that train together; they are threads, or the processes of a launcher", "ranks",
            "2", 1, 4096),
      real("timeout", "seconds that a rank waits for another rank", "60", 0.001, 86400)};
  const std::vector<std::string> elsewhere = {"precision", "accumulate", "clip_norm", "naive"};
  for (ParameterSpec& spec : specs_of_fields<Distribution>(elsewhere)) settings.push_back(std::move(spec));
  return settings;
}

std::vector<ParameterSpec> evaluation_settings() {
  return {
      whole("evaluate_every",
            "steps between evaluations; 0: once per epoch; the last step is always evaluated", "steps", "0",
            0, kMostSteps),
      whole("evaluation_rows", "samples per forward pass of a rank", "samples", "64", 1, 65536),
      choice("watch", "the value by which the best evaluation is chosen", "loss",
             {"loss", "accuracy", "macro_f1"}),
      whole("patience", "the run stops after so many evaluations without a new best; 0: it never stops early",
            "evaluations", "0", 0, 1e6),
      real("least_gain", "a new best must be better by more than this", "0", 0, 1e9),
      flag("keep_best", "model/ holds the parameters of the best evaluation, not those of the last step",
           true)};
}

std::vector<ParameterSpec> output_settings() {
  return {text("output", "the folder to which the run writes", "trained", {}),
          whole("save_every", "steps between checkpoints; 0: only at the end, and if the run is interrupted",
                "steps", "0", 0, kMostSteps),
          whole("keep", "how many checkpoints are kept; 0: all", "checkpoints", "2", 0, 1e6),
          flag("save_beside", "training goes on while a copy of its state is written", false),
          flag("resume", "continue from the newest checkpoint in the output folder", false)};
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
std::string checked_name(const TrainSetting& setting, const std::vector<SettingSection>& sections) {
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
  return {{"data", "The data.", data_settings()},
          {"model", "A classifier in the shape of Qwen2ForSequenceClassification.", model_settings()},
          {"training", "The training.", training_settings(optimizer)},
          {kOptimizer, "Settings of " + find_optimizer(optimizer).title + ".", optimizer_settings(optimizer)},
          {"evaluation", "The evaluation, on samples that are held out.", evaluation_settings()},
          {"output", "The files that the run writes.", output_settings()},
          {"distribution", "What each rank holds and sends.", distribution_settings()}};
}

bool is_toml_file(const std::string& word) {
  return word.ends_with(".toml") && word.find('=') == std::string::npos;
}

TrainSetting setting_of_word(const std::string& word) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(fmt::format("{}: expected a file that ends in .toml, or name=value such as batch=16",
                                 as_typed(word)));
  return {word.substr(0, equals), word.substr(equals + 1)};
}

Config train_config(const std::vector<TrainSetting>& settings) {
  std::string optimizer = "adamw";
  const auto is_known = [](const std::string& name) {  // another is refused below, with its place
    return std::ranges::find(optimizer_specs(), name, &OptimizerSpec::name) != optimizer_specs().end();
  };
  for (const TrainSetting& setting : settings)
    if ((setting.name == kOptimizer || setting.name == "training.optimizer") && is_known(setting.value))
      optimizer = setting.value;
  const std::vector<SettingSection> sections = train_sections(optimizer);
  std::vector<ParameterSpec> specs;
  for (const SettingSection& section : sections)
    specs.insert(specs.end(), section.settings.begin(), section.settings.end());

  std::map<std::string, std::string> words;
  std::set<std::pair<bool, std::string>> given;  // in the file, or on the command line
  for (const TrainSetting& setting : settings) {
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
