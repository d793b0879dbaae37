// What the run records.
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::optimizers {

// The sections, in this order. Trainings are run in a store of their own; what is kept of them is rows.
inline constexpr char kPaths[] = "paths", kTrials[] = "trials", kSecond[] = "second order",
                      kTraining[] = "training", kSharding[] = "sharding";

// Where a method stands on the surface after a step; step 0 is the start.
struct PathRow {
  static constexpr Columns kTable{"path", "method", "step", "x", "y", "height"};
  std::string method;               // an optimizer, or Newton's method
  int64_t step = 0;                 // 0 is the start
  double x = 0, y = 0, height = 0;  // the weights; the surface's height is the loss
};

// What came of a method on a surface.
struct EndRow {
  static constexpr Columns kTable{"ends", "surface", "method", "rate", "first", "last", "steps", "stopped"};
  std::string surface, method;
  double rate = 0;           // learning rate, the best of those tried; Newton: 1
  double first = 0;          // height at the start
  double last = 0;           // height at the end; noisy: mean of the last tenth
  int64_t steps = 0;         // until the height was within 1e-9 of its last one
  std::string stopped = {};  // by an error; empty: it was not
};

// What a rule does with a weight in a trial: kConstant, kUncorrected, kFirst or kDecay.
struct TrialRow {
  static constexpr Columns kTable{"trials", "trial", "rule", "at", "value"};
  std::string trial, rule;
  double at = 0;     // the step, or the size of the gradient
  double value = 0;  // length of a step in learning rates, or % of the weight that is gone
};
inline constexpr char kConstant[] = "constant",  // the gradient is 1 in every step
    kUncorrected[] = "uncorrected",              // the same, m / sqrt(v) of Adam's state
    kFirst[] = "first",                          // the first step at a gradient
    kDecay[] = "decay",  // a weight of 1, the gradient's sign changes in every step: % that decay took of it
    kTurn[] = "turn";    // the second step, where the gradient has turned round
inline constexpr double kSmallGradient = 0.1, kLargeGradient = 10;  // of kDecay

// A network's exact Hessian, stored. Bytes are those that the allocator handed out.
struct HessianRow {
  static constexpr Columns kTable{"hessians", "parameters", "hessian [bytes]"};
  int64_t parameters = 0, hessian = 0;
};

// A pass of the classifier; peak: of live bytes, beside the parameters, as the allocator saw it.
struct PassRow {
  static constexpr Columns kTable{"passes",          "pass",      "ms",
                                  "backward passes", "gradients", "peak of memory [bytes]"};
  std::string pass;
  double ms = 0;         // median time
  double times = 0;      // backward passes that take as long
  double gradients = 0;  // the same: a forward and a backward pass each
  int64_t peak = 0;      // beside the parameters
};

// Where the classifier trains well: learning rates at which the loss falls at least 80 % of what it falls at
// the best one tried (train/rate_sweep.h). All 0: it falls at none.
inline constexpr double kGood = 0.8;
struct GoodRow {
  static constexpr Columns kTable{"good rates", "rule",   "from",    "to",         "best",
                                  "loss",       "lowest", "highest", "kept / 100", "kept x 100"};
  std::string rule;
  double from = 0, to = 0, best = 0;        // learning rates: the lowest, highest and best of the good ones
  double loss = 0;                          // of held-out samples at the best
  double lowest = 0, highest = 0;           // of the learning rates tried
  double kept_divided = 0, kept_times = 0;  // of the loss's fall, at the best rate with the loss scaled
  double decades() const { return std::log10(to / from); }
  bool is_open() const { return from <= lowest || to >= highest; }  // good as far as was tried
  std::string width() const { return tr("{}{:.1f}", is_open() ? "≥ " : "", decades()); }
  bool keeps() const { return std::min(kept_divided, kept_times) >= kGood; }
};
inline constexpr double kScale = 100;  // of the loss, divided and times

// A step of a rule at its best rate.
struct RuleLossRow {
  static constexpr Columns kTable{"losses", "rule", "step", "loss"};
  std::string rule;
  int64_t step = 0;  // 1 is the first
  double loss = 0;
};

// What the optimizer of a training kept, and what it sent when two ranks shared it.
struct StateRow {
  static constexpr Columns kTable{"state",           "rule",          "an update sees", "declared [bytes]",
                                  "counted [bytes]", "stage 1 sends", "same bits",      "refused"};
  std::string rule, sees = {};       // what an update has to have whole
  double declared = 0, counted = 0;  // state of a parameter in fp32; the same by the allocator
  double sent = 0;                   // of what stage 0 sends; 0: it refuses
  bool same_bits = false;            // stage 1 ended with stage 0's parameters
  std::string refused = {};          // why stage 1 would not have it; empty: it has
};
inline constexpr char kElement[] = "an element";

}  // namespace ringside::lessons::optimizers
