#include "ringside/pretrained/pretrained.h"

#include <cstring>

#include "catch.h"
#include "check_text.h"
#include "ringside/base/bfloat16.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "temp_folder.h"

using namespace ringside;

namespace {

const char* const kLlama = R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 9,
  "hidden_size": 8, "intermediate_size": 6, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1,
  "rms_norm_eps": 0.001, "rope_theta": 500.0, "eos_token_id": [7, 8]})";
const char* const kQwen2 = R"({"architectures": ["Qwen2ForSequenceClassification"], "model_type": "qwen2",
  "vocab_size": 9, "hidden_size": 8, "intermediate_size": 6, "num_hidden_layers": 1, "num_attention_heads": 2,
  "num_key_value_heads": 1, "id2label": {"0": "good", "1": "bad", "2": "odd"}, "pad_token_id": 3,
  "rope_parameters": {"rope_type": "linear", "factor": 4.0, "rope_theta": 1000000.0}})";

std::string changed(std::string json, const std::string& old, const std::string& replacement) {
  const size_t at = json.find(old);
  REQUIRE(at != std::string::npos);
  return json.replace(at, old.size(), replacement);
}

std::string refused_config(const std::string& json) {
  return message_of<InputError>([&] { parse_pretrained_config(json, "config.json"); });
}

struct WholeModel {
  PretrainedConfig config;
  std::vector<std::vector<float>> values;
  explicit WholeModel(const char* json) : config(parse_pretrained_config(json, "config.json")) {
    for (const ParameterShape& shape : classifier_shapes(config.model)) {
      values.emplace_back(static_cast<size_t>(shape.numel()));
      for (float& value : values.back()) value = static_cast<float>(++last_);
    }
  }
  std::vector<ConstView> views() const {
    std::vector<ConstView> all;
    for (const auto& of : values) all.push_back({of.data(), static_cast<int64_t>(of.size())});
    return all;
  }

 private:
  int last_ = 0;
};

std::string refused_model(const testing::TempFolder& folder) {
  return message_of<InputError>([&] { PretrainedModel model(folder.path); });
}

}  // namespace

TEST_CASE("config.json of the four classes is the engine's configuration") {
  const PretrainedConfig llama = parse_pretrained_config(kLlama, "x");
  CHECK(llama.family() == ModelFamily::kLlama);
  CHECK((llama.model.every_position && llama.model.classes == 9 && !llama.model.tied &&
         !llama.model.attention_bias));
  CHECK((llama.model.norm_eps == 0.001 && llama.model.rope_theta == 500));
  const PretrainedConfig qwen2 = parse_pretrained_config(kQwen2, "x");
  CHECK((!qwen2.model.every_position && qwen2.model.classes == 3 && qwen2.model.attention_bias));
  CHECK((qwen2.model.rope_theta == 1e6 && qwen2.model.rope_scale == 0.25 && qwen2.padding == 3));
  CHECK(parse_pretrained_config(changed(kQwen2, R"("id2label": {"0": "good", "1": "bad", "2": "odd"},)", ""),
                                "x")
            .model.classes == 2);
  CHECK(parse_pretrained_config(
            changed(kLlama, "\"vocab_size\"", "\"tie_word_embeddings\": true, \"vocab_size\""), "x")
            .model.tied);
}

