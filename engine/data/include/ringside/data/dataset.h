// A labelled set of token sequences, split into a training and a held-out part. A token is a byte, or one of
// two specials: any bytes are valid input.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::inline data {

inline constexpr int32_t kPadToken = 256;  // padding
inline constexpr int32_t kEndToken = 257;  // ends every sequence; pooling reads the model there
inline constexpr int32_t kByteVocabulary = 258;

// At most max_tokens tokens, the last of which is kEndToken. max_tokens >= 1.
std::vector<int32_t> tokenize(std::string_view bytes, int64_t max_tokens);

struct Sample {
  std::vector<int32_t> tokens;  // (T_i), 1 <= T_i <= max_tokens; of bytes: ends with kEndToken
  int32_t label = 0;            // 0 .. C-1
  float weight = 1;             // of its loss, as of its class
};

// How the rows of a batch are filled up to the longest.
struct Padding {
  int32_t token = kPadToken;
  bool left = false;
};

struct Dataset {
  std::string description;           // "folder: 61 files, 5 classes", for people
  std::vector<std::string> classes;  // (C) names
  std::vector<Sample> train, test;
  std::string sha256;              // over classes, split, tokens, labels, and weights that are not 1
  std::vector<std::string> notes;  // counted skips: "skipped 2 binary files (a.png, b.o)"
  Padding padding{};
  int64_t vocabulary = kByteVocabulary;
  bool by_length = false;            // batches of like lengths
  double majority_accuracy() const;  // of always answering test's most common class
};

// What `data=` accepts: "synthetic", "folder:PATH", "self" (the project's texts at one commit, which
// does not change), "tree" (the project's files as they are now).
struct DataOptions {
  std::string source = "synthetic";
  int64_t max_tokens = 64;  // T, end token included
  uint64_t seed = 0;
  int64_t max_classes = 32;
  std::string project{};  // where the project lies; empty: the tree that assets() finds
  // synthetic only
  int64_t synthetic_classes = 4;
  int64_t synthetic_train = 512;
  int64_t synthetic_test = 101;
};

// InputError naming the path and what to do; UsageError for a malformed source.
Dataset load_dataset(const DataOptions& options);
// Synthetic, of exactly so many tokens each: every batch has the same shape.
Dataset sequences_of(int64_t tokens);

// Readers behind it. A folder's classes are its sub-folders, or the extensions of
// its files; a repository's are its languages, and its files those that git tracks.
// A corpus is the texts of a repository in one file (assets/corpus); its classes are languages too.
Dataset make_synthetic(const DataOptions& options);
Dataset read_folder(const std::string& path, const DataOptions& options);
Dataset read_repository(const std::string& path, const DataOptions& options);
Dataset read_corpus(const std::string& path, const DataOptions& options);

// The same on every machine.
std::string dataset_sha256(const Dataset& dataset);

}  // namespace ringside::inline data
