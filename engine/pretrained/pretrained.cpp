#include "ringside/pretrained/pretrained.h"

#include <array>
#include <ostream>
#include <set>

#include <fmt/format.h>
#include "ringside/base/atomic_file.h"
#include "ringside/base/error.h"
#include "ringside/base/json.h"
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

constexpr double kMostTheta = 1e12;
constexpr std::array<std::string_view, 4> kClasses = {"Qwen2ForSequenceClassification", "Qwen2ForCausalLM",
                                                      "LlamaForSequenceClassification", "LlamaForCausalLM"};
size_t class_of(ModelFamily family, bool every_position) {
  return (family == ModelFamily::kLlama ? 2 : 0) + (every_position ? 1 : 0);
}

double number(const JsonObject& fields, const char* key, double low, double high, double otherwise) {
  const Json* const value = fields.find(key);
  return value == nullptr ? otherwise : json_number(*value, key, low, high);
}

// "rope_parameters" of transformers 5; "rope_theta" and "rope_scaling" before it.
void read_rotary(const JsonObject& top, ClassifierConfig& model) {
  model.rope_theta = number(top, "rope_theta", 1, kMostTheta, 10000);
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    if (top.find(key) == nullptr) continue;
    const JsonObject rotary = top.object(key);
    model.rope_theta = number(rotary, "rope_theta", 1, kMostTheta, model.rope_theta);
    const std::string kind = rotary.text_or_empty(rotary.find("rope_type") ? "rope_type" : "type");
    if (kind == "linear")
      model.rope_scale = 1 / json_number(rotary.at("factor"), "factor", 1, 1e6);
    else if (!kind.empty() && kind != "default")
      throw JsonRejected("{}: rope_type '{}' is not in the engine; allowed are default, linear", key,
                         as_typed(kind));
    if (number(rotary, "partial_rotary_factor", 0, 1, 1) != 1)
      throw JsonRejected("{}: partial_rotary_factor: allowed is 1", key);
  }
}

void check_known(const JsonObject& top, const TextSizes& text) {
  if (const std::string act = top.text_or_empty("hidden_act"); !act.empty() && act != "silu")
    throw JsonRejected("hidden_act: '{}' is not in the engine; allowed is silu", as_typed(act));
  if (text.head_size * text.heads != text.hidden)
    throw JsonRejected("head_dim: {}; allowed is hidden_size / num_attention_heads", text.head_size);
  if (text.o_bias)
    throw JsonRejected("attention_bias: a bias of o_proj is not in the engine; allowed is false");
  if (text.mlp_bias) throw JsonRejected("mlp_bias: not in the engine; allowed is false");
  if (top.flag("use_sliding_window", false))
    throw JsonRejected("use_sliding_window: not in the engine; allowed is false");
  if (top.find("quantization_config")) throw JsonRejected("quantization_config: not in the engine");
}

int64_t read_classes(const JsonObject& top) {
  if (!top.find("id2label")) return top.integer("num_labels", 1, 1 << 20, 2);
  const auto classes = int64_t(JsonObject(top.at("id2label"), "id2label").size());
  if (classes < 1) throw JsonRejected("id2label: no class");
  return classes;
}

PretrainedConfig read_fields(const JsonObject& top, const ModelConfig& sizes) {
  const TextSizes& text = sizes.text;
  if (sizes.family != ModelFamily::kQwen2 && sizes.family != ModelFamily::kLlama)
    throw JsonRejected("model_type: '{}' is not in the engine; allowed are qwen2, llama",
                       to_string(sizes.family));
  check_known(top, text);
  const Json& named = top.array("architectures", 1, 16).front();
  const std::string& architecture = json_text(named, "architectures", 256);
  const size_t first = class_of(sizes.family, false);
  if (architecture != kClasses[first] && architecture != kClasses[first + 1])
    throw JsonRejected("architectures: '{}' is not in the engine; allowed are {} and {}",
                       as_typed(architecture), kClasses[first], kClasses[first + 1]);
  PretrainedConfig config;
  ClassifierConfig& model = config.model;
  model.vocabulary = text.vocabulary, model.hidden = text.hidden, model.heads = text.heads;
  model.kv_heads = text.kv_heads, model.intermediate = text.intermediate, model.layers = text.layers;
  model.attention_bias = text.qkv_bias;
  model.norm_eps = number(top, "rms_norm_eps", 0, 1, 1e-6);
  model.every_position = architecture == kClasses[first + 1];
  model.tied = model.every_position && text.tied;
  model.classes = model.every_position ? text.vocabulary : read_classes(top);
  read_rotary(top, model);
  if (top.find("pad_token_id")) config.padding = top.integer("pad_token_id", -1, text.vocabulary - 1);
  config.positions = top.integer("max_position_embeddings", 1, int64_t{1} << 40, config.positions);
  return config;
}

void check_writable(const ClassifierConfig& model) {
  const auto require = [](bool is, const char* what) {
    if (!is) throw UsageError("{}: transformers' Qwen2 and Llama have no other", what);
  };
  require(model.norm == NormKind::kRms && model.where == NormPlace::kPre, "norm=rms, where=pre");
  require(model.causal && model.learned_positions == 0, "causal attention, rotary positions");
  require(!model.head_bias, "a head without bias");
  require(!model.every_position || model.classes == model.vocabulary,
          "a language model's head has the vocabulary");
}

Json labels_of(int64_t classes, bool by_name) {
  Json labels = Json::object();
  for (int64_t i = 0; i < classes; ++i) {
    const std::string name = fmt::format("LABEL_{}", i);
    by_name ? labels[name] = i : labels[std::to_string(i)] = name;
  }
  return labels;
}

}  // namespace

