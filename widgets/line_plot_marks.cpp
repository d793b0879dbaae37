// What a plot says of its axes: stretches of x, and places on either axis.
#include <algorithm>
#include <cmath>

#include "line_plot_frame.h"

namespace ringside::ui {
namespace {

struct Columns {
  float low, high;
};
// What of the band is seen. A log axis has no place for zero: such a band begins at its left end.
std::optional<Columns> place_of(const PlotArea& area, const LinePlot::Band& band) {
  const double from = area.column(band.from), to = area.column(band.to);
  const double low = std::isnan(from) && std::isfinite(band.from) ? area.rect.min.x : from;
  const auto within = [&](double x) {
    return static_cast<float>(std::clamp<double>(x, area.rect.min.x, area.rect.max.x));
  };
  if (std::isnan(low) || std::isnan(to) || !(within(to) > within(low))) return std::nullopt;
  return Columns{within(low), within(to)};
}

}  // namespace

// Behind everything else.
void LinePlot::bands(Frame& f) {
  const Rect& plot = f.area.rect;
  for (const Band& band : f.options.bands) {
    if (const auto place = place_of(f.area, band))
      f.list->AddRectFilled({place->low, plot.min.y}, {place->high, plot.max.y}, fade(colours().line, 0.55f));
  }
}

// At the top, where there is room.
void LinePlot::name_bands(Frame& f) {
  const Rect& plot = f.area.rect;
  const float height = line_height(Type::kLabel);
  for (const Band& band : f.options.bands) {
    const auto place = place_of(f.area, band);
    if (!place || plot.height() < 4 * height) continue;
    const std::string name = elide(band.name, place->high - place->low - px(8), Type::kLabel);
    const float width = text_width(Type::kLabel, name), left = (place->low + place->high - width) / 2;
    const Rect words{{left, plot.min.y + px(2)}, {left + width, plot.min.y + px(2) + height}};
    if (name.empty() || !f.free(words)) continue;
    draw_text(*f.list, words.min, colours().dim, name);
    f.taken.push_back(words);
  }
}

// A dashed line from edge to edge; its name stands beside it where there is room.
void LinePlot::marks(Frame& f) {
  const Rect& plot = f.area.rect;
  const float height = line_height(Type::kLabel);
  for (const Mark& mark : f.options.marks) {
    const double place = mark.on_x ? f.area.column(mark.at) : f.area.row(mark.at);
    const float at = std::floor(static_cast<float>(place));
    const bool inside = mark.on_x ? at >= plot.min.x - 1 && at <= plot.max.x + 1
                                  : at >= plot.min.y - 1 && at <= plot.max.y + 1;
    if (!std::isfinite(place) || !inside) continue;
    if (mark.on_x)
      dashed_line(*f.list, {at, plot.min.y}, {at, plot.max.y}, colours().dim);
    else
      dashed_line(*f.list, {plot.min.x, at}, {plot.max.x, at}, colours().dim);
    const std::string name = elide(mark.name, plot.width() / 2, Type::kLabel);
    const float width = text_width(Type::kLabel, name);
    if (name.empty() || plot.height() < 4 * height) continue;
    std::vector<ImVec2> corners;  // the first free one
    if (mark.on_x) {
      for (float y = plot.min.y + px(2); y < plot.min.y + 4 * height; y += height + px(2))
        corners.insert(corners.end(), {{at + px(4), y}, {at - px(4) - width, y}});
    } else {
      for (const float x : {plot.min.x + px(4), plot.max.x - width - px(4)})
        corners.insert(corners.end(), {{x, at - height - px(1)}, {x, at + px(2)}});
    }
    for (const ImVec2 corner : corners) {
      const Rect words{corner, {corner.x + width, corner.y + height}};
      if (words.min.x < plot.min.x || words.max.x > plot.max.x || words.min.y < plot.min.y ||
          words.max.y > plot.max.y || !f.free(words))
        continue;
      f.list->AddRectFilled({words.min.x - px(2), words.min.y}, {words.max.x + px(2), words.max.y},
                            colours().panel, px(2));
      draw_text(*f.list, corner, colours().text, name);
      f.taken.push_back(words);
      break;
    }
  }
}

}  // namespace ringside::ui
