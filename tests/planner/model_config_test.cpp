#include "ringside/planner/model_config.h"

#include <cstdio>
#include <fstream>

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/planner/model_shapes.h"

using namespace ringside;

namespace {

const std::string kQwen2 = R"({"model_type": "qwen2", "hidden_size": 64, "intermediate_size": 96,
  "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100})";
const std::string kVl = R"({"model_type": "qwen2_5_vl", "tie_word_embeddings": true, "text_config": {
  "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 3, "num_attention_heads": 4,
  "num_key_value_heads": null, "vocab_size": 100, "rope_scaling": {"mrope_section": [2, 3, 3], "x": [{}]}},
  "vision_config": {"depth": 2, "hidden_size": 32, "num_heads": 2, "intermediate_size": 40,
                    "out_hidden_size": 64, "in_chans": 3}})";

// The seed with one piece of its text replaced.
std::string with(std::string seed, const std::string& old_text, const std::string& new_text) {
  const size_t at = seed.find(old_text);
  REQUIRE(at != std::string::npos);
  return seed.replace(at, old_text.size(), new_text);
}

// What is wrong with it, or "" where nothing is.
std::string problem(const std::string& json) {
  const ModelHead head{ModelHead::Kind::kLanguageModel, 0, false};
  return message_of<InputError>([&] { model_shapes(parse_model_config(json, "m.json"), head); }, "");
}

std::string nested(int depth) {
  return with(kQwen2, "{",
              "{\"x\": " + std::string(static_cast<size_t>(depth), '[') +
                  std::string(static_cast<size_t>(depth), ']') + ", ");
}

}  // namespace

TEST_CASE("sizes are read from the top and from text_config, with defaults of the class") {
  const ModelConfig flat = parse_model_config(kQwen2, "m.json");
  CHECK(flat.family == ModelFamily::kQwen2);
  CHECK(flat.text.kv_heads == 2);
  CHECK(flat.text.head_size == 16);
  CHECK(flat.text.cached_bytes(2) == 384);  // a key and a value of 2 heads of 16, 3 layers, 2 bytes each
  CHECK(flat.text.qkv_bias);
  CHECK_FALSE(flat.text.tied);
  CHECK_FALSE(flat.vision.has_value());
  const ModelConfig nested_text = parse_model_config(kVl, "m.json");
  CHECK(nested_text.text.kv_heads == 4);
  CHECK(nested_text.text.tied);
  REQUIRE(nested_text.vision.has_value());
  CHECK(nested_text.vision->patch == 14);
  CHECK(nested_text.vision->channels == 3);
  const auto llama = with(kQwen2, "\"qwen2\"", "\"llama\", \"head_dim\": 32, \"mlp_bias\": true");
  CHECK(parse_model_config(llama, "m.json").text.head_size == 32);
  CHECK(parse_model_config(llama, "m.json").text.mlp_bias);
  CHECK_FALSE(parse_model_config(llama, "m.json").text.qkv_bias);
}

TEST_CASE("a malformed file is refused with its name, the field and what is allowed") {
  const auto refuses = [](const std::string& json, std::initializer_list<std::string> parts) {
    INFO(json.substr(0, 300));
    const std::string message = problem(json);
    CHECK(lacks(message, {"m.json: "}) == "");
    CHECK(lacks(message, parts) == "");
  };
  for (const char* text : {"", " ", "{", "nul", "{} {}", "{\"a\": 01}", "{\"a\": 1e999}", "{'a': 1}", "\xff"})
    refuses(text, {"not JSON"});
  for (const char* text : {"null", "1", "[]", "\"qwen2\"", "[{}]"}) refuses(text, {"not a JSON object"});
  refuses("{}", {"no 'model_type'", "qwen2, llama, qwen2_vl, qwen2_5_vl"});
  refuses(with(kQwen2, "\"qwen2\"", "7"), {"model_type: not a text"});
  refuses(with(kQwen2, "\"qwen2\"", "\"gpt2\""), {"'gpt2'", "qwen2, llama, qwen2_vl, qwen2_5_vl"});
  refuses(with(kQwen2, "64", "-64"), {"hidden_size: -64", "1 to 16777216"});
  refuses(with(kQwen2, "64", "64.0"), {"hidden_size: not a whole number", "1 to 16777216"});
  refuses(with(kQwen2, "64", "\"64\""), {"hidden_size: not a whole number"});
  refuses(with(kQwen2, "64", "true"), {"hidden_size: not a whole number"});
  refuses(with(kQwen2, "64", "[64]"), {"hidden_size: not a whole number"});
  refuses(with(kQwen2, "64", "99999999999999999999"), {"hidden_size: not a whole number"});
  refuses(with(kQwen2, "64", "9223372036854775807"), {"hidden_size: 9223372036854775807"});
  refuses(with(kQwen2, "\"hidden_size\": 64, ", ""), {"no 'hidden_size'"});
  refuses(with(kQwen2, "64", "null"), {"no 'hidden_size'"});
  refuses(with(kQwen2, "_layers\": 3", "_layers\": 10001"), {"num_hidden_layers: 10001", "1 to 10000"});
  refuses(with(kQwen2, "_layers\": 3", "_layers\": 0"), {"num_hidden_layers: 0"});
  refuses(with(kQwen2, "_heads\": 4", "_heads\": 5"), {"hidden_size", "multiple of num_attention_heads 5"});
  refuses(with(kQwen2, "_heads\": 4", "_heads\": 64"), {"a head of 1 must be even"});
  refuses(with(kQwen2, "_heads\": 2", "_heads\": 3"), {"num_attention_heads", "num_key_value_heads 3"});
  refuses(with(kQwen2, "100", "100, \"tie_word_embeddings\": 1"),
          {"tie_word_embeddings", "neither true nor false"});
  refuses(with(kQwen2, "{", "{\"text_config\": 3, "), {"text_config: not a JSON object"});
  refuses(with(kVl, "\"vision_config\"", "\"vision\""), {"no 'vision_config'"});
  refuses(with(kVl, "out_hidden_size\": 64", "out_hidden_size\": 32"),
          {"vision_config: out_hidden_size: 32", "hidden_size 64"});
  refuses(with(kVl, "num_heads\": 2", "num_heads\": 3"), {"vision_config: num_heads", "divide"});
  refuses(with(kVl, "\"in_chans\": 3", "\"in_chans\": 3, \"in_channels\": 4"),
          {"in_channels", "in_chans is 3"});
  refuses(with(kVl, "\"vocab_size\": 100", "\"vocab_size\": 100, \"head_dim\": 64"),
          {"text_config: head_dim"});
}

