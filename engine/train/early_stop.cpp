#include "ringside/train/early_stop.h"

#include <fmt/format.h>

#include <cmath>

#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside::inline training {
namespace {

constexpr char kBestStep[] = "best step", kBestValue[] = "best value", kWaited[] = "evaluations since best";

template <typename T>
T saved_number(const std::map<std::string, std::string>& state, const char* key) {
  const auto found = state.find(key);
  const std::optional<T> value = found == state.end() ? std::nullopt : read_number<T>(found->second);
  if (!value || *value != *value || (std::is_integral_v<T> && *value < 0))
    throw InputError("the checkpoint's '{}' is not a number", key);
  return *value;
}

}  // namespace

bool EarlyStop::is_better(int64_t steps, double value) {
  const double sign = options_.what == WatchedValue::kLoss ? -1 : 1;
  const bool better = !std::isnan(value) && (!best_ || sign * (value - best_->value) > options_.least_gain);
  waited_ = better ? 0 : waited_ + 1;
  if (better) best_ = Best{steps, value};
  return better;
}

std::map<std::string, std::string> EarlyStop::state() const {
  if (!best_) return {};
  return {{kBestStep, std::to_string(best_->steps)},
          {kBestValue, fmt::format("{}", best_->value)},
          {kWaited, std::to_string(waited_)}};
}

void EarlyStop::restore(const std::map<std::string, std::string>& state) {
  if (!state.contains(kBestStep)) return;
  best_ = Best{saved_number<int64_t>(state, kBestStep), saved_number<double>(state, kBestValue)};
  waited_ = saved_number<int64_t>(state, kWaited);
}

}  // namespace ringside::inline training
