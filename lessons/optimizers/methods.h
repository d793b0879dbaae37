// What is compared: every optimizer of the engine, and Newton's method in three ways.
#pragma once

#include <string>
#include <vector>

#include "ringside/optim/own_weights.h"

namespace ringside::lessons::optimizers {

// Of the engine's table, without weight decay; SGD also without momentum, and with Nesterov's.
struct Rule {
  std::string name;  // "momentum"
  OptimizerConfig config;
};
const std::vector<Rule>& rules();
bool is_adaptive(const std::string& rule);  // it divides by a mean or a sum of past gradients

inline constexpr char kNewton[] = "newton", kDamped[] = "newton_damped", kFree[] = "hessian_free",
                      kUndamped[] = "hessian_free_0";
inline constexpr double kDamping = 2;  // of newton_damped and hessian_free; 0 of hessian_free_0
bool is_newton(const std::string& method);

// The paths that a scenario asks for: "sgd,adam,newton". UsageError naming one that there is not.
std::vector<std::string> methods_of(const std::string& list);

// Adadelta as the source has it: "y_t = k y_{t-1} + (1-k) grad", which takes the place of Adagrad's sum of
// squares. It averages the gradient; the paper averages its square. The source does not say what y divides:
//   y <- k y + (1 - k) g          w <- w - lr g / (sqrt(|y|) + eps), or w - lr g / (|y| + eps)
inline constexpr char kByRoot[] = "the source's, by √|y|", kBySize[] = "the source's, by |y|";
OwnWeights weights_under(const std::string& rule, std::vector<double> weights);  // a rule, or one of these

}  // namespace ringside::lessons::optimizers