TEST_CASE("What the engine has none of is refused by name") {
  const auto with = [](const char* field) {
    return refused_config(changed(kLlama, "\"vocab_size\"", std::string(field) + ", \"vocab_size\""));
  };
  CHECK(lacks(with(R"("rope_scaling": {"rope_type": "llama3", "factor": 8.0})"),
              {"config.json", "rope_scaling", "llama3"}) == "");
  CHECK(lacks(with(R"("rope_parameters": {"rope_type": "yarn"})"), {"rope_parameters", "yarn"}) == "");
  CHECK(lacks(with(R"("rope_parameters": {"partial_rotary_factor": 0.5})"), {"partial_rotary_factor"}) == "");
  CHECK(lacks(with(R"("hidden_act": "gelu")"), {"hidden_act", "gelu"}) == "");
  CHECK(lacks(with(R"("head_dim": 16)"), {"head_dim"}) == "");
  CHECK(lacks(with(R"("attention_bias": true)"), {"attention_bias"}) == "");
  CHECK(lacks(with(R"("mlp_bias": true)"), {"mlp_bias"}) == "");
  CHECK(lacks(with(R"("use_sliding_window": true)"), {"use_sliding_window"}) == "");
  CHECK(lacks(with(R"("quantization_config": {})"), {"quantization_config"}) == "");
  CHECK(lacks(refused_config(changed(kLlama, "LlamaForCausalLM", "LlamaModel")),
              {"'LlamaModel'", "LlamaForCausalLM"}) == "");
  CHECK(lacks(refused_config(changed(kLlama, "LlamaForCausalLM", "Qwen2ForCausalLM")),
              {"Qwen2ForCausalLM"}) == "");
  CHECK(lacks(refused_config(changed(kQwen2, "{\"0\": \"good\", \"1\": \"bad\", \"2\": \"odd\"}", "{}")),
              {"id2label"}) == "");
}

TEST_CASE("A configuration is written with what it was read with beside it") {
  for (const char* json : {kLlama, kQwen2}) {
    const PretrainedConfig config = parse_pretrained_config(json, "x");
    const PretrainedConfig again = parse_pretrained_config(pretrained_json(config), "again");
    CHECK(pretrained_json(again) == pretrained_json(config));
    CHECK(classifier_shapes(again.model).size() == classifier_shapes(config.model).size());
    CHECK((again.model.rope_theta == config.model.rope_theta &&
           again.model.rope_scale == config.model.rope_scale));
    CHECK((again.model.norm_eps == config.model.norm_eps && again.padding == config.padding));
  }
  CHECK(lacks(pretrained_json(parse_pretrained_config(kLlama, "x")),
              {"\"eos_token_id\": [\n    7,", "LlamaForCausalLM"}) == "");
  CHECK(lacks(pretrained_json(parse_pretrained_config(kQwen2, "x")), {"\"good\""}) == "");
  PretrainedConfig own;
  CHECK(lacks(pretrained_json(own), {"Qwen2ForSequenceClassification", "\"LABEL_3\": 3"}) == "");
  own.model.norm = NormKind::kLayer;
  CHECK(lacks(message_of<UsageError>([&] { pretrained_json(own); }), {"norm=rms"}) == "");
}

TEST_CASE("A model is written and read with the same bits, its head under their name") {
  for (const char* json : {kLlama, kQwen2}) {
    const WholeModel whole(json);
    const testing::TempFolder folder;
    write_pretrained(folder.path, whole.config, whole.views());
    const PretrainedModel read(folder.path);
    REQUIRE(read.parameters() == whole.values.size());
    for (size_t i = 0; i < read.parameters(); ++i) {
      REQUIRE(read.values(i).count == static_cast<int64_t>(whole.values[i].size()));
      CHECK(std::memcmp(read.values(i).data, whole.values[i].data(),
                        static_cast<size_t>(read.values(i).bytes())) == 0);
    }
    const WeightFolder weights(folder.path);
    CHECK((weights.find("lm_head.weight") != nullptr) == read.config().model.every_position);
  }
}

