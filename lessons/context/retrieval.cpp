// Retrieval: facts are hidden in passages of texts, and BM25 chooses the passages that a model would read.
#include "parts.h"
#include "ringside/base/random.h"
#include "ringside/data/bm25.h"
#include "ringside/data/dataset.h"

namespace ringside::lessons::context {
namespace {

constexpr size_t kTexts = 500, kPassage = 1000, kFacts = 40;  // kPassage: bytes, which are tokens here
// Eight letters: a word that no text has by chance.
std::string made_up_name(RandomStream& stream) {
  std::string name;
  for (int i = 0; i < 8; ++i) name += (i % 2 == 0 ? "kvzxwq" : "aeiouy")[stream.below(6)];
  return name;
}

struct Library {
  std::vector<std::string> passages, names;  // names: (kFacts)
  std::vector<size_t> place;                 // (kFacts) the passage that has the fact, each another
};

std::vector<std::string> passages_of_texts() {
  const Dataset data = load_dataset({.source = "self", .max_tokens = 1 << 14});
  std::vector<std::string> passages;
  size_t texts = 0;
  for (const auto* part : {&data.train, &data.test})
    for (const Sample& sample : *part) {
      if (texts++ == kTexts) return passages;
      const std::string text(sample.tokens.begin(), sample.tokens.end() - 1);
      for (size_t at = 0; at < text.size(); at += kPassage) passages.push_back(text.substr(at, kPassage));
    }
  return passages;
}

Library with_facts(uint64_t seed) {
  Library library{passages_of_texts(), {}, {}};
  RandomStream stream(seed, "facts");
  while (library.names.size() < kFacts) {
    const size_t at = stream.below(library.passages.size());
    if (std::ranges::find(library.place, at) != library.place.end()) continue;
    const std::string name = made_up_name(stream);
    library.passages[at] +=
        fmt::format("\nThe password of the storehouse in {} is {}.\n", name, 1000 + stream.below(9000));
    library.names.push_back(name), library.place.push_back(at);
  }
  return library;
}

}  // namespace

void read_passages(const Config& config, Recorder& pen) {
  const Library library = with_facts(uint64_t(config.integer("seed")));
  const Bm25 index(library.passages);
  std::vector<std::vector<size_t>> of_each;  // (kFacts) the passages as a question for the fact ranks them
  for (const std::string& name : library.names)
    of_each.push_back(index.ranked("What is the password of the storehouse in " + name + "?"));
  const std::vector of_all(kFacts, index.ranked("How many storehouses have a password?"));
  const auto record = [&](const char* asks, size_t k, const std::vector<std::vector<size_t>>& ranked) {
    RetrievalRow row{.asks = asks, .passages = int64_t(k)};
    double tokens = 0;
    for (size_t fact = 0; fact < kFacts; ++fact) {
      for (size_t i = 0; i < k; ++i) {
        tokens += double(library.passages[ranked[fact][i]].size());
        if (ranked[fact][i] == library.place[fact]) row.found += 100.0 / kFacts;
      }
    }
    row.tokens = int64_t(std::round(tokens / kFacts));
    record_row(pen, row);
  };
  for (const size_t k : {size_t(1), size_t(4), library.passages.size()}) record(kOneFact, k, of_each);
  record(kAllFacts, 4, of_all);
}

}  // namespace ringside::lessons::context
