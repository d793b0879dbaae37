#include "ringside/tokenizer/tokenizer_json.h"

#include <fstream>
#include <sstream>

#include "../../engine/tokenizer/pieces.h"
#include "catch.h"
#include "check_text.h"
#include "counted_heap.h"
#include "random_cases.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "temp_folder.h"

using namespace ringside;

namespace {

std::string tiny(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(std::string(RINGSIDE_TINY_TOKENIZERS) + "/" + name + ".json", std::ios::binary)
              .rdbuf();
  REQUIRE(text.str().size() > 1000);
  return text.str();
}

std::string replaced(std::string json, const std::string& old, const std::string& by) {
  const size_t at = json.find(old);
  REQUIRE(at != std::string::npos);
  return json.replace(at, old.size(), by);
}

// Heap that parsing took at most, beside what was there.
int64_t most_of_parsing(const std::string& json, std::string* message = nullptr) {
  const int64_t before = testing::heap_bytes;
  testing::most_heap_bytes = before;
  const std::string said = message_of<InputError>([&] { parse_tokenizer(json, "t.json"); }, "");
  if (message != nullptr) *message = said;
  return testing::most_heap_bytes - before;
}

const int kFlips = testing::random_cases(10'000);  // tests/fuzz looks at more

using Ids = std::vector<int32_t>;

}  // namespace

// What the `tokenizers` library gives; against_python_test.py has thousands of texts more, where a Python has
// it.
TEST_CASE("Ids are those of the library: words, digits, NFC, white space, added tokens, tokens in front") {
  const std::string text =
      "It's 12345 na\u00efve \u6a21\u578b \U0001F469\u200d\U0001F4BB!\r\n\t  WE'LL train e\u0301 "
      "\u3000<|endoftext|><tool>s<|begin_of_text|> ";
  const auto ids = [&](const char* name, int64_t most = 1000) {
    return parse_tokenizer(tiny(name), name)->encode(text, most);
  };
  CHECK(ids("gpt2") == Ids{285, 84,  347, 320, 356, 359, 221, 78,  65,  128, 108, 86, 69,  221, 163,
                           413, 253, 234, 290, 240, 414, 223, 236, 262, 241, 120, 1,  202, 199, 198,
                           221, 221, 55,  37,  7,   44,  44,  257, 306, 259, 221, 69, 137, 224, 221,
                           269, 223, 0,   221, 28,  307, 79,  76,  30,  83,  28,  92, 66,  69,  71,
                           259, 63,  79,  70,  63,  84,  378, 84,  92,  30,  221});
  CHECK(ids("llama3") == Ids{0,   366, 348, 222, 355, 20,  360, 222, 79,  66,  129, 109, 87,  70,
                             222, 164, 416, 254, 235, 222, 263, 241, 417, 224, 237, 263, 242, 121,
                             2,   203, 200, 199, 222, 222, 56,  38,  8,   45,  45,  258, 305, 260,
                             222, 70,  138, 225, 222, 270, 224, 29,  93,  283, 69,  80,  71,  85,
                             381, 85,  93,  31,  29,  306, 80,  77,  31,  84,  0,   222});
  CHECK(ids("qwen2") == Ids{358, 349, 223, 19,  20,  21,  22,  23,  223, 80,  67,  130, 110, 88,
                            71,  223, 165, 408, 255, 236, 223, 264, 242, 409, 225, 238, 264, 243,
                            122, 3,   204, 201, 200, 223, 223, 57,  39,  9,   46,  46,  259, 306,
                            261, 223, 130, 105, 223, 271, 225, 0,   421, 30,  94,  68,  71,  73,
                            261, 65,  81,  72,  65,  86,  373, 86,  94,  32,  223});
  CHECK(ids("llama3", 3) == Ids{0, 366, 348});  // the token in front stays
  const std::string words = R"({"Sequence":{"id":"A","type_id":0}})";
  const std::string special = R"({"SpecialToken":{"id":"<|begin_of_text|>","type_id":0}})";
  const std::string both = replaced(tiny("llama3"), words, words + "," + special);
  CHECK(parse_tokenizer(both, "both")->encode(text, 4) == Ids{0, 366, 348, 0});  // and the one behind
  CHECK(ids("qwen2", 3) == Ids{358, 349, 223});
}

TEST_CASE("Pieces are those of the three patterns, as the library cuts them") {
  const std::string text =
      "It's WE'LL a'\u017fx  12345\u00bd \t a\r\n\r\n b!?\n\n .x \u6a21\u578b\uff0c\u3000\u3000";
  const auto pieces = [&](PieceRule rule) {
    std::string all;
    for (size_t at = 0; at < text.size();) {
      const size_t end = piece_end(text, at, rule);
      all += (at == 0 ? "" : "|") + text.substr(at, end - at);
      at = end;
    }
    return all;
  };
  CHECK(pieces(PieceRule::kGpt2) ==
        "It|'s| WE|'|LL| a|'|\u017fx| | 12345\u00bd| \t| a|\r\n\r\n| b|!?|\n\n| .|x| "
        "\u6a21\u578b|\uff0c|\u3000\u3000");
  CHECK(pieces(PieceRule::kLlama3) ==
        "It|'s| WE|'LL| a|'\u017f|x| | |123|45\u00bd| \t| a|\r\n\r\n| b|!?\n\n| .|x| "
        "\u6a21\u578b|\uff0c|\u3000\u3000");
  CHECK(pieces(PieceRule::kQwen2) ==
        "It|'s| WE|'LL| a|'\u017f|x| | |1|2|3|4|5|\u00bd| \t| a|\r\n\r\n| b|!?\n\n| .|x| "
        "\u6a21\u578b|\uff0c|\u3000\u3000");
}

TEST_CASE("A tokenizer says its size, what it pads with, and what it is") {
  const auto qwen2 = parse_tokenizer(tiny("qwen2"), "t");
  CHECK((qwen2->vocabulary() == 422 && qwen2->padding() == 0 && !qwen2->takes_bytes()));
  CHECK(qwen2->description() == "byte pairs (422 of them)");
  CHECK(qwen2->encode("", 5).empty());
  CHECK(qwen2->encode("\xff\xe4\xbd", 9) ==
        qwen2->encode("\ufffd\ufffd", 9));  // a bad byte, and a letter cut off
  CHECK(qwen2->encode("\xed\xa0\x80", 9) == qwen2->encode("\ufffd\ufffd\ufffd", 9));  // half a surrogate pair
  CHECK(qwen2->encode("\xe0\x80\x80", 9) == qwen2->encode("\ufffd\ufffd\ufffd", 9));  // a zero, too long
}

TEST_CASE("What there is none of in the engine is refused by name") {
  const auto lacking = [](const std::string& json, std::initializer_list<std::string> parts) {
    return lacks(message_of<InputError>([&] { parse_tokenizer(json, "t.json"); }), parts);
  };
  const std::string qwen2 = tiny("qwen2"), gpt2 = tiny("gpt2");
  CHECK(lacking(replaced(qwen2, "\"type\":\"BPE\"", "\"type\":\"Unigram\""),
                {"t.json", "'Unigram'", "BPE"}) == "");
  CHECK(lacking(replaced(qwen2, "\"NFC\"", "\"NFKC\""), {"normalizer", "'NFKC'"}) == "");
  CHECK(lacking(replaced(qwen2, "|\\\\p{N}|", "|\\\\p{N}{1,2}|"), {"pattern", "Llama 3"}) == "");
  CHECK(lacking(replaced(qwen2, "\"ByteLevel\"", "\"Metaspace\""), {"'Metaspace'"}) == "");
  CHECK(lacking(replaced(qwen2, "\"Isolated\"", "\"Removed\""), {"Isolated"}) == "");
  CHECK(lacking(replaced(qwen2, "\"byte_fallback\":false", "\"byte_fallback\":true"), {"byte_fallback"}) ==
        "");
  CHECK(lacking(replaced(qwen2, "\"end_of_word_suffix\":null", "\"end_of_word_suffix\":\"</w>\""),
                {"end_of_word_suffix"}) == "");
  CHECK(lacking(replaced(qwen2, "\"lstrip\":false", "\"lstrip\":true"), {"lstrip"}) == "");
  CHECK(lacking(replaced(gpt2, "\"post_processor\":{\"type\":\"ByteLevel\"",
                         "\"post_processor\":{\"type\":\"BertProcessing\""),
                {"'BertProcessing'"}) == "");
  CHECK(lacking(replaced(qwen2, "\"!\":3,", ""), {"byte 0x21"}) == "");
  CHECK(lacking(replaced(qwen2, "\"!\":3,", "\"!\":3,\"!\":3,"), {"'!' stands twice"}) == "");
  CHECK(lacking(replaced(qwen2, "\"!\":3,", "\"!\":-3,"), {"vocab", "-3 is outside"}) == "");
  CHECK(lacking(replaced(qwen2, "\"!\":3,", "\"!\":[3],"), {"vocab"}) == "");
  CHECK(lacking(R"({"model": {"type": "BPE", "vocab": [1, 2], "merges": []}})", {"t.json", "vocab"}) == "");
  CHECK(lacking(replaced(tiny("llama3"), "\"ids\":[0]", "\"ids\":[9999]"), {"post_processor", "9999"}) == "");
  CHECK(lacking(replaced(qwen2, "\"merges\":[", "\"merges\":[[\"!\",\"!\"],"),
                {"not all is in the vocabulary"}) == "");
  CHECK(lacking(replaced(qwen2, "\"merges\":[", "\"merges\":[\"!!\","), {"'!!' is no pair"}) == "");
  const testing::TempFolder folder;
  CHECK(lacks(message_of<InputError>([&] { read_tokenizer(folder.path); }),
              {"tokenizer.json", "cannot be read"}) == "");
}

TEST_CASE("Truncations and 10,000 flipped bytes: an InputError with the file's name, or a tokenizer") {
  RandomStream random(38, "tokenizer");
  const std::string whole = tiny("qwen2");
  std::string message, wrong;
  int64_t most = 0, refused = 0;
  const auto look = [&](const std::string& json) {
    most = std::max(most, most_of_parsing(json, &message) - 2 * std::ssize(json));
    if (message.empty()) return;
    ++refused;
    if (message.find("t.json") == std::string::npos) wrong = message;
  };
  for (size_t bytes = 0; bytes < whole.size(); bytes += 3) look(whole.substr(0, bytes));
  for (int i = 0; i < kFlips; ++i) {
    std::string json = whole;
    json[random.below(json.size())] ^= static_cast<char>(1 + random.below(255));
    look(json);
  }
  CHECK(wrong == "");
  CHECK(refused > kFlips / 2);
  CHECK(most <= 1'000'000);
}

TEST_CASE("Reading takes at most twice the file and 1 MB") {
  std::string vocabulary, merges;
  const std::string alphabet = "abcdefghijklmnopqrstuvwxyz";
  const std::string qwen2 = tiny("qwen2");
  for (int i = 0; i < 26 * 26 * 26; ++i) {  // two letters joined with a third, as such files are written
    const std::string two = {alphabet[static_cast<size_t>(i / 676)],
                             alphabet[static_cast<size_t>(i / 26 % 26)]};
    const std::string third(1, alphabet[static_cast<size_t>(i % 26)]), upper = "Z" + two + "Z" + third;
    vocabulary += ",\n      \"" + upper + "\": " + std::to_string(1000 + i);
    if (i % 26 == 0) vocabulary += ",\n      \"Z" + two + "\": " + std::to_string(100'000 + i);
    if (i < 676 && i % 26 == i / 26) vocabulary += ",\n \"Z" + third + "\": " + std::to_string(200'000 + i);
    merges += "\n      [\n        \"Z" + two + "\",\n        \"Z" + third + "\"\n      ],";
  }
  const std::string large = replaced(
      replaced(qwen2, "\"vocab\":{\"<|endoftext|>\":0", "\"vocab\":{\"<|endoftext|>\":0" + vocabulary),
      "\"merges\":[", "\"merges\":[" + merges);
  std::string message;
  const int64_t most = most_of_parsing(large, &message);
  CHECK(message == "");
  CHECK(most <= 2 * std::ssize(large) + 1'000'000);
}