PretrainedModel::PretrainedModel(const fs::path& folder, std::optional<int64_t> new_classes,
                                 const LoraAdapter* adapter)
    : weights_(folder) {
  const std::string named = typed_path(folder);
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
      throw InputError("{}: no tensor '{}', which config.json asks for", named, name);
    } else if (tensor->shape != shape.shape) {
      throw InputError("{}: '{}' is {}, config.json asks for {}", named, name, text_of_shape(tensor->shape),
                       text_of_shape(shape.shape));
    } else {
      views_.push_back(adapter != nullptr ? merged(*tensor, name, *adapter) : view_of(*tensor));
    }
  }
  for (const std::string& name : adapter == nullptr ? std::vector<std::string>() : adapter->names())
    if (!known.contains(name) || (config_.model.tied && name == "lm_head.weight"))
      throw InputError("{}: '{}', which the adapter changes, has no place in this model", named,
                       as_typed(name));
  for (const WeightTensor* tensor : weights_.tensors())
    if (!known.contains(tensor->name) && !is_left_out(tensor->name))
      throw InputError("{}: the tensor '{}' has no place in {} of the engine", named, as_typed(tensor->name),
                       to_string(config_.family()));
}

ConstView PretrainedModel::view_of(const WeightTensor& tensor) {
  const bool aligned = reinterpret_cast<uintptr_t>(tensor.bytes.data()) % alignof(float) == 0;
  if (tensor.type == WeightType::kF32 && aligned)
    return {tensor.bytes.data(), int64_t(tensor.bytes.size() / sizeof(float))};
  const std::vector<float>& values = own_.emplace_back(widened_values(tensor));
  return {values.data(), int64_t(values.size())};
}

// In memory of its own: the adapter need not outlive this.
ConstView PretrainedModel::merged(const WeightTensor& tensor, const std::string& name,
                                  const LoraAdapter& adapter) {
  if (!adapter.changes(name) && adapter.whole(name) == nullptr) return view_of(tensor);
  std::vector<float>& values = own_.emplace_back(widened_values(tensor));
  if (adapter.changes(name)) adapter.add_to(name, tensor.shape, values);
  return {values.data(), int64_t(values.size())};
}

void write_pretrained(const fs::path& folder, const PretrainedConfig& config,
                      const std::vector<ConstView>& values, int64_t most_bytes) {
  const std::string json = pretrained_json(config);
  const std::vector<ParameterShape> shapes = classifier_shapes(config.model);
  if (values.size() != shapes.size())
    throw UsageError("{} parameters are given, the model has {}", values.size(), shapes.size());
  std::vector<WeightTensor> tensors;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const ConstView& view = values[i];
    if (shapes[i].repeats()) continue;
    if (view.dtype != Dtype::kFloat32 || view.device != Device::kCpu || view.count != shapes[i].numel())
      throw UsageError("{}: {} values are given, the model has {} in fp32", shapes[i].name, view.count,
                       shapes[i].numel());
    tensors.push_back({pretrained_name(config.model, shapes[i].name),
                       WeightType::kF32,
                       shapes[i].shape,
                       {static_cast<const std::byte*>(view.data), size_t(view.bytes())}});
  }
  write_weight_folder(folder, tensors, most_bytes);
  write_file_atomically(folder / "config.json", [&](std::ostream& out) { out << json; });
}

PretrainedConfig parse_pretrained_config(const std::string& json, const std::string& source) try {
  const ModelConfig sizes = parse_model_config(json, source);
  const Json parsed = parse_json(json, {kMostConfigBytes, kMostConfigDepth, kMostConfigBytes});
  PretrainedConfig config = read_fields(JsonObject(parsed), sizes);
  config.json = json;
  return config;
} catch (const JsonRejected& rejected) {
  throw InputError("{}: {}; expected the config.json of a model that the engine has", source, rejected.why);
}

std::string pretrained_json(const PretrainedConfig& config) {
  const ClassifierConfig& model = config.model;
  check_writable(model);
  Json json = config.json.empty()
                  ? Json::object()
                  : parse_json(config.json, {kMostConfigBytes, kMostConfigDepth, kMostConfigBytes});
  for (const char* old : {"rope_parameters", "text_config", "dtype", "num_labels"}) json.erase(old);
  json["architectures"] = {kClasses[class_of(config.family(), model.every_position)]};
  json["model_type"] = to_string(config.family());
  json["vocab_size"] = model.vocabulary, json["hidden_size"] = model.hidden;
  json["intermediate_size"] = model.intermediate, json["num_hidden_layers"] = model.layers;
  json["num_attention_heads"] = model.heads, json["num_key_value_heads"] = model.kv_heads;
  json["hidden_act"] = "silu", json["rms_norm_eps"] = model.norm_eps;
  json["max_position_embeddings"] = config.positions;
  json["rope_theta"] = model.rope_theta, json["rope_scaling"] = nullptr;
  if (model.rope_scale != 1)
    json["rope_scaling"] = {{"type", "linear"}, {"rope_type", "linear"}, {"factor", 1 / model.rope_scale}};
  json["tie_word_embeddings"] = model.tied;
  json["torch_dtype"] = "float32";
  json["pad_token_id"] = config.padding ? Json(*config.padding) : Json();
  if (config.family() == ModelFamily::kLlama) json["attention_bias"] = json["mlp_bias"] = false;
  const bool labelled = json.contains("id2label") && json["id2label"].size() == size_t(model.classes);
  if (!model.every_position && !labelled) {
    json["id2label"] = labels_of(model.classes, false);
    json["label2id"] = labels_of(model.classes, true);
  }
  return json.dump(2) + "\n";
}

std::string pretrained_name(const ClassifierConfig& model, const std::string& name) {
  return model.every_position && name == "score.weight" ? "lm_head.weight" : name;
}

}  // namespace ringside::inline pretrained
