// Logits that transformers gave, in tiny/ (tiny_models.py made it), held against the engine's on the same
// weights; and a model of it trained on.

#include <nlohmann/json.hpp>

#include "catch.h"
#include "pretrained_logits.h"
#include "ringside/train/trainer.h"
#include "temp_folder.h"

using namespace ringside;

namespace {

std::string tiny_folder(const std::string& name) { return std::string(RINGSIDE_TINY_MODELS) + "/" + name; }

double largest_difference(const std::string& weights, const std::string& folder) {
  const nlohmann::json known = nlohmann::json::parse(std::ifstream(folder + "/logits.json"));
  const auto rows = known["rows"].get<std::vector<std::vector<int64_t>>>();
  const std::vector<at::Tensor> logits = testing::logits_of(PretrainedModel(weights), rows);
  double most = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const at::Tensor theirs = at::tensor(known["logits"][i].get<std::vector<double>>(), at::kDouble);
    const at::Tensor ours = logits[i].to(at::kDouble).flatten();
    REQUIRE(ours.sizes() == theirs.sizes());
    most = std::max(most, (ours - theirs).abs().max().item<double>());
  }
  return most;
}

std::vector<ConstView> views_of(const PretrainedModel& model) {
  std::vector<ConstView> values;
  for (size_t i = 0; i < model.parameters(); ++i) values.push_back(model.values(i));
  return values;
}

}  // namespace

TEST_CASE("Logits are transformers' to 1e-5, also once the model was written") {
  for (const char* name : {"qwen2_classifier", "qwen2_language", "llama_classifier", "llama_language"}) {
    INFO(name);
    const std::string folder = tiny_folder(name);
    CHECK(largest_difference(folder, folder) <= 1e-5);
    const testing::TempFolder written;
    const PretrainedModel model(folder);
    write_pretrained(written.path, model.config(), views_of(model), 2000);
    CHECK(WeightFolder(written.path).files() > 1);
    CHECK(largest_difference(written.path.string(), folder) == largest_difference(folder, folder));
  }
}

TEST_CASE("A training starts from a folder's values, and its result is written back") {
  const PretrainedModel start(tiny_folder("llama_language"), 3);  // a language model's body, a new head
  TrainerConfig config;
  config.model = start.config().model;
  config.ranks = 2;
  config.precision = Precision::kFloat32;
  config.stage = 2, config.max_tokens = 9;
  config.batch = 4, config.steps = 1;
  config.learning_rate = 0;
  config.evaluate_every = -1;
  Dataset data;
  data.classes = {"a", "b", "c"};
  for (int i = 0; i < 8; ++i) data.train.push_back({{1 + i, 2, 3}, i % 3});
  data.test = data.train;
  std::vector<std::vector<float>> finished(start.parameters());
  TrainerHooks hooks;
  hooks.start = [&](size_t i) { return start.values(i); };
  hooks.finished = [&](int64_t, size_t i, const std::string&, ConstView view) {
    const auto* const values = static_cast<const float*>(view.data);
    finished[i].assign(values, values + view.count);
  };
  train(config, data, *TraceStore::create("test"), "test", hooks);
  std::vector<ConstView> views;
  for (const auto& values : finished) views.push_back({values.data(), static_cast<int64_t>(values.size())});
  const testing::TempFolder folder;
  write_pretrained(folder.path, start.config(), views);
  const PretrainedModel again(folder.path);
  CHECK(again.config().model.classes == 3);
  CHECK_FALSE(again.config().model.every_position);
  for (size_t i = 0; i < again.parameters(); ++i) {
    if (start.values(i).data == nullptr) continue;  // the head
    CHECK(std::memcmp(again.values(i).data, start.values(i).data,
                      static_cast<size_t>(start.values(i).bytes())) == 0);
  }
}
