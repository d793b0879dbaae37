// Classes that differ in their letters. Each class prefers kPreferred of the
// kAlphabet letters: three draws of four come from those, the rest from all. A
// model that averages what it reads can tell the classes apart; one that guesses
// cannot. Every sample has a random stream of its own, so that the first n
// samples are the same however many are asked for.
#include <fmt/format.h>

#include "ringside/base/check.h"
#include "ringside/base/random.h"
#include "ringside/data/dataset.h"

namespace ringside::inline data {
namespace {

constexpr int64_t kAlphabet = 64;
constexpr char kFirstLetter = '0';  // '0' .. 'o'
constexpr uint64_t kPreferred = 8;
constexpr double kPreferredShare = 0.75;

using Letters = std::vector<int64_t>;  // (kAlphabet), the preferred ones first

// `count` samples of lengths (T-1)/2 .. T-1 and the end token, labels 0, 1, .. C-1, 0, 1, ..
std::vector<Sample> draw_samples(const char* purpose, int64_t count, const std::vector<Letters>& letters,
                                 const DataOptions& options) {
  const int64_t longest = options.max_tokens - 1;
  const int64_t shortest = (longest + 1) / 2;
  std::vector<Sample> samples;
  for (int64_t i = 0; i < count; ++i) {
    const size_t label = size_t(i) % letters.size();
    RandomStream stream(options.seed, purpose, uint64_t(i));
    const int64_t length = shortest + int64_t(stream.below(longest - shortest + 1));
    std::string bytes;
    for (int64_t j = 0; j < length; ++j) {
      const uint64_t among = stream.uniform() < kPreferredShare ? kPreferred : kAlphabet;
      bytes.push_back(char(kFirstLetter + letters[label][stream.below(among)]));
    }
    samples.push_back({tokenize(bytes, options.max_tokens), int32_t(label)});
  }
  return samples;
}

}  // namespace

Dataset make_synthetic(const DataOptions& options) {
  RINGSIDE_CHECK_GE(options.max_tokens, 2);
  RINGSIDE_CHECK_GE(options.synthetic_classes, 1);
  RINGSIDE_CHECK_GE(options.synthetic_train, 1);
  Dataset dataset;
  std::vector<Letters> letters;  // (C)
  for (int64_t c = 0; c < options.synthetic_classes; ++c) {
    dataset.classes.push_back("class " + std::to_string(c));
    letters.push_back(permutation(kAlphabet, RandomStream(options.seed, "synthetic.letters", c)));
  }
  dataset.train = draw_samples("synthetic.train", options.synthetic_train, letters, options);
  dataset.test = draw_samples("synthetic.test", options.synthetic_test, letters, options);
  dataset.description = fmt::format("synthetic: {} training and {} held-out sequences, {} classes",
                                    dataset.train.size(), dataset.test.size(), dataset.classes.size());
  dataset.sha256 = dataset_sha256(dataset);
  return dataset;
}

}  // namespace ringside::inline data
