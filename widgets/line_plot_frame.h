// What one frame of a plot hands from step to step.
#pragma once

#include <algorithm>

#include "line_strokes.h"

namespace ringside::ui {

struct LinePlot::Frame {
  std::string id;
  Rect all;
  std::span<const Series> series;
  const Options& options;
  ImDrawList* list;
  PlotArea area{};
  float top = 0;  // below the rows above the plot
  std::vector<Tick> x_ticks{}, y_ticks{};
  std::vector<Rect> taken{};  // where words stand in the plot
  Drawn drawn{};

  bool free(const Rect& r) const {
    return std::ranges::none_of(taken, [&](const Rect& t) { return r.overlaps(t); });
  }
};

}  // namespace ringside::ui
