// Naive Bayes over bytes: the simplest learner there is. What it can tell apart,
// a transformer that averages its input can learn within a few steps.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "ringside/data/dataset.h"

namespace ringside {

// Accuracy on the held-out part after one pass over the training part.
inline double byte_classifier_accuracy(const Dataset& dataset) {
  using Histogram = std::array<double, kByteVocabulary>;
  Histogram ones;
  ones.fill(1.0);
  std::vector<Histogram> counts(dataset.classes.size(), ones);  // (C, V)
  for (const Sample& sample : dataset.train)
    for (const int32_t token : sample.tokens) counts[static_cast<size_t>(sample.label)][token] += 1;
  for (Histogram& histogram : counts) {
    double total = 0;
    for (const double count : histogram) total += count;
    for (double& count : histogram) count = std::log(count / total);
  }
  int64_t correct = 0;
  for (const Sample& sample : dataset.test) {
    size_t best = 0;
    double best_score = -INFINITY;
    for (size_t c = 0; c < counts.size(); ++c) {
      double score = 0;
      for (const int32_t token : sample.tokens) score += counts[c][token];
      if (score > best_score) best = c, best_score = score;
    }
    correct += static_cast<int32_t>(best) == sample.label;
  }
  return static_cast<double>(correct) / static_cast<double>(dataset.test.size());
}

}  // namespace ringside
