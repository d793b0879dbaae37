// Labelled texts as a Dataset: which are held out, their tokens, the weights of their classes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/data/labelled.h"

namespace ringside::inline data {
namespace {

void check_split(const Labelled& all, const SplitOptions& options, const Tokenizer& tokenizer) {
  if (!(options.test_share > 0 && options.test_share < 1))
    throw UsageError("test_share={}: allowed is what lies between 0 and 1", options.test_share);
  if (options.max_tokens < 1) throw UsageError("max_tokens={}: at least 1", options.max_tokens);
  if (all.classes.size() < 2)
    throw InputError("{}: every text has the label '{}'; at least two classes are needed", all.description,
                     as_typed(all.classes.at(0)));
  if (all.pixels && !tokenizer.takes_bytes())
    throw UsageError("{}: its pixels are bytes; {} is for texts, take the tokenizer of bytes",
                     all.description, tokenizer.description());
  for (const auto& [name, weight] : options.class_weights) {
    if (std::ranges::find(all.classes, name) == all.classes.end())
      throw UsageError("class_weights: '{}' is no class of {}", as_typed(name), all.description);
    if (!(weight > 0 && std::isfinite(weight)))
      throw UsageError("class_weights: {}={}: allowed is what is above 0", as_typed(name), weight);
  }
}

// A text without a token would have none to be read at: it is one of padding.
std::vector<Sample> samples_of(const Labelled& all, const std::vector<size_t>& which,
                               const SplitOptions& options, const Tokenizer& tokenizer) {
  std::vector<Sample> samples;
  samples.reserve(which.size());
  for (const size_t i : which) {
    const LabelledText& text = all.samples[i];
    Sample& sample =
        samples.emplace_back(Sample{tokenizer.encode(text.text, options.max_tokens), text.label});
    if (sample.tokens.empty()) sample.tokens.push_back(tokenizer.padding());
  }
  return samples;
}

void weigh(const Labelled& named, Dataset& dataset, const SplitOptions& options) {
  std::vector<int64_t> counts(dataset.classes.size());
  for (const Sample& sample : dataset.train) ++counts[size_t(sample.label)];
  const auto n = double(dataset.train.size()), C = double(counts.size());
  for (Sample& sample : dataset.train) {
    const auto label = size_t(sample.label);
    const auto found = options.class_weights.find(named.classes[label]);
    if (options.balanced)
      sample.weight = float(n / (C * double(counts[label])));
    else if (found != options.class_weights.end())
      sample.weight = float(found->second);
  }
}

struct Parts {
  std::vector<size_t> train, test;  // samples, in the order of the file
};

Parts stratified(const Labelled& all, const SplitOptions& options) {
  std::vector<std::vector<size_t>> of_class(all.classes.size());
  for (size_t i = 0; i < all.samples.size(); ++i) of_class[size_t(all.samples[i].label)].push_back(i);
  Parts parts;
  for (size_t c = 0; c < of_class.size(); ++c) {
    const std::vector<size_t>& those = of_class[c];
    const auto n = std::ssize(those);
    const auto share = int64_t(std::llround(options.test_share * double(n)));
    const int64_t held_out = n < 2 ? 0 : std::clamp<int64_t>(share, 1, n - 1);
    const std::vector<int64_t> order = permutation(n, RandomStream(options.seed, "split", c));
    for (int64_t i = 0; i < n; ++i)
      (i < held_out ? parts.test : parts.train).push_back(those[size_t(order[size_t(i)])]);
  }
  std::ranges::sort(parts.train), std::ranges::sort(parts.test);
  return parts;
}

// Held-out texts that were trained on say nothing of what was learned.
void note_twins(const Labelled& train, const std::vector<size_t>& trained, const Labelled& test,
                const std::vector<size_t>& tested, std::vector<std::string>& notes) {
  std::unordered_set<std::string_view> seen;
  for (const size_t i : trained) seen.insert(train.samples[i].text);
  const int64_t twins =
      std::ranges::count_if(tested, [&](size_t i) { return seen.contains(test.samples[i].text); });
  if (twins > 0)
    notes.push_back(fmt::format("{} of {} held-out texts {} in the training part too", format_count(twins),
                                format_count(std::ssize(tested)), twins == 1 ? "stands" : "stand"));
}

Dataset made_of(const Labelled& train, const std::vector<size_t>& trained, const Labelled& test,
                const std::vector<size_t>& tested, const SplitOptions& options, const Tokenizer& tokenizer) {
  Dataset dataset;
  for (const std::string& name : train.classes) dataset.classes.push_back(printable(name));
  dataset.train = samples_of(train, trained, options, tokenizer);
  dataset.test = samples_of(test, tested, options, tokenizer);
  if (dataset.train.empty() || dataset.test.empty())
    throw InputError("{}: no text is left to {}", train.description,
                     dataset.train.empty() ? "train on" : "hold out: a class needs two");
  weigh(train, dataset, options);
  dataset.padding = {tokenizer.padding(), options.pad_left};
  dataset.vocabulary = tokenizer.vocabulary();
  dataset.by_length = options.by_length;
  dataset.notes = train.notes;
  if (&train != &test) dataset.notes.insert(dataset.notes.end(), test.notes.begin(), test.notes.end());
  note_twins(train, trained, test, tested, dataset.notes);
  dataset.description =
      fmt::format("{}: {} {} to train on, {} held out, {} classes, tokens: {}", train.description,
                  format_count(std::ssize(dataset.train)), train.pixels ? "images" : "texts",
                  format_count(std::ssize(dataset.test)), dataset.classes.size(),
                  train.pixels ? "pixels" : tokenizer.description());
  dataset.sha256 = dataset_sha256(dataset);
  return dataset;
}

std::vector<size_t> all_of(const Labelled& labelled) {
  std::vector<size_t> which(labelled.samples.size());
  std::iota(which.begin(), which.end(), size_t{0});
  return which;
}

}  // namespace

Dataset split(const Labelled& all, const SplitOptions& options, const Tokenizer& tokenizer) {
  check_split(all, options, tokenizer);
  const Parts parts = stratified(all, options);
  return made_of(all, parts.train, all, parts.test, options, tokenizer);
}

Dataset split(const Labelled& train, const Labelled& test, const SplitOptions& options,
              const Tokenizer& tokenizer) {
  check_split(train, options, tokenizer);
  if (test.classes != train.classes)
    throw InputError("{}: its classes are not those of {}", test.description, train.description);
  return made_of(train, all_of(train), test, all_of(test), options, tokenizer);
}

}  // namespace ringside::inline data
