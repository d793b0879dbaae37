// One short training at each of several learning rates, and which of them are good.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "ringside/train/trainer.h"

namespace ringside::inline training {

struct RateTried {
  double rate = 0;
  double first = 0, last = 0;  // loss of the first step; of held-out samples after the last one
  std::string stopped = {};    // what the trainer said; empty: it came to its end
};

// Hears of each step, counted from 0, as it is taken; on rank 0's thread.
using StepLoss = std::function<void(int64_t step, double loss)>;

// The configuration is trained as it is, but for the rate. CancelledError where `control` says so; every
// other typed error, a divergence above all, is an outcome.
RateTried try_rate(TrainerConfig config, double rate, const Dataset& dataset, RunControl& control,
                   const StepLoss& on_loss = {});

// From the best rate down and up to where the loss falls `share` of what it falls there, by a straight line
// over the logarithm of the rate between two that were tried. One that stopped counts as no fall.
struct GoodRates {
  double from = 0, to = 0, best = 0;
  double last = 0;  // loss at the best
};
std::optional<GoodRates> good_rates(std::span<const RateTried> rising, double share);  // none: no loss fell

}  // namespace ringside::inline training
