// `ringside convert`, as it is called.
#include <cstring>
#include <sstream>

#include "catch.h"
#include "check_text.h"
#include "commands.h"
#include "ringside/base/error.h"
#include "ringside/checkpoint/file_system.h"
#include "ringside/checkpoint/save.h"
#include "ringside/pretrained/pretrained.h"
#include "saved_model.h"
#include "temp_folder.h"

using namespace ringside;

namespace {

const char* const kModel = R"({"architectures": ["Qwen2ForSequenceClassification"], "model_type": "qwen2",
  "vocab_size": 9, "hidden_size": 8, "intermediate_size": 6, "num_hidden_layers": 1, "num_attention_heads": 2,
  "num_key_value_heads": 1, "id2label": {"0": "good", "1": "bad"}, "pad_token_id": 3})";

std::vector<float> values_of(size_t parameter, int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(parameter) + static_cast<float>(i) / 128;
  return values;
}

// Two ranks, of which each has half of every parameter; beside them a moment, and, in bf16, the rounded
// values.
void save_model(const std::filesystem::path& folder, int64_t step, bool rounded) {
  const PretrainedConfig config = parse_pretrained_config(kModel, "model");
  for (int rank = 0; rank < 2; ++rank) {
    RankFile file(disk(), folder, step, rank);
    size_t place = 0;
    for (const ParameterShape& shape : classifier_shapes(config.model)) {
      const std::vector<float> values = values_of(place++, shape.numel());
      const int64_t half = shape.numel() / 2, begin = rank == 0 ? 0 : half,
                    count = rank == 0 ? half : shape.numel() - half;
      const std::string_view bytes(reinterpret_cast<const char*>(&values[static_cast<size_t>(begin)]),
                                   static_cast<size_t>(4 * count));
      file.add({shape.name, rounded ? "master" : "parameter", Dtype::kFloat32, shape.shape},
               {{begin, count, 0, 1}}, bytes);
      file.add({shape.name, "exp_avg", Dtype::kFloat32, shape.shape}, {{begin, count, 0, 1}},
               std::string(bytes.size(), 'x'));
      if (rounded)
        file.add({shape.name, "parameter", Dtype::kBFloat16, shape.shape}, {{begin, count, 0, 1}},
                 std::string(static_cast<size_t>(2 * count), 'y'));
    }
    file.finish();
  }
  Manifest about;
  about.step = step, about.ranks = 2;
  publish(disk(), folder, about, 0);
}

std::string converted(const std::string& from, const std::string& to, ConvertOptions more = {}) {
  Options options;
  options.convert = std::move(more);
  options.convert.from = from, options.convert.to = to;
  std::ostringstream out;
  convert(options, out);
  return out.str();
}

void check_values(const std::filesystem::path& folder) {
  const PretrainedModel model(folder);
  const std::vector<ParameterShape> shapes = classifier_shapes(model.config().model);
  for (size_t p = 0; p < shapes.size(); ++p) {
    const std::vector<float> expected = values_of(p, shapes[p].numel());
    INFO(shapes[p].name);
    CHECK(std::memcmp(model.values(p).data, expected.data(), expected.size() * 4) == 0);
  }
}

}  // namespace

TEST_CASE("a checkpoint of two ranks is written as transformers reads it, the master copy's values") {
  for (const bool rounded : {false, true}) {
    const testing::TempFolder folder;
    folder.write("model/config.json", kModel);
    save_model(folder.path / "checkpoints", 4, rounded);
    save_model(folder.path / "checkpoints", 7, rounded);
    CHECK(lacks(converted(folder.file("checkpoints"), folder.file("new")), {"step 7", "tensors"}) == "");
    check_values(folder.path / "new");
    CHECK(lacks(converted(folder.file("checkpoints/step-000004"), folder.file("four")), {"step 4"}) == "");
    CHECK(lacks(converted(folder.file("checkpoints"), folder.file("too"), {.step = 4}), {"step 4"}) == "");
    CHECK(lacks(message_of<CheckpointError>(
                    [&] { converted(folder.file("checkpoints"), folder.file("none"), {.step = 5}); }),
                {"no checkpoint of step 5", "there are: 7, 4"}) == "");
  }
}

TEST_CASE("shards become one file, and one file shards, with what lies beside them") {
  const testing::TempFolder folder;
  folder.write("config.json", kModel);
  save_model(folder.path / "saved", 1, false);
  converted(folder.file("saved"), folder.file("shards"), {.shard_bytes = 500});
  folder.write("shards/tokenizer.json", "{}");
  CHECK(folder.read("shards/model.safetensors.index.json") != "");
  CHECK(lacks(converted(folder.file("shards"), folder.file("one")),
              {"tensors", "2 files beside them copied"}) == "");
  CHECK((folder.read("one/model.safetensors.index.json") == "" && folder.read("one/tokenizer.json") == "{}"));
  check_values(folder.path / "one");
  converted(folder.file("one"), folder.file("again"), {.shard_bytes = 500});
  check_values(folder.path / "again");
  converted(folder.file("again"), folder.file("alone.safetensors"));
  CHECK(folder.read("alone.safetensors") == folder.read("one/model.safetensors"));
  converted(folder.file("alone.safetensors"), folder.file("folder"));
  CHECK(folder.read("folder/model.safetensors") == folder.read("one/model.safetensors"));
}

TEST_CASE("what is not converted is refused with what to do") {
  const testing::TempFolder folder;
  folder.write("model.bin", "PK\x03\x04 and so on"), folder.write("old.pth", "\x80\x02}q\x00"),
      folder.write("torch/pytorch_model.bin", "PK");
  folder.write("full/x", "x"), folder.write("empty/none", "");
  save_model(folder.path / "saved", 1, false);
  const auto refused = [&](const char* from, const char* to, const ConvertOptions& more = {}) {
    return message_of<InputError>([&] { converted(folder.file(from), folder.file(to), more); });
  };
  CHECK(lacks(refused("model.bin", "new"),
              {"model.bin", "pickle", "safetensors.torch.save_file", "weights_only=True"}) == "");
  CHECK(lacks(refused("old.pth", "new"), {"old.pth", "pickle"}) == "");
  CHECK(lacks(refused("torch", "new"), {"pytorch_model.bin", "save_pretrained"}) == "");
  CHECK(lacks(refused("nothing", "new"), {"nothing", "no such file"}) == "");
  CHECK(lacks(refused("saved", "full"), {"full", "is there already"}) == "");
  CHECK(lacks(refused("saved", "new"), {"saved", "--config"}) == "");
  folder.write("config.json", std::string(kModel).replace(std::string(kModel).find("\"hidden_size\": 8"), 16,
                                                          "\"hidden_size\": 4"));
  CHECK(lacks(refused("saved", "new"), {"step-000001", "another shape"}) == "");
  CHECK_FALSE(std::filesystem::exists(folder.path / "new"));
  CHECK_THROWS_AS(converted(folder.file("model.bin"), folder.file("new"), {.adapter = "x"}), UsageError);
}
