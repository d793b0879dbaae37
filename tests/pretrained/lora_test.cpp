#include "ringside/pretrained/lora.h"

#include <cstring>

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/pretrained/pretrained.h"
#include "temp_folder.h"

using namespace ringside;

namespace {

const char* const kBase = R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 9,
  "hidden_size": 8, "intermediate_size": 6, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 1})";
const std::string kConfig =
    R"({"peft_type": "LORA", "r": 2, "lora_alpha": 6, "bias": "none", "use_dora": false, "rank_pattern": {},)"
    R"( "base_model_name_or_path": "base", "modules_to_save": ["score"], "init_lora_weights": true, "task_type": "SEQ_CLS"})";
const std::string kQ = "model.layers.0.self_attn.q_proj.weight",
                  kIn = "base_model.model.model.layers.0.self_attn.q_proj.";

struct FloatTensor {
  std::string name;
  std::vector<int64_t> shape;
  std::vector<float> values;
};

std::vector<float> counted(size_t count, float from) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = from + 0.25f * static_cast<float>(i);
  return values;
}

void write_adapter(const testing::TempFolder& folder, const std::vector<FloatTensor>& all,
                   const std::string& config = kConfig) {
  std::vector<WeightTensor> tensors;
  for (const FloatTensor& one : all)
    tensors.push_back(
        {one.name, WeightType::kF32, one.shape, std::as_bytes(std::span<const float>(one.values))});
  write_safetensors(folder.path / "adapter_model.safetensors", tensors);
  folder.write("adapter_config.json", config);
}

// The base: each parameter's values are its place and a count.
void write_base(const testing::TempFolder& folder) {
  const PretrainedConfig config = parse_pretrained_config(kBase, "base");
  std::vector<std::vector<float>> values;
  std::vector<ConstView> views;
  for (const ParameterShape& shape : classifier_shapes(config.model))
    values.push_back(counted(static_cast<size_t>(shape.numel()), static_cast<float>(values.size())));
  for (const auto& of : values) views.push_back({of.data(), std::ssize(of)});
  write_pretrained(folder.path, config, views);
}

std::vector<FloatTensor> good_pair() {
  return {{kIn + "lora_A.weight", {2, 8}, counted(16, -1)}, {kIn + "lora_B.weight", {8, 2}, counted(16, 2)}};
}

}  // namespace

TEST_CASE("An adapter is merged: W + alpha / r B A; the others are as they were") {
  const testing::TempFolder base, lora;
  write_base(base);
  for (const bool stabilized : {false, true}) {
    std::string config = kConfig;
    if (stabilized) config.insert(1, "\"use_rslora\": true, ");
    write_adapter(lora, good_pair(), config);
    const LoraAdapter adapter(lora.path);
    CHECK(adapter.base() == "base");
    const PretrainedModel plain(base.path), merged(base.path, {}, &adapter);
    const std::vector<ParameterShape> shapes = classifier_shapes(plain.config().model);
    const double scale = stabilized ? 6 / std::sqrt(2.0) : 3;
    for (size_t p = 0; p < shapes.size(); ++p) {
      const auto *before = static_cast<const float*>(plain.values(p).data),
                 *after = static_cast<const float*>(merged.values(p).data);
      if (shapes[p].name != kQ) {
        CHECK(std::memcmp(before, after, static_cast<size_t>(plain.values(p).bytes())) == 0);
        continue;
      }
      const auto pair = good_pair();
      for (size_t i = 0; i < 8; ++i)
        for (size_t j = 0; j < 8; ++j) {
          double product = 0;
          for (size_t k = 0; k < 2; ++k)
            product += double{pair[1].values[2 * i + k]} * pair[0].values[8 * k + j];
          CHECK(after[8 * i + j] == Approx(before[8 * i + j] + scale * product));
        }
    }
  }
}

TEST_CASE("An adapter that has a head makes a classifier of a language model") {
  const testing::TempFolder base, lora;
  write_base(base);
  for (const char* name :
       {"base_model.model.score.weight", "base_model.model.score.modules_to_save.weight"}) {
    auto tensors = good_pair();
    tensors.push_back({name, {3, 8}, counted(24, 100)});
    write_adapter(lora, tensors);
    const LoraAdapter adapter(lora.path);
    const PretrainedModel merged(base.path, {}, &adapter);
    CHECK((merged.config().model.classes == 3 && !merged.config().model.every_position));
    CHECK(static_cast<const float*>(merged.values(merged.parameters() - 1).data)[1] == 100.25f);
  }
}

TEST_CASE("An adapted head that the adapter has whole too is that one, changed") {
  const testing::TempFolder base, lora;
  write_base(base);
  const std::string head = "base_model.model.lm_head.";
  write_adapter(lora, {{head + "base_layer.weight", {9, 8}, counted(72, 50)},
                       {head + "lora_A.weight", {2, 8}, std::vector<float>(16, 1)},
                       {head + "lora_B.weight", {9, 2}, std::vector<float>(18, 1)}});
  const LoraAdapter adapter(lora.path);
  const PretrainedModel merged(base.path, {}, &adapter);
  CHECK(static_cast<const float*>(merged.values(merged.parameters() - 1).data)[1] == 50.25f + 3 * 2);
}

TEST_CASE("Of an adapter, what the engine has none of is refused by name") {
  const testing::TempFolder base, lora;
  write_base(base);
  const auto refused = [&](const std::vector<FloatTensor>& tensors, const std::string& config = kConfig) {
    write_adapter(lora, tensors, config);
    return message_of<InputError>([&] {
      const LoraAdapter adapter(lora.path);
      const PretrainedModel model(base.path, {}, &adapter);
    });
  };
  const auto with = [&](const std::string& field) {
    std::string config = kConfig;
    return refused(good_pair(), config.insert(1, field + ", "));
  };
  CHECK(refused(good_pair()) == "no error");
  CHECK(lacks(with(R"("alpha_pattern": {"q_proj": 4})"), {"alpha_pattern", "q_proj"}) == "");
  CHECK(lacks(with(R"("lora_bias": true)"), {"lora_bias"}) == "");
  std::string dora = kConfig, pissa = kConfig, ia3 = kConfig;
  dora.replace(dora.find("\"use_dora\": false"), 17, "\"use_dora\": true");
  pissa.replace(pissa.find("\"init_lora_weights\": true"), 25, "\"init_lora_weights\": \"pissa\"");
  ia3.replace(ia3.find("LORA"), 4, "IA3");
  CHECK(lacks(refused(good_pair(), dora), {"use_dora"}) == "");
  CHECK(lacks(refused(good_pair(), pissa), {"init_lora_weights", "pissa"}) == "");
  CHECK(lacks(refused(good_pair(), ia3), {"'IA3'", "LORA"}) == "");
  auto tensors = good_pair();
  tensors.pop_back();
  CHECK(lacks(refused(tensors), {"q_proj", "lora_A alone"}) == "");
  tensors = good_pair();
  tensors[0].shape = {4, 4};
  CHECK(lacks(refused(tensors), {"q_proj", "rank 2"}) == "");
  tensors = good_pair();
  for (FloatTensor& one : tensors) one.name.replace(one.name.find("q_proj"), 6, "x_proj");
  CHECK(lacks(refused(tensors), {"x_proj", "no place"}) == "");
  tensors = good_pair();
  tensors[0].name.replace(tensors[0].name.find("lora_A.weight"), 13, "lora_embedding_A");
  CHECK(lacks(refused(tensors), {"lora_embedding_A"}) == "");
}
