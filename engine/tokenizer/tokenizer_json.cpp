#include "ringside/tokenizer/tokenizer_json.h"

#include <unordered_set>

#include "byte_pairs.h"
#include "ringside/base/error.h"
#include "ringside/base/json.h"
#include "ringside/base/read_file.h"
#include "ringside/base/text.h"

namespace ringside::inline tokenizer {
namespace {

constexpr int kMostTokenizerDepth = 16;
constexpr size_t kMostAdded = 100'000;

// Sees each piece of the file as it is read: "vocab" and "merges" go into the vocabulary and are not kept,
// the rest is small.
class VocabularyTaker {
 public:
  explicit VocabularyTaker(Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  bool operator()(int depth, Json::parse_event_t event, Json& value) {
    using Event = Json::parse_event_t;
    const bool opens = event == Event::object_start || event == Event::array_start;
    if (depth + (opens ? 1 : 0) > kMostTokenizerDepth)
      throw JsonRejected("nested deeper than {}", kMostTokenizerDepth);
    if (event == Event::key) {
      path_.resize(size_t(depth));
      path_.back() = value.get<std::string>();
    }
    if (depth != 3 || path_.size() < 2 || path_[0] != "model") return true;
    if (path_[1] == "vocab") return take_token(event, value);
    if (path_[1] != "merges" || event == Event::array_start) return true;
    return event == Event::array_end ? take_merge(value) : take_merge(json_text(value, "merges"));
  }

 private:
  bool take_token(Json::parse_event_t event, const Json& value) {
    if (path_.size() < 3) throw JsonRejected("vocab: expected an object of texts and numbers");
    if (event != Json::parse_event_t::key)
      vocabulary_.add(path_.at(2), int32_t(json_integer(value, "vocab", 0, kMostTokens - 1)));
    return false;
  }
  bool take_merge(const std::string& pair) {
    const size_t space = pair.find(' ');
    if (space == std::string::npos) throw JsonRejected("merges: '{}' is no pair", as_typed(pair));
    vocabulary_.add_merge(std::string_view(pair).substr(0, space), std::string_view(pair).substr(space + 1));
    return false;
  }
  bool take_merge(const Json& pair) {
    if (pair.size() != 2) throw JsonRejected("merges: {} texts are no pair", pair.size());
    vocabulary_.add_merge(json_text(pair[0], "merges"), json_text(pair[1], "merges"));
    return false;
  }

  Vocabulary& vocabulary_;
  std::vector<std::string> path_;  // keys that are open
};

Json read_rest(const std::string& json, Vocabulary& vocabulary) try {
  return Json::parse(json, VocabularyTaker(vocabulary));
} catch (const Json::parse_error& error) {
  throw JsonRejected("not JSON from byte {} on", error.byte);
} catch (const Json::exception&) {
  throw JsonRejected("not JSON: a number is out of range");
}

// A field that must be absent, null, false or "": what this has none of.
void require_none(const JsonObject& object, const char* key) {
  const Json* const value = object.find(key);
  const bool none = value == nullptr || *value == Json(false) || *value == Json("");
  if (!none) throw JsonRejected("{}: {} is not in the engine; allowed is none", key, as_typed(value->dump()));
}

void read_model(const JsonObject& model, BytePairs& parts) {
  if (const std::string type = model.text_or_empty("type"); type != "BPE")
    throw JsonRejected("model: '{}' is not in the engine; allowed is BPE", as_typed(type));
  for (const char* key : {"dropout", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback"})
    require_none(model, key);
  parts.whole_pieces = model.flag("ignore_merges", false);
  parts.vocabulary.finish();
}

void read_normalizer(const JsonObject& top, BytePairs& parts) {
  if (top.find("normalizer") == nullptr) return;
  const std::string& type = top.object("normalizer").text("type");
  if (type != "NFC")
    throw JsonRejected("normalizer: '{}' is not in the engine; allowed are none and NFC", as_typed(type));
  parts.nfc = true;
}

void read_byte_level(const JsonObject& level, bool split_before, BytePairs& parts) {
  parts.space_in_front = level.flag("add_prefix_space", true);
  const bool own = level.flag("use_regex", true);
  if (split_before && (own || parts.space_in_front))
    throw JsonRejected(
        "pre_tokenizer: ByteLevel behind a Split: allowed are use_regex and add_prefix_space of false");
  if (!split_before) parts.rule = own ? PieceRule::kGpt2 : PieceRule::kNone;
}

void read_split(const JsonObject& split, BytePairs& parts) {
  const std::string& pattern = split.object("pattern").text("Regex");
  parts.rule = piece_rule(pattern);
  if (parts.rule == PieceRule::kNone)
    throw JsonRejected(
        "pre_tokenizer: the pattern {} is not in the engine; allowed are those of GPT-2, Llama 3, Qwen2",
        as_typed(pattern));
  if (split.text("behavior") != "Isolated" || split.flag("invert", false))
    throw JsonRejected("pre_tokenizer: Split: allowed is the behavior Isolated, not inverted");
}

void read_pieces(const JsonObject& top, BytePairs& parts) {
  const JsonObject outer = top.object("pre_tokenizer");
  const bool sequence = outer.text("type") == "Sequence";
  const Json alone = sequence ? Json() : Json::array({top.at("pre_tokenizer")});
  bool split = false, level = false;
  for (const Json& one : sequence ? outer.array("pretokenizers", 1, 2) : alone) {
    const JsonObject step(one, "pre_tokenizer");
    const std::string& type = step.text("type");
    if (type == "ByteLevel" && !level) {
      read_byte_level(step, split, parts), level = true;
    } else if (type == "Split" && !split && !level) {
      read_split(step, parts), split = true;
    } else {
      throw JsonRejected(
          "pre_tokenizer: '{}' at its place is not in the engine; allowed are ByteLevel, or Split then "
          "ByteLevel",
          as_typed(type));
    }
  }
  if (!level)
    throw JsonRejected("pre_tokenizer: no ByteLevel; tokens of other than bytes are not in the engine");
}

void read_added(const JsonObject& top, BytePairs& parts) {
  if (top.find("added_tokens") == nullptr) return;
  std::unordered_set<std::string> texts;
  for (const Json& one : top.array("added_tokens", 0, kMostAdded)) {
    const JsonObject token(one, "added_tokens");
    for (const char* key : {"lstrip", "rstrip", "single_word"}) require_none(token, key);
    const AddedToken& added = parts.added.emplace_back(
        AddedToken{token.text("content", 1024), int32_t(token.integer("id", 0, kMostTokens - 1)),
                   token.flag("normalized", false)});
    if (added.text.empty()) throw JsonRejected("added_tokens: one is empty");
    if (!texts.insert(added.text).second)
      throw JsonRejected("added_tokens: '{}' stands twice", as_typed(added.text));
  }
}

void read_template(const JsonObject& step, BytePairs& parts) {
  bool behind = false;
  for (const Json& one : step.array("single", 1, 64)) {
    const JsonObject item(one, "single");
    if (item.find("Sequence") != nullptr) {
      if (behind) throw JsonRejected("post_processor: single: the text stands twice");
      behind = true;
      continue;
    }
    const std::string& name = item.object("SpecialToken").text("id", 1024);
    for (const Json& id : step.object("special_tokens").object(name).array("ids", 1, 64))
      (behind ? parts.behind : parts.front).push_back(int32_t(json_integer(id, "ids", 0, kMostTokens - 1)));
  }
  if (!behind) throw JsonRejected("post_processor: single: the text is missing");
}

void read_ends(const Json& json, int depth, BytePairs& parts) {
  const JsonObject step(json, "post_processor");
  const std::string& type = step.text("type");
  if (type == "ByteLevel") return;  // of where tokens lie in the text
  if (type == "TemplateProcessing" && parts.front.empty() && parts.behind.empty())
    return read_template(step, parts);
  if (type != "Sequence" || depth > 0)
    throw JsonRejected(
        "post_processor: '{}' is not in the engine; allowed are ByteLevel and one TemplateProcessing",
        as_typed(type));
  for (const Json& one : step.array("processors", 1, 8)) read_ends(one, depth + 1, parts);
}

// A token with "pad" in its name, else the first of the added ones, else the first of all.
int32_t padding_of(const std::vector<AddedToken>& added) {
  for (const AddedToken& token : added)
    if (token.text.find("pad") != std::string::npos || token.text.find("PAD") != std::string::npos)
      return token.id;
  return added.empty() ? 0 : added.front().id;
}

}  // namespace

std::unique_ptr<Tokenizer> parse_tokenizer(std::string json, const std::string& source) try {
  if (json.size() > kMostTokenizerBytes) throw JsonRejected("more than {} bytes", kMostTokenizerBytes);
  BytePairs parts{.vocabulary = Vocabulary(json.size() / 2)};
  const Json rest = read_rest(json, parts.vocabulary);
  json = std::string();
  const JsonObject top(rest);
  read_added(top, parts);
  read_normalizer(top, parts);
  read_pieces(top, parts);
  if (top.find("post_processor") != nullptr) read_ends(top.at("post_processor"), 0, parts);
  read_model(top.object("model"), parts);
  parts.padding = padding_of(parts.added);
  const std::vector<int32_t> front = parts.front, behind = parts.behind;
  auto tokenizer = std::make_unique<BytePairTokenizer>(std::move(parts));
  for (const std::vector<int32_t>& ends : {front, behind})
    for (const int32_t id : ends)
      if (id >= tokenizer->vocabulary())
        throw JsonRejected("post_processor: the token {} is past the vocabulary's {}", id,
                           tokenizer->vocabulary());
  return tokenizer;
} catch (const JsonRejected& rejected) {
  throw InputError("{}: {}; expected the tokenizer.json of a byte-level BPE", source, rejected.why);
}

std::unique_ptr<Tokenizer> read_tokenizer(const std::filesystem::path& path) {
  std::error_code error;
  const auto file = std::filesystem::is_directory(path, error) ? path / "tokenizer.json" : path;
  return parse_tokenizer(read_file(file, kMostTokenizerBytes), typed_path(file));
}

}  // namespace ringside::inline tokenizer
