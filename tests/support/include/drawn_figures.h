// A figure of each kind, as a lesson would have it, and figures that a lesson should not have but may.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "ringside/lesson/figure.h"

namespace ringside::test {

using NamedFigure = std::pair<std::string, figure::Value>;

inline figure::Lines sample_lines() {
  figure::Lines lines{{"step"}, {"loss"}, {}};
  figure::Line loss{"loss of rank 0", figure::Ink::kParameters, figure::Stroke::kMeasured, {}};
  figure::Line formula{"2e^(−x/12) + 0.3", figure::Ink::kText, figure::Stroke::kFormula, {}};
  for (int i = 0; i <= 60; ++i) {
    const double smooth = 2 * std::exp(-i / 12.0) + 0.3;
    loss.points.push_back({double(i), i == 20 ? figure::kNone : smooth + 0.1 * std::sin(i * 1.7)});
    formula.points.push_back({double(i), smooth});
  }
  figure::Line guess{"your guess", figure::Ink::kAccent, figure::Stroke::kGuess, {{0, 2}, {60, 0.4}}};
  figure::Line dots{"evaluated",
                    figure::Ink::kGradients,
                    figure::Stroke::kDots,
                    {{0, 2.4}, {20, 0.9}, {40, 0.6}, {60, 0.5}}};
  lines.lines = {loss, formula, guess, dots};
  lines.bands = {{"warm-up", 0, 12}, {"cosine decay", 30, 60}};
  lines.marks = {{"checkpoint", 25}, {"as good as before", 1, false}};
  return lines;
}

inline figure::Bars sample_bars(bool stacked) {
  figure::Bars bars{{"memory of a rank", "bytes"}, {}, {}};
  bars.parts = {{"parameters", figure::Ink::kParameters},
                {"gradients", figure::Ink::kGradients},
                {"optimizer", figure::Ink::kOptimizer}};
  const double psi = 4e6;
  bars.rows = {{"stage 0", {2 * psi, 2 * psi, 12 * psi}, "16Ψ"},
               {"stage 1", {2 * psi, 2 * psi, 3 * psi}, "4Ψ + 12Ψ/N"},
               {"stage 2", {2 * psi, 0.5 * psi, 3 * psi}, "2Ψ + 14Ψ/N"},
               {"stage 3", {0.5 * psi, 0.5 * psi, 3 * psi}, "16Ψ/N"}};
  bars.stacked = stacked;
  bars.limit = figure::Mark{"the device has 48 MiB", 48.0 * 1024 * 1024};
  return bars;
}

inline figure::Matrix sample_matrix() {
  figure::Matrix m{"from", "to", "bytes", {"rank 0", "rank 1", "rank 2", "rank 3"}, {"0", "1", "2", "3"}, {}};
  using State = figure::MatrixCell::State;
  for (int r = 0; r < 4; ++r) {
    for (int c = 0; c < 4; ++c) {
      if (r == c)
        m.cells.push_back({});
      else if ((r + 1) % 4 == c)
        m.cells.push_back({State::kValue, 1024.0 * 300 * (r + 1), "", "the ring's next"});
      else
        m.cells.push_back({r == 3 ? State::kDifferent : State::kSame});
    }
  }
  return m;
}

inline figure::Contours sample_contours() {
  figure::Contours c{{"w₀", "", false, -2, 2}, {"w₁", "", false, -1.5, 1.5}, 61, 41, {}};
  for (size_t j = 0; j < c.rows; ++j) {
    for (size_t i = 0; i < c.columns; ++i) {
      const double x = -2 + 4.0 * double(i) / 60, y = -1.5 + 3.0 * double(j) / 40;
      c.heights.push_back(0.05 + (1 - x) * (1 - x) + 4 * (y - x * x / 3) * (y - x * x / 3));
    }
  }
  figure::Path sgd{"SGD", figure::Ink::kGradients, {}}, adam{"AdamW", figure::Ink::kAccent, {}};
  for (int k = 0; k < 20; ++k) {
    sgd.points.push_back(
        {-1.7 + 2.4 * (1 - std::exp(-k / 6.0)), 1.2 * std::exp(-k / 3.0) * std::cos(k * 1.9)});
    adam.points.push_back({-1.7 + 2.7 * k / 20.0, -1.1 + 1.3 * k / 20.0});
  }
  c.paths = {sgd, adam};
  return c;
}

inline figure::Boxes sample_boxes() {
  using figure::Box;
  using figure::Ink;
  figure::Boxes boxes;
  figure::BoxRow storage{"storage", {}, "96 B"};
  for (int i = 0; i < 12; ++i)
    storage.boxes.push_back(
        {std::to_string(i), figure::hue(size_t(i / 4)), 1, true, "byte " + std::to_string(8 * i)});
  figure::BoxRow a{"a", {}, "(3, 4)"}, t{"a.T[1]", {}, "stride 4"}, copy{"a.reshape(-1)", {}, "a view"};
  for (int i = 0; i < 12; ++i) a.boxes.push_back({std::to_string(i), figure::hue(size_t(i / 4))});
  for (int i = 0; i < 12; ++i)
    t.boxes.push_back({i % 4 == 1 ? std::to_string(i) : "",
                       i % 4 == 1 ? figure::hue(size_t(i / 4)) : Ink::kDim, 1, i % 4 == 1});
  copy.boxes = {{"one piece, 12 doubles", Ink::kActivations, 10},
                {"gap", Ink::kDim, 2, false, "nothing lies here"}};
  boxes.rows = {storage, a, t, copy};
  boxes.links = {{{0, 0}, {1, 0}, "the same first byte"},
                 {{1, 5}, {2, 5}},
                 {{1, 9}, {2, 9}},
                 {{2, 1}, {3, 0}, "data_ptr"}};
  return boxes;
}

inline figure::Lanes sample_lanes() {
  using figure::Ink;
  figure::Lanes lanes{{"time", "s"}, {"rank 0", "rank 1", "rank 2", "rank 3"}, {}};
  for (size_t r = 0; r < 4; ++r) {
    const double late = 0.0008 * double(r);
    lanes.items.push_back({r, late, 0.004 + late, "forward", Ink::kParameters});
    lanes.items.push_back({r, 0.004 + late, 0.009, "backward", Ink::kGradients});
    lanes.items.push_back({r, 0.006 + late, 0.0085, "reduce-scatter", Ink::kOptimizer});
    lanes.items.push_back({r, 0.009, r == 2 ? figure::kNone : 0.0115,
                           r == 2 ? "all-gather never ends" : "waits", Ink::kActivations, r == 2});
  }
  lanes.arrows = {{0, 1, 0.0040, 0.0052, "chunk 3"},
                  {1, 2, 0.0050, 0.0064, "chunk 2"},
                  {2, 3, 0.0090, 0.0104, "chunk 1", true},
                  {3, 0, 0.0091, 0.0110, ""}};
  return lanes;
}

inline figure::Graph sample_graph() {
  using figure::Ink;
  figure::Graph g;
  g.nodes = {{"x", "(64, 32)", Ink::kActivations},
             {"weight", "(10, 32)", Ink::kParameters},
             {"bias", "(10,)", Ink::kParameters},
             {"AddmmBackward0", "saves x, weight", Ink::kGradients},
             {"LogSoftmaxBackward0", "saves its result", Ink::kGradients, true},
             {"NllLossBackward0", "saves target", Ink::kGradients},
             {"target", "(64,) int64", Ink::kOther},
             {"loss", "scalar", Ink::kOptimizer}};
  g.edges = {{0, 3}, {1, 3, "transposed"}, {2, 3}, {3, 4}, {4, 5}, {6, 5}, {5, 7}, {0, 7}};
  return g;
}

inline figure::Listing sample_listing() {
  figure::Listing l;
  l.lines = {{"def source():"},
             {"    yield 1", "→ 1"},
             {"    return iter(range(10))", "StopIteration.value"},
             {""},
             {"def outer():"},
             {"\tresult = yield from source()", "<range_iterator>"},
             {"    print(list(result))", "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"},
             {""},
             {"for value in outer():"},
             {"    print(value)", "ran 2 times"}};
  l.current = 5;
  return l;
}

inline figure::Table sample_table() {
  figure::Table t{{{"test"}, {"right", "", true}, {"time", "µs", true}}, {}, {1}};
  t.rows = {{{"data_ptr"}, {"61 of 64", 61}, {"0.11", 0.11}},
            {{"is_alias_of"}, {"52 of 64", 52}, {"0.40", 0.4}},
            {{"write and look"}, {"64 of 64", 64}, {"8.20", 8.2}},
            {{"byte intervals"}, {"58 of 64", 58}, {"0.30", 0.3}}};
  return t;
}

inline std::vector<NamedFigure> sample_figures() {
  return {{"nothing", figure::Nothing{"The first step has not ended."}},
          {"lines", sample_lines()},
          {"bars", sample_bars(true)},
          {"grouped", sample_bars(false)},
          {"matrix", sample_matrix()},
          {"contours", sample_contours()},
          {"boxes", sample_boxes()},
          {"lanes", sample_lanes()},
          {"graph", sample_graph()},
          {"listing", sample_listing()},
          {"table", sample_table()}};
}

}  // namespace ringside::test
