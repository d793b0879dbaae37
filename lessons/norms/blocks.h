// Blocks of numbers, and the norms on them.
#pragma once

#include <ATen/ATen.h>

#include "parts.h"

namespace ringside::lessons::norms {

inline constexpr double kEps = 1e-5;

at::Tensor noise(at::IntArrayRef shape, uint64_t seed);  // normal, of variance 1

// One of kNames, with weight 1 and bias 0. x: (B, T, H) or (B, H); real: (B, T) bool or undefined -> as x
at::Tensor normalised(const std::string& norm, const at::Tensor& x, const at::Tensor& real = {});

// (B, T): true for the first tokens of each sample, as many as it has.
at::Tensor real_tokens(const std::vector<int64_t>& lengths, int64_t tokens);

double relative(const at::Tensor& a, const at::Tensor& b);  // |a - b| / |b|
double apart(const at::Tensor& a, const at::Tensor& b);     // root of the mean of (a - b)^2

}  // namespace ringside::lessons::norms
