#include "ringside/train/rate_sweep.h"

#include <cmath>

namespace ringside::inline training {

RateTried try_rate(TrainerConfig config, double rate, const Dataset& dataset, RunControl& control,
                   const StepLoss& on_loss) {
  RateTried tried{.rate = rate};
  config.learning_rate = rate;
  const auto store = TraceStore::create("rates");
  TrainerHooks hooks;
  hooks.control = &control;
  if (on_loss) hooks.on_metrics = [&](const StepMetrics& metrics) { on_loss(metrics.step, metrics.loss); };
  try {
    const TrainResult result = train(config, dataset, *store, "training", hooks);
    if (!result.complete) throw CancelledError();
    tried.first = result.loss.front();
    tried.last = result.evaluation_loss;
  } catch (const CancelledError&) {
    throw;
  } catch (const Error& error) {
    tried.stopped = error.what();
  }
  return tried;
}

std::optional<GoodRates> good_rates(std::span<const RateTried> rising, double share) {
  const auto fall = [&](size_t i) {
    const double by = rising[i].first - rising[i].last;
    return rising[i].stopped.empty() && by > 0 ? by : 0;
  };
  size_t best = 0;
  for (size_t i = 1; i < rising.size(); ++i)
    if (fall(i) > fall(best)) best = i;
  if (rising.empty() || fall(best) <= 0) return std::nullopt;
  const double limit = share * fall(best);
  // Where a straight line from a good rate to a bad neighbour, over log(rate), meets the limit.
  const auto edge = [&](size_t good, size_t bad) {
    const double part = (fall(good) - limit) / (fall(good) - fall(bad));
    return rising[good].rate * std::pow(rising[bad].rate / rising[good].rate, part);
  };
  size_t from = best, to = best;
  while (from > 0 && fall(from - 1) >= limit) --from;
  while (to + 1 < rising.size() && fall(to + 1) >= limit) ++to;
  return GoodRates{from > 0 ? edge(from, from - 1) : rising[from].rate,
                   to + 1 < rising.size() ? edge(to, to + 1) : rising[to].rate, rising[best].rate,
                   rising[best].last};
}

}  // namespace ringside::inline training