TEST_CASE("Weights in half precision are widened, others refused by name") {
  const WholeModel whole(kQwen2);
  const std::vector<ParameterShape> shapes = classifier_shapes(whole.config.model);
  const testing::TempFolder folder;
  folder.write("config.json", kQwen2);
  const auto write_as = [&](WeightType type, int bytes, auto&& bits) {
    std::vector<std::vector<std::byte>> owned;
    std::vector<WeightTensor> tensors;
    for (const ParameterShape& shape : shapes) {
      auto& of = owned.emplace_back(static_cast<size_t>(shape.numel() * bytes));
      for (size_t i = 0; i < of.size(); i += static_cast<size_t>(bytes)) {
        const uint16_t value = bits(i / static_cast<size_t>(bytes));
        std::memcpy(&of[i], &value, 2);
      }
      tensors.push_back({shape.name, type, shape.shape, of});
    }
    write_weight_folder(folder.path, tensors);
  };
  write_as(WeightType::kBF16, 2, [](size_t i) { return float_to_bf16(static_cast<float>(i)); });
  CHECK(static_cast<const float*>(PretrainedModel(folder.path).values(0).data)[71] == 71);
  const uint16_t halves[] = {0x3c00, 0xc000, 0x0001, 0x7bff, 0x8000, 0x7c00, 0x0400};
  const float values[] = {1, -2, 0x1p-24f, 65504, -0.0f, std::numeric_limits<float>::infinity(), 0x1p-14f};
  write_as(WeightType::kF16, 2, [&](size_t i) { return halves[i % 7]; });
  CHECK(std::memcmp(PretrainedModel(folder.path).values(0).data, values, sizeof values) == 0);
  write_as(WeightType::kI32, 4, [](size_t) { return uint16_t{0}; });
  CHECK(lacks(refused_model(folder), {"model.embed_tokens.weight", "I32", "BF16"}) == "");
}

TEST_CASE("Tensors that are missing, of another shape or of no place are named") {
  const WholeModel whole(kLlama);
  const testing::TempFolder folder;
  write_pretrained(folder.path, whole.config, whole.views());
  folder.write("config.json", changed(kLlama, "\"num_hidden_layers\": 1", "\"num_hidden_layers\": 2"));
  CHECK(lacks(refused_model(folder), {"no tensor 'model.layers.1.input_layernorm.weight'"}) == "");
  folder.write("config.json", changed(kLlama, "\"intermediate_size\": 6", "\"intermediate_size\": 5"));
  CHECK(lacks(refused_model(folder), {"mlp.gate_proj.weight' is 6 x 8, config.json asks for 5 x 8"}) == "");
  const WholeModel biased(kQwen2);
  write_pretrained(folder.path, biased.config, biased.views());
  folder.write("config.json", changed(changed(kQwen2, "Qwen2For", "LlamaFor"), "\"qwen2\"", "\"llama\""));
  CHECK(lacks(refused_model(folder), {"'model.layers.0.self_attn.", "_proj.bias' has no place in llama"}) ==
        "");
  std::filesystem::remove(folder.path / "config.json");
  CHECK(lacks(refused_model(folder), {"config.json", "cannot be read"}) == "");
}

TEST_CASE("A language model's body is read for a classifier, without a head") {
  const WholeModel whole(kLlama);
  const testing::TempFolder folder;
  write_pretrained(folder.path, whole.config, whole.views());
  const PretrainedModel read(folder.path, 5);
  CHECK((read.config().model.classes == 5 && !read.config().model.every_position));
  CHECK(read.values(read.parameters() - 1).data == nullptr);
  CHECK(read.values(0).data != nullptr);
  CHECK(lacks(pretrained_json(read.config()), {"LlamaForSequenceClassification", "LABEL_4"}) == "");
}

TEST_CASE("Each truncation of a config.json, and flipped bytes: an InputError or a configuration") {
  RandomStream stream(38, "config");
  const std::string whole = kQwen2;
  const auto read = [](const std::string& json) {
    try {
      parse_pretrained_config(json, "config.json");
    } catch (const InputError& error) {
      CHECK(lacks(error.what(), {"config.json"}) == "");
    }
  };
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) read(whole.substr(0, bytes));
  for (int i = 0; i < 10'000; ++i) {
    std::string json = whole;
    json[static_cast<size_t>(stream.uniform() * static_cast<double>(json.size() - 1))] +=
        static_cast<char>(1 + i % 255);
    read(json);
  }
}
