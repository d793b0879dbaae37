// Texts ranked by the words that they share with a question: BM25 (Robertson and Zaragoza 2009, "The
// Probabilistic Relevance Framework"). Of a text D, the sum over the question's words w of
//
//   ln(1 + (N - n_w + 1/2) / (n_w + 1/2)) * f (k1 + 1) / (f + k1 (1 - b + b |D| / mean))
//
// N texts, n_w of them with w; f: how often w is in D; k1 = 1.2, b = 0.75. Words are letters and digits,
// small.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

namespace ringside::inline data {

class Bm25 {
 public:
  explicit Bm25(const std::vector<std::string>& texts);
  double score(const std::string& question, size_t text) const;
  // All texts, those of the highest scores first, equal ones in their order.
  std::vector<size_t> ranked(const std::string& question) const;

 private:
  using WordCounts = std::unordered_map<std::string, double>;
  double score(const std::vector<std::string>& question, size_t text) const;

  std::vector<WordCounts> counts_;
  WordCounts texts_with_;
  std::vector<double> lengths_;
  double mean_ = 0;
};

}  // namespace ringside::inline data
