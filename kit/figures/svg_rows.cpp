// Bars, boxes and lanes as SVG: rows with a name each.
#include <algorithm>
#include <cmath>

#include "ringside/lesson/tr.h"
#include "svg_page.h"
#include "text_parts.h"

namespace ringside::figure {
namespace {

constexpr double kRowHeight = 26, kBarHeight = 18, kMostNames = 220;

// The columns of names, pictures and words.
struct RowPlaces {
  double left, width, word;
};
RowPlaces places_of(const SvgPage& page, double names, double words) {
  const double left = SvgPage::kMargin + std::min(names, kMostNames) + 10,
               gap = words > 0 ? std::min(words, page.width() / 3) + 10 : 0;
  const double width = std::max(120.0, page.width() - SvgPage::kMargin - left - gap);
  return {left, width, left + width + 10};
}

void put_name(SvgPage& page, double y, const RowPlaces& places, std::string_view name) {
  TextLook look = page.plain();
  look.anchor = "end";
  page.text(places.left - 10, y + kBarHeight - 4, SvgPage::cut_to(name, kMostNames), look);
}

// Words inside a block, where they fit.
void put_inside(SvgPage& page, const Rect& at, std::string_view words, uint32_t colour) {
  if (SvgPage::width_of(words, 12) + 6 > at.width) return;
  TextLook look{.colour = colour, .size = 12, .anchor = "middle"};
  page.text(at.x + at.width / 2, at.y + at.height - 5, words, look);
}

double total_of(const BarRow& row) {
  double sum = 0;
  for (const double value : row.values) sum += std::isnan(value) ? 0 : value;
  return sum;
}

std::string word_of_row(const Bars& bars, const BarRow& row) {
  const bool none = std::all_of(row.values.begin(), row.values.end(), [](double v) { return std::isnan(v); });
  const std::string number = none ? "—" : format_alone(total_of(row), unit_of(bars.value.unit));
  if (!bars.stacked && bars.parts.size() > 1) return row.word;
  return row.word.empty() ? number : number + "  " + row.word;
}

Range svg_bar_range(const Bars& bars) {
  double least = bars.value.log ? HUGE_VAL : 0, most = 0;
  const auto take = [&](double value) {
    if (std::isnan(value) || (bars.value.log && value <= 0)) return;
    least = std::min(least, bars.value.log ? value / 10 : value);
    most = std::max(most, value);
  };
  for (const BarRow& row : bars.rows) {
    if (bars.stacked) take(total_of(row));
    for (const double value : row.values)
      if (!bars.stacked) take(value);
  }
  if (bars.limit) take(bars.limit->at);
  return range_of(bars.value, least, most);
}

}  // namespace

void add_svg(SvgPage& page, const Bars& bars) {
  double names = 0, words = 0;
  for (const BarRow& row : bars.rows) {
    names = std::max(names, SvgPage::width_of(row.name));
    words = std::max(words, SvgPage::width_of(word_of_row(bars, row)));
  }
  const RowPlaces places = places_of(page, names, words);
  const Range range = svg_bar_range(bars);
  const double origin = bars.value.log ? range.low : std::clamp(0.0, range.low, range.high),
               top = page.bottom() + 14;
  const auto x_of = [&](double value) {
    const double at = position_of(value, range, bars.value.log);
    return places.left + places.width * (std::isfinite(at) ? std::clamp(at, 0.0, 1.0) : 0);
  };
  const bool grouped = !bars.stacked && bars.parts.size() > 1;
  const double row_height = grouped ? 8 + 12 * static_cast<double>(bars.parts.size()) : kRowHeight;
  const Rect all{places.left, top, places.width, row_height * static_cast<double>(bars.rows.size())};
  put_x_ticks(page, all, bars.value, range, is_whole(bars));
  for (size_t r = 0; r < bars.rows.size(); ++r) {
    const BarRow& row = bars.rows[r];
    const double y = top + row_height * static_cast<double>(r) + 4;
    put_name(page, y, places, row.name);
    double at = origin;
    for (size_t i = 0; i < row.values.size(); ++i) {
      const double value = row.values[i];
      if (std::isnan(value)) continue;
      const double end = grouped ? value : (at == origin && bars.value.log ? value : at + value);
      const double from = x_of(grouped ? origin : at), to = x_of(end);
      const double place = grouped ? y + 12 * static_cast<double>(i) : y;
      page.rect({std::min(from, to), place, std::abs(to - from), grouped ? 11 : kBarHeight},
                page.of(bars.parts[i].ink));
      if (!grouped) at = end;
    }
    page.text(places.word, y + kBarHeight - 4,
              SvgPage::cut_to(word_of_row(bars, row), page.width() - places.word), page.plain());
  }
  if (bars.limit) {
    page.line(x_of(bars.limit->at), all.y, x_of(bars.limit->at), all.bottom(), {page.colours.text, 2});
    page.text(x_of(bars.limit->at) + 4, all.y - 2, bars.limit->name, page.dim());
  }
  std::vector<SvgPage::Key> keys;
  for (const BarPart& part : bars.parts) keys.push_back({part.name, page.of(part.ink)});
  if (keys.size() > 1) page.legend(keys);
}

void add_svg(SvgPage& page, const Boxes& boxes) {
  double names = 0, words = 0, widest = 0;
  const auto width_of_row = [](const BoxRow& row) {
    double sum = 0;
    for (const Box& box : row.boxes) sum += box.width;
    return sum;
  };
  for (const BoxRow& row : boxes.rows) {
    names = std::max(names, SvgPage::width_of(row.name));
    words = std::max(words, SvgPage::width_of(row.word));
    widest = std::max(widest, width_of_row(row));
  }
  const RowPlaces places = places_of(page, names, words);
  const double scale = places.width / widest, top = page.bottom() + 14,
               height = boxes.links.empty() ? kRowHeight : 48;
  std::vector<std::vector<double>> middles;  // of each box, on x
  for (size_t r = 0; r < boxes.rows.size(); ++r) {
    const BoxRow& row = boxes.rows[r];
    const double y = top + height * static_cast<double>(r);
    put_name(page, y, places, row.name);
    double x = places.left;
    middles.emplace_back();
    for (const Box& box : row.boxes) {
      const Rect at{x, y, box.width * scale, kBarHeight + 2};
      if (box.filled) page.rect(at, page.of(box.ink));
      if (!box.blank)
        page.outline(at,
                     {box.filled ? page.colours.background : page.of(box.ink), 1, box.filled ? "" : "3 2"});
      put_inside(page, at, box.text, box.filled ? text_on(page.of(box.ink)) : page.colours.text);
      middles.back().push_back(x + at.width / 2);
      x = at.right();
    }
    page.text(places.word, y + kBarHeight - 4, SvgPage::cut_to(row.word, page.width() - places.word),
              page.plain());
  }
  for (const BoxLink& link : boxes.links) {
    const bool down = link.from.row <= link.to.row;
    const double from_y = top + height * static_cast<double>(link.from.row) + (down ? kBarHeight + 2 : 0),
                 to_y = top + height * static_cast<double>(link.to.row) + (down ? 0 : kBarHeight + 2);
    const double from_x = middles[link.from.row][link.from.box], to_x = middles[link.to.row][link.to.box];
    page.arrow(from_x, from_y, to_x, to_y, {page.colours.dim});
    page.text((from_x + to_x) / 2 + 6, (from_y + to_y) / 2 + 4, link.name, page.dim());
  }
}

void add_svg(SvgPage& page, const Lanes& lanes) {
  double names = 0, least = HUGE_VAL, most = -HUGE_VAL;
  for (const std::string& lane : lanes.lanes) names = std::max(names, SvgPage::width_of(lane));
  const auto take = [&](double value) {
    if (std::isnan(value) || (lanes.at.log && value <= 0)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  };
  for (const LaneItem& item : lanes.items) take(item.from), take(item.to);
  for (const LaneArrow& arrow : lanes.arrows) take(arrow.from), take(arrow.to);
  const Range range = range_of(lanes.at, least, most);
  const RowPlaces places = places_of(page, names, 0);
  const double top = page.bottom() + 14, height = 36;
  const Rect all{places.left, top, places.width, height * static_cast<double>(lanes.lanes.size())};
  put_x_ticks(page, all, lanes.at, range, is_whole(lanes));
  const auto x_of = [&](double value) {
    const double at = position_of(value, range, lanes.at.log);
    return places.left + places.width * (std::isfinite(at) ? std::clamp(at, 0.0, 1.0) : 0);
  };
  const auto y_of = [&](size_t lane) { return top + height * static_cast<double>(lane) + 8; };
  for (size_t i = 0; i < lanes.lanes.size(); ++i) put_name(page, y_of(i), places, lanes.lanes[i]);
  for (const LaneItem& item : lanes.items) {
    const double from = x_of(item.from), to = std::isnan(item.to) ? all.right() : x_of(item.to);
    const Rect at{from, y_of(item.lane), std::max(1.0, to - from), kBarHeight + 2};
    if (item.filled) page.rect(at, page.of(item.ink));
    page.outline(at,
                 {item.filled ? page.colours.background : page.of(item.ink), 1, item.filled ? "" : "3 2"});
    put_inside(page, at, item.name, item.filled ? text_on(page.of(item.ink)) : page.colours.text);
  }
  for (const LaneArrow& arrow : lanes.arrows) {
    const double from_y = y_of(arrow.from_lane) + kBarHeight / 2, to_y = y_of(arrow.to_lane) + kBarHeight / 2;
    const StrokeLook look{page.colours.text, 1.5, arrow.lost ? "4 3" : ""};
    page.arrow(x_of(arrow.from), from_y, x_of(arrow.to), to_y, look);
    page.text((x_of(arrow.from) + x_of(arrow.to)) / 2 + 4, (from_y + to_y) / 2 - 4, arrow.name, page.dim());
  }
}

}  // namespace ringside::figure