TEST_CASE("a key that stands twice is refused at any depth") {
  for (const char* seed : {"\"vocab_size\": 100", "\"x\": [{}]", "\"depth\": 2"}) {
    const std::string twice = std::string(seed) + ", " + seed;
    CHECK(lacks(problem(with(kVl, seed, twice)), {"m.json: the key", "stands twice"}) == "");
  }
  CHECK(lacks(problem(with(kVl, "{}", R"({"y": 1, "y": 1})")), {"'y' stands twice"}) == "");
}

TEST_CASE("a key with a dot is no field of an inner object") {
  CHECK(
      lacks(problem(with(with(kVl, "\"hidden_size\": 64, ", ""), "{", R"({"text_config.hidden_size": 64, )")),
            {"text_config: no 'hidden_size'"}) == "");
}

TEST_CASE("depth, length and the number of parameters are bounded") {
  CHECK(problem(nested(31)) == "");
  CHECK(lacks(problem(nested(32)), {"nested deeper than 32"}) == "");
  CHECK(lacks(problem(nested(400'000)), {"nested deeper than 32"}) == "");
  std::string padded = kQwen2 + std::string(kMostConfigBytes - kQwen2.size(), ' ');
  CHECK(problem(padded) == "");
  CHECK(lacks(problem(padded + " "), {"more than 1048576 bytes"}) == "");
  const std::string wide = with(with(kQwen2, "64", "4194304"), "96", "16777216");
  CHECK(problem(wide) == "");  // 3 layers of 2.6e14
  CHECK(lacks(problem(with(wide, "_layers\": 3", "_layers\": 10000")),
              {"more than 1,000,000,000,000,000 parameters"}) == "");
  CHECK(lacks(problem(with(with(kVl, "\"hidden_size\": 32", "\"hidden_size\": 16777216"), "\"depth\"",
                           "\"spatial_merge_size\": 1024, \"patch_size\": 1024, \"depth\"")),
              {"more than 1,000,000,000,000,000"}) == "");
}

TEST_CASE("no truncation and no flipped byte of a config does more than be refused") {
  for (const std::string& seed : {kQwen2, kVl}) {
    for (size_t length = 0; length < seed.size(); ++length) REQUIRE(problem(seed.substr(0, length)) != "");
    size_t refused = 0;
    for (size_t at = 0; at < seed.size(); ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string flipped = seed;
        flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
        refused += problem(flipped) != "";  // anything but an InputError ends the test
      }
    }
    CHECK(refused > seed.size());
  }
}

TEST_CASE("files: a missing one, a folder, one without an end, and a good one") {
  for (const char* path : {"/nowhere/config.json", "/", "/dev/zero"})
    CHECK_THROWS_AS(read_model_config(path), InputError);
  CHECK_THROWS_WITH(read_model_config("/nowhere/config.json"),
                    "/nowhere/config.json: cannot be read: No such file or directory");
  const std::string path = "model_config_test.json";
  std::ofstream(path) << kQwen2;
  CHECK(read_model_config(path).text.hidden == 64);
  std::remove(path.c_str());
}
