// A figure of each kind, as a lesson might have it.
#pragma once

#include <cmath>

#include "ringside/lesson/figure.h"

namespace ringside::figure::samples {

inline Lines lines() {
  Lines v{{"step", ""}, {"loss", ""}, {}};
  Line loss{"trained", Ink::kParameters, Stroke::kMeasured, {}},
      rule{"1 / step", Ink::kGradients, Stroke::kFormula, {}};
  for (int i = 1; i <= 40; ++i) {
    loss.points.push_back({double(i), i == 20 ? kNone : 1.0 / i + 0.1});
    rule.points.push_back({double(i), 1.0 / i});
  }
  v.lines = {loss, rule};
  v.bands = {{"warm-up", 1, 10}};
  v.marks = {{"target", 0.5, false}};
  return v;
}

inline Bars bars() {
  Bars v{{"memory", "bytes"},
         {{"parameters", Ink::kParameters}, {"gradients", Ink::kGradients}, {"optimizer", Ink::kOptimizer}},
         {}};
  v.rows = {{"stage 0", {2097152, 2097152, 12582912}, "16Ψ"},
            {"stage 1", {2097152, 2097152, 3145728}, "4Ψ + 12Ψ/N"},
            {"not run", {kNone, kNone, kNone}}};
  v.limit = Mark{"the limit", 8388608};
  return v;
}

inline Matrix matrix() {
  using State = MatrixCell::State;
  return {"from",
          "to",
          "bytes",
          {"rank 0", "rank 1"},
          {"rank 0", "rank 1", "rank 2"},
          {{State::kEmpty},
           {State::kValue, 1024},
           {State::kValue, 4096},
           {State::kSame},
           {State::kDifferent},
           {State::kWrong, kNone, "lost"}}};
}

inline Contours contours() {
  Contours v{{"w0", "", false, -2, 2}, {"w1", "", false, -1, 1}, 41, 21, {}, {}, {}};
  for (size_t r = 0; r < v.rows; ++r)
    for (size_t c = 0; c < v.columns; ++c) {
      const double x = -2 + 0.1 * double(c), y = -1 + 0.1 * double(r);
      v.heights.push_back(x * x + 10 * y * y + 0.01);
    }
  v.paths = {{"SGD", Ink::kAccent, {{-1.8, 0.9}, {-1.4, -0.5}, {-1.0, 0.3}, {-0.6, -0.1}, {0, 0}}},
             {"Adam", Ink::kGradients, {{1.8, 0.9}, {1.2, 0.5}, {0.5, 0.1}, {0.1, 0}}}};
  return v;
}

inline Boxes boxes() {
  Boxes v;
  v.rows = {{"storage",
             {{"0", Ink::kParameters, 1},
              {"1", Ink::kParameters, 1},
              {"2", Ink::kGradients, 1},
              {"3", Ink::kGradients, 1}},
             "32 B"},
            {"view [2:]",
             {{"", Ink::kOther, 2, false}, {"2", Ink::kGradients, 1}, {"3", Ink::kGradients, 1}},
             "same storage"}};
  v.links = {{{1, 1}, {0, 2}, "offset 2"}};
  return v;
}

inline Lanes lanes() {
  Lanes v{{"time", "s"}, {"rank 0", "rank 1"}, {}};
  v.items = {{0, 0, 0.010, "forward", Ink::kParameters},
             {0, 0.010, 0.020, "", Ink::kOther, false},
             {1, 0, 0.019, "forward", Ink::kParameters},
             {1, 0.0195, kNone, "send", Ink::kGradients}};
  v.arrows = {{1, 0, 0.0195, 0.020, "push"}, {0, 1, 0.012, 0.014, "pull", true}};
  return v;
}

inline Graph graph() {
  return {{{"loss", "1 element", Ink::kText},
           {"NllLoss", "", Ink::kGradients, true},
           {"LogSoftmax", "saves 400 B", Ink::kGradients},
           {"Addmm", "saves input", Ink::kGradients},
           {"weight", "leaf", Ink::kParameters},
           {"bias", "leaf", Ink::kParameters}},
          {{0, 1}, {1, 2}, {2, 3}, {3, 4, "mat2"}, {3, 5, "self"}, {2, 5}}};
}

inline Listing listing() {
  return {{{"def f():", ""},
           {"    yield 1", "1"},
           {"    return iter(range(10))", "StopIteration(<range_iterator>)"}},
          2};
}

inline Table table() {
  return {{{"station"}, {"time", "s", true}, {"calls", "", true}},
          {{{"__add__"}, {"1.2 µs", 1.2e-6}, {"", 1000}}, {{"redispatch"}, {"0.3 µs", 3e-7}, {"", 12}}},
          {1}};
}

inline std::vector<std::pair<std::string, Value>> all() {
  return {{"lines", lines()},   {"bars", bars()},
          {"matrix", matrix()}, {"contours", contours()},
          {"boxes", boxes()},   {"lanes", lanes()},
          {"graph", graph()},   {"listing", listing()},
          {"table", table()},   {"nothing", Nothing{"The first step has not ended."}}};
}

}  // namespace ringside::figure::samples
