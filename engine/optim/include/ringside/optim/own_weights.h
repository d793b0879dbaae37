// Weights in double with the state that their optimizer keeps: its updates without a training around them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ringside/base/check.h"
#include "ringside/optim/optimizer.h"

namespace ringside::inline optim {

class OwnWeights {
 public:
  OwnWeights(Optimizer optimizer, std::vector<double> weights)
      : optimizer_(std::move(optimizer)),
        weights_(std::move(weights)),
        shape_{static_cast<int64_t>(weights_.size())},
        state_(optimizer_.state().size(), weights_) {
    for (std::vector<double>& one : state_) one.assign(weights_.size(), 0);
  }

  void step(const std::vector<double>& gradient, double learning_rate) {
    ElementsOf<double> elements{.count = shape_[0], .weights = weights_.data(), .gradient = gradient.data()};
    for (std::vector<double>& one : state_) elements.state.push_back(one.data());
    elements.is_parameter = true;
    elements.shape = shape_;
    optimizer_.update(elements, {.learning_rate = learning_rate, .step = ++taken_});
  }

  const std::vector<double>& weights() const { return weights_; }
  // By the name that the optimizer declares.
  const std::vector<double>& state(const std::string& name) const {
    for (size_t i = 0; i < state_.size(); ++i)
      if (optimizer_.state()[i].name == name) return state_[i];
    RINGSIDE_CHECK(false, optimizer_.spec().name << " keeps no state '" << name << "'");
  }

 private:
  Optimizer optimizer_;
  std::vector<double> weights_;
  std::vector<int64_t> shape_;
  std::vector<std::vector<double>> state_;
  int64_t taken_ = 0;
};

}  // namespace ringside::inline optim
