#include "ringside/data/bm25.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace ringside::inline data {
namespace {

constexpr double kRepeats = 1.2, kLength = 0.75;  // k1 and b

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

}  // namespace

Bm25::Bm25(const std::vector<std::string>& texts) : counts_(texts.size()), lengths_(texts.size()) {
  for (size_t t = 0; t < texts.size(); ++t) {
    const std::vector<std::string> words = words_in(texts[t]);
    for (const std::string& word : words)
      if (++counts_[t][word] == 1) ++texts_with_[word];
    lengths_[t] = double(words.size());
    mean_ += lengths_[t] / double(texts.size());
  }
}

double Bm25::score(const std::string& question, size_t text) const { return score(words_in(question), text); }

std::vector<size_t> Bm25::ranked(const std::string& question) const {
  const std::vector<std::string> words = words_in(question);
  std::vector<std::pair<double, size_t>> scores;
  for (size_t t = 0; t < counts_.size(); ++t) scores.emplace_back(-score(words, t), t);
  std::ranges::sort(scores);
  std::vector<size_t> texts;
  for (const auto& [score, text] : scores) texts.push_back(text);
  return texts;
}

double Bm25::score(const std::vector<std::string>& question, size_t text) const {
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

}  // namespace ringside::inline data
