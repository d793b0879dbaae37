// Retrieval: facts are hidden in passages of texts, and BM25 chooses the passages that a model would read.
#include <unordered_map>

#include "parts.h"
#include "ringside/base/random.h"
#include "ringside/data/dataset.h"

namespace ringside::lessons::context {
namespace {

constexpr size_t kTexts = 500, kPassage = 1000, kFacts = 40;  // kPassage: bytes, which are tokens here
constexpr double kRepeats = 1.2, kLength = 0.75;              // k1 and b of BM25, in their usual values
using WordCounts = std::unordered_map<std::string, double>;

std::vector<std::string> words_in(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      words.back() += char(std::tolower(static_cast<unsigned char>(c)));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// BM25 (Robertson and Zaragoza, 2009): of a text D, the sum over the question's words w of
//   ln(1 + (N - n_w + 1/2) / (n_w + 1/2)) * f (k1 + 1) / (f + k1 (1 - b + b |D| / mean))
// N texts, n_w of them with w; f: how often w is in D.
class Bm25 {
 public:
  explicit Bm25(const std::vector<std::string>& texts) : counts_(texts.size()), lengths_(texts.size()) {
    for (size_t t = 0; t < texts.size(); ++t) {
      const std::vector<std::string> words = words_in(texts[t]);
      for (const std::string& word : words)
        if (++counts_[t][word] == 1) ++texts_with_[word];
      lengths_[t] = double(words.size());
      mean_ += lengths_[t] / double(texts.size());
    }
  }

  // All texts, those of the highest scores first.
  std::vector<size_t> ranked(const std::string& question) const {
    const std::vector<std::string> words = words_in(question);
    std::vector<std::pair<double, size_t>> scores;
    for (size_t t = 0; t < counts_.size(); ++t) scores.emplace_back(-score(words, t), t);
    std::ranges::sort(scores);
    std::vector<size_t> texts;
    for (const auto& [score, text] : scores) texts.push_back(text);
    return texts;
  }

 private:
  double score(const std::vector<std::string>& question, size_t text) const {
    double sum = 0;
    const double N = double(counts_.size());
    for (const std::string& word : question) {
      const auto found = counts_[text].find(word);
      if (found == counts_[text].end()) continue;
      const double n = texts_with_.at(word), f = found->second;
      const double length = 1 - kLength + kLength * lengths_[text] / mean_;
      sum += std::log(1 + (N - n + 0.5) / (n + 0.5)) * f * (kRepeats + 1) / (f + kRepeats * length);
    }
    return sum;
  }

  std::vector<WordCounts> counts_;
  WordCounts texts_with_;
  std::vector<double> lengths_;
  double mean_ = 0;
};

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
