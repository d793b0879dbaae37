#include "ringside/pretrained/pretrained.h"

#include <fmt/format.h>

#include <ostream>
#include <set>

#include "ringside/base/atomic_file.h"
#include "ringside/base/error.h"
#include "ringside/base/read_file.h"
#include "ringside/base/text.h"
#include "ringside/pretrained/lora.h"

namespace ringside::inline pretrained {
namespace {

namespace fs = std::filesystem;

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

PretrainedModel::PretrainedModel(const fs::path& folder, std::optional<int64_t> new_classes,
                                 const LoraAdapter* adapter)
    : weights_(folder) {
  const std::string named = as_typed(folder.string(), kPathColumns);
  config_ =
      parse_pretrained_config(read_file(folder / "config.json", kMostConfigBytes), named + "/config.json");
  const auto of_adapter = [&](const std::string& name) {
    return adapter == nullptr ? nullptr : adapter->whole(name);
  };
  if (const WeightTensor* head = of_adapter("score.weight");
      head != nullptr && !head->shape.empty() && !new_classes)
    new_classes = head->shape[0];
  const bool new_head =
      new_classes && (config_.model.every_position || config_.model.classes != *new_classes);
  if (new_head) {
    config_.model.every_position = config_.model.tied = false;
    config_.model.classes = *new_classes;
  }
  std::set<std::string> known;
  for (const ParameterShape& shape : classifier_shapes(config_.model)) {
    const std::string& name = *known.insert(pretrained_name(config_.model, shape.name)).first;
    const WeightTensor* const own = of_adapter(name);
    const WeightTensor* const tensor = own != nullptr ? own : weights_.find(name);
    if (new_head && name == "score.weight" && own == nullptr) {
      views_.emplace_back();
    } else if (tensor == nullptr) {
      throw InputError(fmt::format("{}: no tensor '{}', which config.json asks for", named, name));
    } else if (tensor->shape != shape.shape) {
      throw InputError(fmt::format("{}: '{}' is {}, config.json asks for {}", named, name,
                                   text_of_shape(tensor->shape), text_of_shape(shape.shape)));
    } else {
      views_.push_back(adapter != nullptr ? merged(*tensor, name, *adapter) : view_of(*tensor));
    }
  }
  for (const std::string& name : adapter == nullptr ? std::vector<std::string>() : adapter->names())
    if (!known.contains(name) || (config_.model.tied && name == "lm_head.weight"))
      throw InputError(fmt::format("{}: '{}', which the adapter changes, has no place in this model", named,
                                   as_typed(name)));
  for (const WeightTensor* tensor : weights_.tensors())
    if (!known.contains(tensor->name) && !is_left_out(tensor->name))
      throw InputError(fmt::format("{}: the tensor '{}' has no place in {} of the engine", named,
                                   as_typed(tensor->name), to_string(config_.family())));
}

ConstView PretrainedModel::view_of(const WeightTensor& tensor) {
  const bool aligned = reinterpret_cast<uintptr_t>(tensor.bytes.data()) % alignof(float) == 0;
  if (tensor.type == WeightType::kF32 && aligned)
    return {tensor.bytes.data(), static_cast<int64_t>(tensor.bytes.size() / sizeof(float))};
  const std::vector<float>& values = own_.emplace_back(widened_values(tensor));
  return {values.data(), static_cast<int64_t>(values.size())};
}

// In memory of its own: the adapter need not outlive this.
ConstView PretrainedModel::merged(const WeightTensor& tensor, const std::string& name,
                                  const LoraAdapter& adapter) {
  if (!adapter.changes(name) && adapter.whole(name) == nullptr) return view_of(tensor);
  std::vector<float>& values = own_.emplace_back(widened_values(tensor));
  if (adapter.changes(name)) adapter.add_to(name, tensor.shape, values);
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

}  // namespace ringside::inline pretrained
