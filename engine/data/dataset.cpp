#include "ringside/data/dataset.h"

#include <algorithm>
#include <bit>

#include <endian.h>
#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/base/sha256.h"
#include "ringside/base/source_tree.h"
#include "ringside/base/text.h"
#include "ringside/data/tokenizer.h"

namespace ringside::inline data {
namespace {

// Bytes of one fixed order, so that the hash is the same on every machine.
void append(std::string& bytes, uint32_t token, int count) {
  for (int i = 0; i < count; ++i) bytes.push_back(char(token >> 8 * i));
}

// Two bytes of a token that fits, as all of the tokenizer's do; of any other a mark and four bytes.
void append_token(std::string& bytes, int32_t token) {
  constexpr uint32_t kMark = 0xffff;
  const auto value = uint32_t(token);
  append(bytes, std::min<uint32_t>(value, kMark), 2);
  if (value >= kMark) append(bytes, value, 4);
}

void add_number(Sha256& hash, uint64_t value) {
  const uint64_t little_endian = htole64(value);
  hash.update(&little_endian, sizeof little_endian);
}

void add_samples(Sha256& hash, const std::vector<Sample>& samples) {
  add_number(hash, samples.size());
  std::string bytes;  // of one sample: one update each is slow
  for (const Sample& sample : samples) {
    add_number(hash, uint64_t(sample.label));
    add_number(hash, sample.tokens.size());
    bytes.clear();
    for (const int32_t token : sample.tokens) append_token(bytes, token);
    if (sample.weight != 1) append(bytes, std::bit_cast<uint32_t>(sample.weight), 4);
    hash.update(bytes);
  }
}

class ByteTokenizer final : public Tokenizer {
 public:
  std::vector<int32_t> encode(std::string_view text, int64_t max_tokens) const override {
    return tokenize(text, max_tokens);
  }
  int64_t vocabulary() const override { return kByteVocabulary; }
  int32_t padding() const override { return kPadToken; }
  bool takes_bytes() const override { return true; }
  std::string description() const override { return "bytes"; }
};

}  // namespace

std::vector<int32_t> tokenize(std::string_view bytes, int64_t max_tokens) {
  RINGSIDE_CHECK_GE(max_tokens, 1);
  const size_t kept = std::min(bytes.size(), size_t(max_tokens - 1));
  std::vector<int32_t> tokens;
  tokens.reserve(kept + 1);
  for (const char byte : bytes.substr(0, kept)) tokens.push_back(static_cast<unsigned char>(byte));
  tokens.push_back(kEndToken);
  return tokens;
}

double Dataset::majority_accuracy() const {
  if (test.empty()) return 0.0;
  std::vector<int64_t> counts(classes.size());
  for (const Sample& sample : test) ++counts.at(size_t(sample.label));
  return double(std::ranges::max(counts)) / double(test.size());
}

std::string dataset_sha256(const Dataset& dataset) {
  Sha256 hash;
  add_number(hash, dataset.classes.size());
  for (const std::string& name : dataset.classes) {
    add_number(hash, name.size());
    hash.update(name);
  }
  add_samples(hash, dataset.train);
  add_samples(hash, dataset.test);
  return hash.hex();
}

Dataset load_dataset(const DataOptions& options) {
  const std::string& source = options.source;
  const std::string folder = "folder:";
  if (source == "synthetic") return make_synthetic(options);
  const auto in_assets = [&] {
    return options.project.empty() ? assets() : std::filesystem::path(options.project) / "assets";
  };
  if (source == "self") return read_corpus((in_assets() / "corpus/self.gz").string(), options);
  if (source == "tree") return read_repository(in_assets().parent_path().string(), options);
  if (source == folder) throw UsageError("data=folder: names no folder; write data=folder:PATH");
  if (source.starts_with(folder)) return read_folder(source.substr(folder.size()), options);
  throw UsageError("data=" + as_typed(source) + ": allowed are self, tree, folder:PATH and synthetic");
}

Dataset sequences_of(int64_t tokens) {
  Dataset data = load_dataset({.max_tokens = 2 * tokens});  // of which a sequence has so many at least
  for (std::vector<Sample>* samples : {&data.train, &data.test})
    for (Sample& sample : *samples) {
      sample.tokens.resize(size_t(tokens));
      sample.tokens.back() = kEndToken;
    }
  data.sha256 = dataset_sha256(data);
  return data;
}

const Tokenizer& byte_tokenizer() {
  static const ByteTokenizer tokenizer;
  return tokenizer;
}

}  // namespace ringside::inline data
