// What the run records.
#pragma once

#include <cmath>

#include "ringside/lesson/lesson.h"
#include "ringside/lesson/rows.h"

namespace ringside::optimizers_lesson {

// The sections, in this order. Trainings are run in a store of their own; what is kept of them is rows.
inline constexpr char kPaths[] = "paths", kTrials[] = "trials", kSecond[] = "second order",
                      kTraining[] = "training", kSharding[] = "sharding";

// Where a method stands on the surface after a step; step 0 is the start.
struct PathRow {
  static constexpr char kTable[] = "path";
  std::string method;
  int64_t step = 0;
  double x = 0, y = 0, height = 0;
};
void visit_fields(RowOf<PathRow> auto& row, auto&& visit) {
  visit(Field{"method", "an optimizer, or Newton's method"}, row.method);
  visit(Field{"step", "0 is the start"}, row.step);
  visit(Field{"x", "first weight"}, row.x);
  visit(Field{"y", "second weight"}, row.y);
  visit(Field{"height", "of the surface, the loss"}, row.height);
}

// What came of a method on a surface.
struct EndRow {
  static constexpr char kTable[] = "ends";
  std::string surface, method;
  double rate = 0, first = 0, last = 0;
  int64_t steps = 0;
  std::string stopped = {};
};
void visit_fields(RowOf<EndRow> auto& row, auto&& visit) {
  visit(Field{"surface", "which"}, row.surface);
  visit(Field{"method", "an optimizer, or Newton's method"}, row.method);
  visit(Field{"rate", "learning rate, the best of those tried; Newton: 1"}, row.rate);
  visit(Field{"first", "height at the start"}, row.first);
  visit(Field{"last", "height at the end; noisy: mean of the last tenth"}, row.last);
  visit(Field{"steps", "until the height was within 1e-9 of its last one"}, row.steps);
  visit(Field{"stopped", "by an error; empty: it was not"}, row.stopped);
}

// What a rule does with a weight in a trial: kConstant, kUncorrected, kFirst or kDecay.
struct TrialRow {
  static constexpr char kTable[] = "trials";
  std::string trial, rule;
  double at = 0, value = 0;
};
void visit_fields(RowOf<TrialRow> auto& row, auto&& visit) {
  visit(Field{"trial", "what was tried"}, row.trial);
  visit(Field{"rule", "of the update"}, row.rule);
  visit(Field{"at", "the step, or the size of the gradient"}, row.at);
  visit(Field{"value", "length of a step in learning rates, or % of the weight that is gone"}, row.value);
}
inline constexpr char kConstant[] = "constant",  // the gradient is 1 in every step
    kUncorrected[] = "uncorrected",              // the same, m / sqrt(v) of Adam's state
    kFirst[] = "first",                          // the first step at a gradient
    kDecay[] = "decay";                          // a weight of 1; the gradient changes its sign in every step
inline constexpr double kSmallGradient = 0.1, kLargeGradient = 10;  // of kDecay

// A network's exact Hessian, stored. Bytes are those that the allocator handed out.
struct HessianRow {
  static constexpr char kTable[] = "hessians";
  int64_t parameters = 0, hessian = 0;
};
void visit_fields(RowOf<HessianRow> auto& row, auto&& visit) {
  visit(Field{"parameters", "n"}, row.parameters);
  visit(Field{"hessian", "its bytes", "bytes"}, row.hessian);
}

// A pass of the classifier; peak: of live bytes, beside the parameters, as the allocator saw it.
struct PassRow {
  static constexpr char kTable[] = "passes";
  std::string pass;
  double ms = 0, times = 0;
  int64_t peak = 0;
};
void visit_fields(RowOf<PassRow> auto& row, auto&& visit) {
  visit(Field{"pass", "which"}, row.pass);
  visit(Field{"ms", "median time"}, row.ms);
  visit(Field{"backward passes", "that take as long"}, row.times);
  visit(Field{"peak of memory", "beside the parameters", "bytes"}, row.peak);
}

// Where the classifier trains well: learning rates at which the loss falls at least 80 % of what it falls at
// the best one tried (train/rate_sweep.h). All 0: it falls at none.
struct GoodRow {
  static constexpr char kTable[] = "good rates";
  std::string rule;
  double from = 0, to = 0, best = 0, loss = 0;
  double decades() const { return std::log10(to / from); }
};
void visit_fields(RowOf<GoodRow> auto& row, auto&& visit) {
  visit(Field{"rule", "of the update"}, row.rule);
  visit(Field{"from", "the lowest good learning rate"}, row.from);
  visit(Field{"to", "the highest"}, row.to);
  visit(Field{"best", "the best"}, row.best);
  visit(Field{"loss", "of held-out samples at the best"}, row.loss);
}

// A step of the race: each rule at its best rate, in turns.
struct RaceRow {
  static constexpr char kTable[] = "race";
  std::string rule;
  int64_t step = 0;
  double loss = 0, ms = 0;
};
void visit_fields(RowOf<RaceRow> auto& row, auto&& visit) {
  visit(Field{"rule", "of the update"}, row.rule);
  visit(Field{"step", "1 is the first"}, row.step);
  visit(Field{"loss", "of the batch"}, row.loss);
  visit(Field{"ms", "of the step", "ms"}, row.ms);
}

// What the optimizer of a training kept, and what it sent when two ranks shared it.
struct StateRow {
  static constexpr char kTable[] = "state";
  std::string rule, sees = {}, refused = {};
  double declared = 0, counted = 0, sent = 0;
  bool same_bits = false;
};
void visit_fields(RowOf<StateRow> auto& row, auto&& visit) {
  visit(Field{"rule", "of the update"}, row.rule);
  visit(Field{"an update sees", "what it has to have whole"}, row.sees);
  visit(Field{"declared", "state of a parameter in fp32", "bytes"}, row.declared);
  visit(Field{"counted", "the same, by the allocator", "bytes"}, row.counted);
  visit(Field{"stage 1 sends", "of what stage 0 sends; 0: it refuses"}, row.sent);
  visit(Field{"same bits", "stage 1 ended with stage 0's parameters"}, row.same_bits);
  visit(Field{"refused", "why stage 1 would not have it; empty: it has"}, row.refused);
}
inline constexpr char kElement[] = "an element";

}  // namespace ringside::optimizers_lesson
