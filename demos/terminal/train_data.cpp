#include "train_data.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/data/labelled.h"
#include "ringside/tokenizer/tokenizer_json.h"

namespace ringside {
namespace {

constexpr char kBytes[] = "bytes", kTokenizerFile[] = "tokenizer.json";

LabelledSource source_of(const std::string& path, const Config& config) {
  static const std::map<std::string, SourceKind> kKinds = {
      {"by_name", SourceKind::kByName}, {"folder", SourceKind::kFolder},   {"csv", SourceKind::kCsv},
      {"tsv", SourceKind::kTsv},        {"jsonl", SourceKind::kJsonLines}, {"idx", SourceKind::kIdx}};
  return {.path = path,
          .kind = kKinds.at(config.text("kind")),
          .text = config.text("text_column"),
          .label = config.text("label_column")};
}

Dataset synthetic(const Config& config) {
  DataOptions options;
  options.max_tokens = config.integer("max_tokens");
  options.seed = uint64_t(config.integer("seed"));
  return make_synthetic(options);
}

SplitOptions split_of(const Config& config) {
  return {.test_share = config.real("held_out"),
          .seed = uint64_t(config.integer("seed")),
          .max_tokens = config.integer("max_tokens"),
          .balanced = config.text("class_weights") == "balanced",
          .pad_left = config.text("padding") == "left",
          .by_length = config.is_on("by_length")};
}

}  // namespace

std::string tokenizer_name(const Config& config) {
  namespace fs = std::filesystem;
  fs::path name = config.text("tokenizer");
  if (name == "auto") {
    const fs::path own = fs::path(config.text("pretrained")) / kTokenizerFile;
    if (config.text("pretrained").empty() || !fs::exists(own)) return kBytes;
    name = own;
  }
  if (name == kBytes) return kBytes;
  if (fs::is_directory(name)) name /= kTokenizerFile;
  return fs::absolute(name).lexically_normal().string();
}

std::shared_ptr<const Tokenizer> tokenizer_of(const std::string& name) {
  if (name == kBytes) return {std::shared_ptr<const Tokenizer>(), &byte_tokenizer()};
  return read_tokenizer(name);
}

std::vector<int32_t> tokens_of(const Tokenizer& tokenizer, std::string_view text, int64_t max_tokens) {
  std::vector<int32_t> tokens = tokenizer.encode(text, max_tokens);
  if (tokens.empty()) tokens.push_back(tokenizer.padding());
  return tokens;
}

Dataset load_data(const Config& config, const Tokenizer& tokenizer) {
  const std::string& path = config.text("data");
  if (path.empty())
    throw UsageError(
        "data= is missing: name what is learned, as data=reviews.csv; or data=synthetic for a try");
  if (path == "synthetic") return synthetic(config);
  const Labelled all = read_labelled(source_of(path, config));
  if (config.text("test").empty()) return split(all, split_of(config), tokenizer);
  LabelledSource test = source_of(config.text("test"), config);
  test.classes = all.classes;
  return split(all, read_labelled(test), split_of(config), tokenizer);
}

Dataset load_other_data(const std::string& path, const Config& config, const Tokenizer& tokenizer,
                        const std::vector<std::string>& classes) {
  LabelledSource source = source_of(path, config);
  source.kind = SourceKind::kByName;
  source.classes = classes;
  const Labelled all = read_labelled(source);
  Dataset data;
  data.classes = classes;
  data.padding = {tokenizer.padding(), config.text("padding") == "left"};
  data.vocabulary = tokenizer.vocabulary();
  for (const LabelledText& text : all.samples)
    data.test.push_back({tokens_of(tokenizer, text.text, config.integer("max_tokens")), text.label});
  data.description = fmt::format("{}: {} texts", all.description, format_count(std::ssize(data.test)));
  data.notes = all.notes;
  return data;
}

}  // namespace ringside
