#include "ringside/pretrained/lora.h"

#include <cmath>

#include "ringside/base/error.h"
#include "ringside/base/json.h"
#include "ringside/base/read_file.h"
#include "ringside/base/text.h"

namespace ringside::inline pretrained {
namespace {

constexpr size_t kMostAdapterConfig = size_t{1} << 20;
constexpr std::string_view kModel = "base_model.model.", kA = ".lora_A.weight", kB = ".lora_B.weight",
                           kSaved = ".modules_to_save.weight",
                           kBaseLayer = ".base_layer.weight";  // of a head that is adapted, as it was before

bool is_nothing(const Json& value) {
  return value.is_null() || value == Json(false) || value == Json("none") ||
         (value.is_structured() && value.empty());
}

}  // namespace

LoraAdapter::LoraAdapter(const std::filesystem::path& folder)
    : named_(typed_path(folder)), file_(folder / "adapter_model.safetensors") {
  try {
    read_config(read_file(folder / "adapter_config.json", kMostAdapterConfig));
    for (const WeightTensor& tensor : file_.tensors()) take(tensor);
    for (const auto& [name, pair] : pairs_)
      if (pair.a == nullptr || pair.b == nullptr)
        throw JsonRejected("'{}' has lora_{} alone", as_typed(name), pair.a == nullptr ? "B" : "A");
  } catch (const JsonRejected& rejected) {
    throw InputError("{}: {}; expected an adapter as peft's save_pretrained writes it", named_, rejected.why);
  }
}

void LoraAdapter::read_config(const std::string& json) {
  const Json parsed = parse_json(json, {kMostAdapterConfig, 8, 100'000});
  const JsonObject top(parsed);
  if (const std::string type = top.text_or_empty("peft_type"); type != "LORA")
    throw JsonRejected("peft_type: '{}' is not in the engine; allowed is LORA", as_typed(type));
  for (const char* key : {"use_dora", "fan_in_fan_out", "bias", "lora_bias", "rank_pattern", "alpha_pattern",
                          "target_parameters", "layer_replication", "trainable_token_indices", "use_qalora"})
    if (const Json* const value = top.find(key); value != nullptr && !is_nothing(*value))
      throw JsonRejected("{}: {} is not in the engine; allowed is none", key, as_typed(value->dump()));
  if (const Json* const begins = top.find("init_lora_weights");
      begins != nullptr && !begins->is_boolean() && *begins != Json("gaussian"))
    throw JsonRejected("init_lora_weights: {} is not in the engine; allowed are true, false, gaussian",
                       as_typed(begins->dump()));
  rank_ = top.integer("r", 1, 1 << 20);
  const double alpha = json_number(top.at("lora_alpha"), "lora_alpha", 0, 1e9);
  const auto rank = double(rank_);
  scale_ = alpha / (top.flag("use_rslora", false) ? std::sqrt(rank) : rank);
  base_ = top.text_or_empty("base_model_name_or_path", 4096);
}

void LoraAdapter::take(const WeightTensor& tensor) {
  const std::string_view full = tensor.name;
  if (!full.starts_with(kModel)) throw JsonRejected("'{}' does not begin with {}", as_typed(full), kModel);
  const auto name = [&](std::string_view end) {
    return std::string(full.substr(kModel.size(), full.size() - kModel.size() - end.size()));
  };
  const auto ends = [&](std::string_view end) {
    return full.size() > kModel.size() + end.size() && full.ends_with(end);
  };
  if (ends(kA))
    pairs_[name(kA) + ".weight"].a = &tensor;
  else if (ends(kB))
    pairs_[name(kB) + ".weight"].b = &tensor;
  else if (full.find("lora_") != std::string_view::npos)
    throw JsonRejected("'{}' is not in the engine; allowed are lora_A and lora_B of linear layers",
                       as_typed(full));
  else
    whole_[ends(kSaved)       ? name(kSaved) + ".weight"
           : ends(kBaseLayer) ? name(kBaseLayer) + ".weight"
                              : name("")] = &tensor;
}

const WeightTensor* LoraAdapter::whole(const std::string& name) const {
  const auto found = whole_.find(name);
  return found == whole_.end() ? nullptr : found->second;
}

std::vector<std::string> LoraAdapter::names() const {
  std::vector<std::string> names;
  for (const auto& [name, pair] : pairs_) names.push_back(name);
  for (const auto& [name, tensor] : whole_) names.push_back(name);
  return names;
}

void LoraAdapter::add_to(const std::string& name, std::span<const int64_t> shape,
                         std::span<float> values) const {
  const Pair& pair = pairs_.at(name);
  const bool fits = shape.size() == 2 && pair.a->shape == std::vector<int64_t>{rank_, shape[1]} &&
                    pair.b->shape == std::vector<int64_t>{shape[0], rank_};
  if (!fits)
    throw InputError("{}: lora_A and lora_B of '{}' are not of rank {} and its shape", named_, as_typed(name),
                     rank_);
  const std::vector<float> a = widened_values(*pair.a), b = widened_values(*pair.b);
  const auto rows = size_t(shape[0]), columns = size_t(shape[1]), rank = size_t(rank_);
  for (size_t i = 0; i < rows; ++i)
    for (size_t k = 0; k < rank; ++k) {
      const float factor = float(scale_) * b[i * rank + k];
      for (size_t j = 0; j < columns; ++j) values[i * columns + j] += factor * a[k * columns + j];
    }
}

}  // namespace ringside::inline pretrained
