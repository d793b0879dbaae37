#include "trained.h"

#include <fmt/format.h>

#include <filesystem>

#include "ringside/base/error.h"
#include "ringside/base/read_file.h"
#include "ringside/base/text.h"
#include "toml_words.h"
#include "train_data.h"
#include "train_setup.h"

namespace ringside {
namespace {

constexpr size_t kMostConfig = size_t{1} << 20;

Config config_of(const RunFolder& folder) {
  if (!std::filesystem::exists(folder.config()))
    throw InputError(folder.typed() + ": has no config.toml: expected the folder that ringside train left");
  return train_config(read_toml(folder.config()));
}

// Of a model that began with somebody else's weights: its sizes are in its own config.json.
ClassifierConfig kept_model(const RunFolder& folder, const Config& config, int64_t classes,
                            int64_t vocabulary) {
  if (config.text("pretrained").empty()) return model_of(config, classes, vocabulary);
  const std::filesystem::path file = folder.model() / "config.json";
  return parse_pretrained_config(read_file(file, kMostConfig), typed_path(file)).model;
}

}  // namespace

TrainedRun::TrainedRun(const RunFolder& folder)
    : config_(config_of(folder)),
      learned_(read_classes(folder)),
      tokenizer_(
          tokenizer_of(std::filesystem::exists(folder.tokenizer()) ? folder.tokenizer().string() : "bytes")),
      weights_(folder.model()),
      model_(kept_model(folder, config_, std::ssize(learned_.classes), tokenizer_->vocabulary())) {
  const std::string named = typed_path(folder.model());
  if (model_.classes != std::ssize(learned_.classes))
    throw InputError(
        fmt::format("{}: has {} classes, classes.json {}", named, model_.classes, learned_.classes.size()));
  for (const ParameterShape& shape : classifier_shapes(model_)) {
    const WeightTensor* const tensor = weights_.find(shape.name);
    if (tensor == nullptr || tensor->shape != shape.shape || tensor->type != WeightType::kF32)
      throw InputError(fmt::format(
          "{}: no '{}' as config.toml has it; ringside train {}/config.toml resume=true writes it anew",
          named, shape.name, folder.typed()));
    values_.push_back({tensor->bytes.data(), shape.numel()});
  }
}

TrainedClassifier TrainedRun::classifier() const {
  return {.model = model_,
          .max_tokens = learned_.max_tokens,
          .padding = {tokenizer_->padding(), config_.text("padding") == "left"},
          .weights = [this](size_t i) { return values_[i]; }};
}

}  // namespace ringside
