// A row a lane: █ where it works, ░ where it waits, ▶ where it has not ended.
#include <algorithm>
#include <cmath>

#include "ringside/base/text.h"
#include "ringside/lesson/tr.h"
#include "text_parts.h"

namespace ringside::figure {
namespace {

void put_item(Canvas& canvas, const Lanes& lanes, const LaneItem& item, Range range) {
  const bool open = std::isnan(item.to);
  const double from = std::max(item.from, range.low), to = open ? range.high : std::min(item.to, range.high);
  const auto a = column_of(from, range, lanes.at.log, canvas.columns()),
             b = column_of(to, range, lanes.at.log, canvas.columns());
  if (!a || !b || *b < *a) return;
  for (size_t i = *a; i <= *b; ++i)
    canvas.put(i, 0, !item.filled ? "░" : i == *a && *b > *a ? "▐" : "█", item.ink);
  const size_t length = *b - *a + 1;
  if (const std::string name = clean(item.name); !name.empty() && columns(name) + 2 <= length)
    canvas.write(*a + 1, 0, name);
  if (open) canvas.put(*b, 0, "▶", item.ink);
}

}  // namespace

void add_text(TextBlock& text, const Lanes& lanes) {
  const Range range = range_of(lanes);
  const Unit unit = unit_of(lanes.at.unit);
  size_t names = 0;
  for (const std::string& lane : lanes.lanes) names = std::max(names, columns(cut(lane, text.width / 4)));
  const size_t shown = std::min(lanes.lanes.size(), kMostRows), wide = text.width - names - 2;
  std::vector<Canvas> rows(shown, Canvas(wide, 1));
  for (const LaneItem& item : lanes.items)
    if (item.lane < shown) put_item(rows[item.lane], lanes, item, range);
  for (size_t i = 0; i < shown; ++i)
    text.line(pad(cut(lanes.lanes[i], names), names) + "  " + rows[i].line(0, text.colour));
  text.more(lanes.lanes.size() - shown, tr("lanes"));
  text.line(tick_line(lanes.at, range, wide, names + 2, is_whole(lanes)));
  if (const std::string title = axis_title(lanes.at); !title.empty())
    text.line(pad_left(cut(title, text.width), text.width));
  if (std::ranges::any_of(lanes.items, [](const LaneItem& item) { return !item.filled; }))
    text.line(std::string(names + 2, ' ') + tr("░ waits"));
  const size_t arrows = std::min(lanes.arrows.size(), kMostNotes);
  for (size_t i = 0; i < arrows; ++i) {
    const LaneArrow& arrow = lanes.arrows[i];
    const std::string name = arrow.name.empty() ? "" : "  " + clean(arrow.name);
    text.wrapped(cut(lanes.lanes[arrow.from_lane], 24) + " → " + cut(lanes.lanes[arrow.to_lane], 24) + name +
                     "  " + format_alone(arrow.from, unit) + " – " + format_alone(arrow.to, unit) +
                     (arrow.lost ? tr(" (lost)") : ""),
                 names + 2);
  }
  text.more(lanes.arrows.size() - arrows, tr("arrows"));
}

}  // namespace ringside::figure
