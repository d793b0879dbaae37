#include "catch.h"
#include "check_text.h"
#include "random_cases.h"
#include "ringside/base/error.h"
#include "ringside/weights/weight_folder.h"
#include "small_weights.h"
#include "temp_folder.h"

using namespace ringside;

namespace {

std::string refused_folder(const testing::TempFolder& folder) {
  return message_of<InputError>([&] { WeightFolder weights(folder.path); });
}

std::string index_of(const std::string& map) { return "{\"metadata\":{},\"weight_map\":" + map + "}"; }

}  // namespace

TEST_CASE("Weights in several files are written with an index and read by name") {
  const testing::TempFolder folder;
  const std::vector<std::byte> bytes = some_bytes(16);
  std::vector<WeightTensor> tensors;
  for (const char* name : {"c", "a", "d", "b"}) tensors.push_back({name, WeightType::kF32, {4}, bytes});
  write_weight_folder(folder.path, tensors, 40);
  CHECK(lacks(folder.read("model.safetensors.index.json"),
              {"\"total_size\": 64", "\"d\": \"model-00002-of-00002.safetensors\""}) == "");
  const WeightFolder sharded(folder.path);
  CHECK(sharded.files() == 2);
  CHECK(sharded.tensors().size() == 4);
  CHECK(std::ranges::equal(sharded.find("b")->bytes, bytes));
  CHECK(sharded.find("e") == nullptr);
  write_weight_folder(folder.path, tensors);
  CHECK(WeightFolder(folder.path).files() == 1);
}

TEST_CASE("An index is believed as far as the files beside it bear it out") {
  const testing::TempFolder folder;
  folder.write("one.safetensors", file_of(kSmallHeader));
  const auto index = [&](const std::string& map) {
    folder.write("model.safetensors.index.json", index_of(map));
    return refused_folder(folder);
  };
  const std::string all = R"("a":"one.safetensors","b":"one.safetensors")";
  CHECK(index("{" + all + R"(,"none":"one.safetensors"})") == "no error");
  CHECK(lacks(index("{" + all + "}"), {"2 tensors are named, the files have 3"}) == "");
  CHECK(lacks(index("{" + all + R"(,"x":"one.safetensors"})"), {"'x' is not in one.safetensors"}) == "");
  for (const char* path : {"../one.safetensors", "/etc/passwd", "..", "", "sub/one.safetensors", "a\\u0000b"})
    CHECK(lacks(index("{" + all + ",\"none\":\"" + path + "\"}"), {"in the same folder", "index.json"}) ==
          "");
  CHECK(lacks(index("{" + all + R"(,"none":"two.safetensors"})"), {"two.safetensors", "No such file"}) == "");
  CHECK(lacks(index("{" + all + R"(,"none":3})"), {"not a text"}) == "");
  CHECK(lacks(index("[]"), {"not a JSON object"}) == "");
  CHECK(lacks(index("{}"), {"0 files"}) == "");
}

TEST_CASE("Each truncation of an index, and flipped bytes: refused, or the same tensors") {
  const testing::TempFolder folder;
  folder.write("one.safetensors", file_of(kSmallHeader));
  const std::string whole =
      index_of(R"({"a":"one.safetensors","b":"one.safetensors","none":"one.safetensors"})");
  const auto is_read_or_refused = [&](const std::string& text) {
    folder.write("model.safetensors.index.json", text);
    try {
      const WeightFolder weights(folder.path);
      CHECK(weights.tensors().size() == 3);
    } catch (const InputError& error) {
      CHECK(lacks(error.what(), {folder.path.string()}) == "");
    }
  };
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) is_read_or_refused(whole.substr(0, bytes));
  for (size_t at = 0; at < whole.size(); ++at)
    for (int by = 1; by < 256; by += 2550 / testing::random_cases(850)) {
      std::string text = whole;
      text[at] = static_cast<char>(text[at] + by);
      is_read_or_refused(text);
    }
}

TEST_CASE("A folder without safetensors says what is there instead") {
  const testing::TempFolder folder;
  CHECK(lacks(refused_folder(folder), {"no model.safetensors"}) == "");
  folder.write("pytorch_model.bin", "PK\x03\x04");
  CHECK(lacks(refused_folder(folder), {"pytorch_model.bin, a pickle", "save_pretrained"}) == "");
}
