// Models of the world: a folder with config.json and safetensors, as transformers' save_pretrained writes it,
// read as the engine's classifier or language model, and written so that from_pretrained reads it.
//
// Classes: Qwen2ForSequenceClassification, Qwen2ForCausalLM, LlamaForSequenceClassification,
// LlamaForCausalLM. The parameters are those of planner/classifier_layers.h under the same names; a language
// model's untied head is "lm_head.weight" there and "score.weight" here. Rows padded on the left are rows
// padded on the right here: rotary positions tell distances alone, and padding is seen by no token.
//
// Refused by name, as the engine has none of it: rotary scaling other than linear, a head_dim that is not
// hidden_size / num_attention_heads, biases of o_proj and of the MLP, sliding windows, activations other than
// silu.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ringside/comm/process_group.h"
#include "ringside/planner/model_config.h"
#include "ringside/planner/classifier_layers.h"
#include "ringside/weights/weight_folder.h"

namespace ringside::inline pretrained {

struct PretrainedConfig {
  ClassifierConfig model;          // every_position: ForCausalLM
  std::optional<int64_t> padding;  // pad_token_id: a classifier of theirs needs one for several rows
  int64_t positions = 32768;       // max_position_embeddings, which bounds nothing in the engine
  std::string json;  // config.json as it was read, whose other fields are written again; "": none
  ModelFamily family() const { return model.attention_bias ? ModelFamily::kQwen2 : ModelFamily::kLlama; }
};

// InputError naming `source`, the field and what is allowed.
PretrainedConfig parse_pretrained_config(const std::string& json, const std::string& source);
// config.json of it. UsageError where the model is none of the four classes.
std::string pretrained_json(const PretrainedConfig& config);
// What their files call a parameter of the engine's.
std::string pretrained_name(const ClassifierConfig& model, const std::string& name);

class LoraAdapter;  // lora.h

class PretrainedModel {
 public:
  // new_classes: read as a classifier of so many classes; of a language model the head is then left out.
  // adapter: merged into what is read; its head, if it has one, says how many classes there are.
  // InputError naming the file, and the tensor that is missing, of another shape, or of no known place.
  // Element types F32, F16, BF16.
  explicit PretrainedModel(const std::filesystem::path& folder, std::optional<int64_t> new_classes = {},
                           const LoraAdapter* adapter = nullptr);

  const PretrainedConfig& config() const { return config_; }
  // Of the parameter at that place of classifier_shapes(config().model), whole, in fp32, in the file or here:
  // what TrainerHooks::start answers. A null view: the folder has none, it is to be drawn.
  ConstView values(size_t parameter) const { return views_[parameter]; }
  size_t parameters() const { return views_.size(); }

 private:
  ConstView view_of(const WeightTensor& tensor);
  ConstView merged(const WeightTensor& tensor, const std::string& name, const LoraAdapter& adapter);

  WeightFolder weights_;
  PretrainedConfig config_;
  std::vector<ConstView> views_;
  std::vector<std::vector<float>> own_;  // of tensors that are no fp32 in place
};

// config.json and the weights in fp32, in files of at most so many bytes of data. values: of each of
// classifier_shapes(config.model), whole; a tied head's are not asked for. UsageError where one has another
// type or count; InputError where it cannot be written.
void write_pretrained(const std::filesystem::path& folder, const PretrainedConfig& config,
                      const std::vector<ConstView>& values, int64_t most_bytes = int64_t{5'000'000'000});

}  // namespace ringside::inline pretrained
