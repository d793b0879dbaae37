// Texts with a label each, as people bring them; each may be packed by gzip (NAME.gz):
//
//   a folder        a sub-folder is a class, a file in it a text; "train" and "test" within are two sources
//   .csv, .tsv      RFC 4180: quotes, "" within them, line ends in quotes, CRLF, a byte-order mark; a header
//                   row
//   .jsonl, .ndjson an object a line, with \u escapes; a label is a text, a whole number, true or false
//   ...-idx3-ubyte  IDX, MNIST's format: images, and beside them their labels (images -> labels, idx3 ->
//   idx1).
//   ... .idx        A pixel is a byte, and a byte a token: an image of 28 x 28 is a text of 784 bytes, row by
//                   row. Element type u8 alone.
//
// What stands in the files is bounded before it is believed. Reading takes the file (unpacked), 24 bytes a
// sample and less than 1 MB; of JSON Lines a few times the longest line besides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ringside/data/dataset.h"
#include "ringside/data/tokenizer.h"

namespace ringside::inline data {

struct LabelledText {
  std::string_view text;  // any bytes, in Labelled::bytes
  int32_t label = 0;      // 0 .. C-1
};

struct Labelled {
  std::vector<std::string>
      classes;  // (C) in order: by value where all are whole numbers, else by their bytes
  std::deque<LabelledText> samples;  // in the order of the file; a folder's by path
  std::vector<std::string> notes;    // "3 texts are empty", for people
  std::string description;           // "reviews.csv"
  bool pixels = false;               // bytes of images: no text for a tokenizer but that of bytes
  std::shared_ptr<const std::deque<std::string>> bytes;  // what the texts lie in
};

enum class SourceKind : uint8_t { kByName, kFolder, kCsv, kTsv, kJsonLines, kIdx };

struct LabelledLimits {
  size_t bytes = size_t{1} << 30;       // of a file, unpacked too, or of all of a folder
  size_t text_bytes = size_t{1} << 20;  // of one text
  size_t classes = 1000;
};

struct LabelledSource {
  std::string path;
  SourceKind kind = SourceKind::kByName;
  std::string text = "text", label = "label";  // columns or keys; label "": texts alone, each of label 0
  std::string labels{};                // of IDX: the file of labels; "": beside the images, by its name
  std::vector<std::string> classes{};  // these, in this order, and no other label; none: those found
  LabelledLimits limits{};
};

// InputError naming the path, the row and its line, what is wrong and what to do; UsageError where the name
// says no kind.
Labelled read_labelled(const LabelledSource& source);

struct SplitOptions {
  double test_share = 0.2;  // of each class, so that both parts have the classes alike; below 1
  uint64_t seed = 0;        // which ones are held out
  int64_t max_tokens = 512;
  bool balanced = false;                          // class weights n / (C n_c), n of training: their mean is 1
  std::map<std::string, double> class_weights{};  // by name, where not balanced; 1 where it names none
  bool pad_left = false;
  bool by_length = false;  // batches of texts of like lengths (sampler.h)
};

// Of a class of two or more at least one text is held out and one trained on. InputError: less than two
// classes, pixels for a tokenizer of texts; UsageError: options out of range, weights of a class that is not
// there.
Dataset split(const Labelled& all, const SplitOptions& options, const Tokenizer& tokenizer);
// Two sources, the second read with the first one's classes. A note tells how many of its texts stand in the
// first.
Dataset split(const Labelled& train, const Labelled& test, const SplitOptions& options,
              const Tokenizer& tokenizer);

}  // namespace ringside::inline data
