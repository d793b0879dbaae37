// What one frame of a plot hands from step to step.
#pragma once

#include <deque>

#include "line_strokes.h"

namespace ringside::ui {

struct LinePlot::Frame {
  std::string id;
  Rect all;
  std::span<const Series> series;
  const Options& options;
  ImDrawList* list;
  std::deque<SpanCurve> spans{};
  std::vector<const Curve*> curves{};  // one a series
  PlotArea area{};
  float top = 0;  // below the rows above the plot
  std::vector<Tick> x_ticks{}, y_ticks{};
  Drawn drawn{};
};

}  // namespace ringside::ui
