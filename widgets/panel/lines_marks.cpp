// What lines say of their axes: stretches of x, and places on either axis.
#include <algorithm>
#include <cmath>

#include "figure_lines.h"

namespace ringside {
namespace {

using ui::px;
using ui::Type;

struct Columns {
  float low, high;
};
// What of the band is seen. A log axis has no place for zero: such a band begins at its left end.
std::optional<Columns> place_of(const PlotArea& area, const figure::Band& band) {
  const double from = area.column(band.from), to = area.column(band.to);
  const double low = std::isnan(from) && std::isfinite(band.from) ? area.rect.min.x : from;
  const auto within = [&](double x) {
    return float(std::clamp<double>(x, area.rect.min.x, area.rect.max.x));
  };
  if (std::isnan(low) || std::isnan(to) || !(within(to) > within(low))) return std::nullopt;
  return Columns{within(low), within(to)};
}

}  // namespace

// Behind everything else.
void LinesDrawing::bands() {
  const ui::Rect& plot = area_.rect;
  for (const figure::Band& band : value_->bands) {
    if (const auto place = place_of(area_, band))
      list_->AddRectFilled({place->low, plot.min.y}, {place->high, plot.max.y},
                           ui::fade(ui::colours().line, 0.55f));
  }
}

// At the top, where there is room.
void LinesDrawing::name_bands(PlacedWords& words) {
  const ui::Rect& plot = area_.rect;
  for (const figure::Band& band : value_->bands) {
    const auto place = place_of(area_, band);
    if (!place || plot.height() < 4 * ui::line_height()) continue;
    const std::string name = ui::elide(band.name, place->high - place->low - px(8));
    const float left = (place->low + place->high - ui::text_width(name)) / 2;
    words.put(*list_, {left, plot.min.y + px(2)}, name, ui::colours().dim, false);
  }
}

// A dashed line from edge to edge; its name stands beside it where there is room.
void LinesDrawing::marks(PlacedWords& words) {
  const ui::Rect& plot = area_.rect;
  const float height = ui::line_height();
  for (const figure::Mark& mark : value_->marks) {
    const double place = mark.on_x ? area_.column(mark.at) : area_.row(mark.at);
    const float at = std::floor(float(place));
    const bool inside = mark.on_x ? at >= plot.min.x - 1 && at <= plot.max.x + 1
                                  : at >= plot.min.y - 1 && at <= plot.max.y + 1;
    if (!std::isfinite(place) || !inside) continue;
    if (mark.on_x)
      ui::dashed_line(*list_, {at, plot.min.y}, {at, plot.max.y}, ui::colours().dim);
    else
      ui::dashed_line(*list_, {plot.min.x, at}, {plot.max.x, at}, ui::colours().dim);
    const std::string name = ui::elide(mark.name, plot.width() / 2);
    const float width = ui::text_width(name);
    if (plot.height() < 4 * height) continue;
    std::vector<ImVec2> corners;  // the first free one
    if (mark.on_x) {
      for (float y = plot.min.y + px(2); y < plot.min.y + 4 * height; y += height + px(2))
        corners.insert(corners.end(), {{at + px(4), y}, {at - px(4) - width, y}});
    } else {
      for (const float x : {plot.min.x + px(4), plot.max.x - width - px(4)})
        corners.insert(corners.end(), {{x, at - height - px(1)}, {x, at + px(2)}});
    }
    words.put_at_one(*list_, corners, name, ui::colours().text);
  }
}

}  // namespace ringside
