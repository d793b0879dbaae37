// When a training has stopped getting better: a run ends after `patience` evaluations in a row without a new
// best value of what is watched on the held-out samples (Prechelt 1998, "Early Stopping - But When?",
// criterion UP).
// All ranks see the same values, and decide alike.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ringside::inline training {

enum class WatchedValue : uint8_t { kLoss, kAccuracy, kMacroF1 };
inline constexpr std::string_view kWatchedValueTexts[] = {"loss", "accuracy", "macro_f1"};
inline std::span<const std::string_view> texts(WatchedValue) { return kWatchedValueTexts; }

struct WatchOptions {
  WatchedValue what =
      WatchedValue::kLoss;  // macro_f1: of an evaluation that has it (nn/evaluation.h)
  int64_t patience = 0;     // evaluations; 0: a run takes all its steps
  double least_gain = 0;    // a value counts as better where it is by more than this
};

class EarlyStop {
 public:
  struct Best {
    int64_t steps = 0;  // that had been taken
    double value = 0;
  };

  explicit EarlyStop(const WatchOptions& options) : options_(options) {}

  // An evaluation after so many steps: whether it is the best so far. A value that is not a number is not.
  bool is_better(int64_t steps, double value);
  bool is_over() const { return options_.patience > 0 && waited_ >= options_.patience; }
  const std::optional<Best>& best() const { return best_; }
  int64_t waited() const { return waited_; }  // evaluations since the best

  // What a checkpoint keeps of it, in exact decimals; nothing before the first evaluation.
  std::map<std::string, std::string> state() const;
  // InputError where it is no such state. One without any leaves it as it is.
  void restore(const std::map<std::string, std::string>& state);

 private:
  WatchOptions options_;
  std::optional<Best> best_;
  int64_t waited_ = 0;
};

}  // namespace ringside::inline training
