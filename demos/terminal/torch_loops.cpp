#include "torch_loops.h"

#include <ATen/Parallel.h>
#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

#include <algorithm>

#include "ringside/optim/optimizer.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside {
namespace {

namespace optim = torch::optim;
constexpr double kRate = 1e-6;

std::shared_ptr<optim::Optimizer> make_torch_optimizer(const std::string& name,
                                                       std::vector<at::Tensor> over) {
  const auto value = [&](const char* hyperparameter) {
    return make_optimizer({.name = name}).value(hyperparameter);
  };
  const auto adam = [&](bool amsgrad) {
    return std::make_shared<optim::Adam>(
        over, optim::AdamOptions(kRate).weight_decay(value("weight_decay")).amsgrad(amsgrad));
  };
  if (name == "sgd")
    return std::make_shared<optim::SGD>(
        over, optim::SGDOptions(kRate).momentum(value("momentum")).weight_decay(value("weight_decay")));
  if (name == "adam") return adam(false);
  if (name == "amsgrad") return adam(true);
  if (name == "adamw")
    return std::make_shared<optim::AdamW>(over,
                                          optim::AdamWOptions(kRate).weight_decay(value("weight_decay")));
  if (name == "adagrad")
    return std::make_shared<optim::Adagrad>(over, optim::AdagradOptions(kRate).eps(value("eps")));
  if (name == "rmsprop")
    return std::make_shared<optim::RMSprop>(
        over, optim::RMSpropOptions(kRate).alpha(value("alpha")).eps(value("eps")));
  return nullptr;
}

std::function<void()> torchs_loop(const std::string& optimizer, int64_t count, int64_t tensor, int threads) {
  if (make_torch_optimizer(optimizer, {at::zeros({1}).set_requires_grad(true)}) == nullptr) return {};
  std::vector<at::Tensor> parameters;
  for (int64_t begin = 0; begin < count; begin += tensor) {
    const int64_t n = std::min(tensor, count - begin);
    at::Tensor parameter = at::rand({n}).add_(0.5).set_requires_grad(true);
    parameter.mutable_grad() = at::rand({n}).add_(0.5).mul_(1e-3);
    parameters.push_back(std::move(parameter));
  }
  return [optimizer = make_torch_optimizer(optimizer, std::move(parameters)), threads] {
    at::set_num_threads(threads);
    optimizer->step();
  };
}

}  // namespace

void know_torch_loops() { set_torch_loops({torchs_loop, torchs_norm, torchs_output}); }

}  // namespace ringside
