#include "ringside/pretrained/pretrained.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <ostream>
#include <set>

#include "ringside/base/atomic_file.h"
#include "ringside/base/bfloat16.h"
#include "ringside/base/error.h"
#include "ringside/base/read_file.h"
#include "ringside/base/text.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

float half_to_float(uint16_t bits) {  // IEEE 754 binary16
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16, exponent = bits >> 10 & 0x1fu,
                 fraction = bits & 0x3ffu;
  if (exponent == 0) {  // zero, or a subnormal number: fraction 2^-24
    const float size = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -size : size;
  }
  const uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

std::vector<float> widened_values(const WeightTensor& tensor) {
  std::vector<float> values(tensor.bytes.size() * 8 / static_cast<size_t>(bits_of(tensor.type)));
  if (tensor.type == WeightType::kF32) {
    if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    return values;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    uint16_t bits = 0;
    std::memcpy(&bits, tensor.bytes.data() + 2 * i, 2);
    values[i] = tensor.type == WeightType::kBF16 ? bf16_to_float(bits) : half_to_float(bits);
  }
  return values;
}

std::string text_of_shape(const std::vector<int64_t>& shape) {
  std::string text;
  for (const int64_t size : shape) text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text.empty() ? "one number" : text;
}

// A head of the file that the model does not take: of the embedding it is tied to, or of what was learned
// before.
bool is_left_out(const std::string& name) {
  return name == "lm_head.weight" || name == "score.weight" || name.ends_with(".rotary_emb.inv_freq");
}

}  // namespace

PretrainedModel::PretrainedModel(const fs::path& folder, std::optional<int64_t> new_classes)
    : weights_(folder) {
  const std::string named = as_typed(folder.string(), kPathColumns);
  config_ =
      parse_pretrained_config(read_file(folder / "config.json", kMostConfigBytes), named + "/config.json");
  const bool new_head =
      new_classes && (config_.model.every_position || config_.model.classes != *new_classes);
  if (new_head) {
    config_.model.every_position = config_.model.tied = false;
    config_.model.classes = *new_classes;
  }
  std::set<std::string> known;
  for (const ParameterShape& shape : classifier_shapes(config_.model)) {
    const std::string& name = *known.insert(pretrained_name(config_.model, shape.name)).first;
    const WeightTensor* const tensor = weights_.find(name);
    if (new_head && name == "score.weight") {
      views_.emplace_back();
    } else if (tensor == nullptr) {
      throw InputError(fmt::format("{}: no tensor '{}', which config.json asks for", named, name));
    } else if (tensor->shape != shape.shape) {
      throw InputError(fmt::format("{}: '{}' is {}, config.json asks for {}", named, name,
                                   text_of_shape(tensor->shape), text_of_shape(shape.shape)));
    } else {
      views_.push_back(view_of(*tensor));
    }
  }
  for (const WeightTensor* tensor : weights_.tensors())
    if (!known.contains(tensor->name) && !is_left_out(tensor->name))
      throw InputError(fmt::format("{}: the tensor '{}' has no place in {} of the engine", named,
                                   as_typed(tensor->name), to_string(config_.family())));
}

ConstView PretrainedModel::view_of(const WeightTensor& tensor) {
  const bool known =
      tensor.type == WeightType::kF32 || tensor.type == WeightType::kF16 || tensor.type == WeightType::kBF16;
  if (!known)
    throw InputError(fmt::format("'{}' is of type {}; weights are read in F32, F16, BF16",
                                 as_typed(tensor.name), to_string(tensor.type)));
  const bool aligned = reinterpret_cast<uintptr_t>(tensor.bytes.data()) % alignof(float) == 0;
  if (tensor.type == WeightType::kF32 && aligned)
    return {tensor.bytes.data(), static_cast<int64_t>(tensor.bytes.size() / sizeof(float))};
  const std::vector<float>& values = own_.emplace_back(widened_values(tensor));
  return {values.data(), static_cast<int64_t>(values.size())};
}

void write_pretrained(const fs::path& folder, const PretrainedConfig& config,
                      const std::vector<ConstView>& values, int64_t most_bytes) {
  const std::string json = pretrained_json(config);
  const std::vector<ParameterShape> shapes = classifier_shapes(config.model);
  if (values.size() != shapes.size())
    throw UsageError(fmt::format("{} parameters are given, the model has {}", values.size(), shapes.size()));
  std::vector<WeightTensor> tensors;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const ConstView& view = values[i];
    if (shapes[i].repeats()) continue;
    if (view.dtype != Dtype::kFloat32 || view.device != Device::kCpu || view.count != shapes[i].numel())
      throw UsageError(fmt::format("{}: {} values are given, the model has {} in fp32", shapes[i].name,
                                   view.count, shapes[i].numel()));
    tensors.push_back({pretrained_name(config.model, shapes[i].name),
                       WeightType::kF32,
                       shapes[i].shape,
                       {static_cast<const std::byte*>(view.data), static_cast<size_t>(view.bytes())}});
  }
  write_weight_folder(folder, tensors, most_bytes);
  write_file_atomically(folder / "config.json", [&](std::ostream& out) { out << json; });
}

}  // namespace ringside
