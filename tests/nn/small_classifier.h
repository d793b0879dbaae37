// A classifier small enough for finite differences, with weights large enough that every part matters.
#pragma once

#include <ATen/CPUGeneratorImpl.h>

#include "ringside/nn/classifier.h"
#include "rounding.h"

namespace ringside::testing {

inline ClassifierConfig small_config() {
  ClassifierConfig config;
  config.vocabulary = 11;
  config.hidden = 16;
  config.heads = 4;
  config.kv_heads = 2;
  config.intermediate = 10;
  config.layers = 2;
  config.classes = 3;
  config.head_bias = true;
  return config;
}

inline at::Tensor random_tensor(at::IntArrayRef shape, uint64_t seed, double deviation = 1.0,
                                at::ScalarType type = at::kFloat) {
  auto generator = at::detail::createCPUGenerator(seed);
  return at::empty(shape, type).normal_(0.0, deviation, generator);
}

inline void fill_with_noise(ParameterSet& set, uint64_t seed, at::ScalarType type = at::kFloat) {
  for (size_t p = 0; p < set.shapes.size(); ++p) {
    const bool is_norm = set.shapes[p].name.find("norm") != std::string::npos;
    const at::Tensor noise = random_tensor(set.shapes[p].shape, seed + p, 0.4) + (is_norm ? 1.0 : 0.0);
    set.leaves[p] = noise.to(type).set_requires_grad(true);
  }
}

inline Classifier noisy_model(const ClassifierConfig& config = small_config(),
                              at::ScalarType type = at::kFloat) {
  Classifier model(config, 12);
  fill_with_noise(model.parameters(), 5, type);
  return model;
}

// Rows of 5, 3 and 1 real tokens, padded to `length`.
inline Batch small_batch(int64_t length = 5, int64_t pad_token = 0) {
  Batch batch;
  batch.tokens = at::full({3, length}, pad_token, at::kLong);
  const std::vector<std::vector<int64_t>> rows = {{1, 7, 3, 3, 10}, {2, 9, 10}, {10}};
  for (size_t row = 0; row < rows.size(); ++row) {
    std::copy(rows[row].begin(), rows[row].end(),
              batch.tokens.data_ptr<int64_t>() + static_cast<int64_t>(row) * length);
  }
  batch.last = at::tensor({4, 2, 0}, at::kLong);
  batch.labels = at::tensor({0, 2, 1}, at::kLong);
  batch.weights = at::ones({3});
  return batch;
}

inline at::Tensor logits_of(Model& model, const Batch& batch) { return model.forward(batch, {}).logits; }

inline double max_distance(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}
inline double largest(const at::Tensor& values) { return values.abs().max().item<double>(); }

}  // namespace ringside::testing
