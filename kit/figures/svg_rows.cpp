// Bars, boxes and lanes as SVG: rows with a name each.
#include <algorithm>
#include <cmath>

#include "svg_page.h"
#include "text_parts.h"

namespace ringside::figure {
namespace {

constexpr double kRowHeight = 26, kBarHeight = 18, kMostNames = 220;

// The columns of names, pictures and words.
struct RowPlaces {
  double left, width, word;
  double x_of(double value, Range range, bool log) const {
    const double at = position_of(value, range, log);
    return left + width * (std::isfinite(at) ? std::clamp(at, 0.0, 1.0) : 0);
  }
};
RowPlaces places_of(const SvgPage& page, double names, double words) {
  const double left = SvgPage::kMargin + std::min(names, kMostNames) + 10,
               gap = words > 0 ? std::min(words, page.width() / 3) + 10 : 0;
  const double width = std::max(120.0, page.width() - SvgPage::kMargin - left - gap);
  return {left, width, left + width + 10};
}

void put_name(SvgPage& page, double y, const RowPlaces& places, std::string_view name) {
  page.text(places.left - 10, y + kBarHeight - 4, SvgPage::cut_to(name, kMostNames), page.plain("end"));
}

// Filled, or dashed; with words inside it, where they fit.
void put_block(SvgPage& page, const Rect& at, Ink ink, bool filled, bool outlined, std::string_view words) {
  if (filled) page.rect(at, page.of(ink));
  if (outlined) page.outline(at, {filled ? page.colours.background : page.of(ink), 1, filled ? "" : "3 2"});
  if (SvgPage::width_of(words, 12) + 6 > at.width) return;
  page.text(at.x + at.width / 2, at.y + at.height - 5, words,
            {.colour = filled ? text_on(page.of(ink)) : page.colours.text, .size = 12, .anchor = "middle"});
}

std::string word_of_row(const Bars& bars, const BarRow& row) {
  const std::string number = format_alone(total_of(row), unit_of(bars.value.unit));
  const bool shares = bars.stacked && bars.value.unit == "%" && !row.word.empty();  // they make 100 %
  if (shares || (!bars.stacked && bars.parts.size() > 1)) return row.word;
  return row.word.empty() ? number : number + "  " + row.word;
}

}  // namespace

void add_svg(SvgPage& page, const Bars& bars) {
  double names = 0, words = 0;
  for (const BarRow& row : bars.rows) {
    names = std::max(names, SvgPage::width_of(row.name));
    words = std::max(words, SvgPage::width_of(word_of_row(bars, row)));
  }
  const RowPlaces places = places_of(page, names, words);
  const Range range = range_of(bars);
  const double origin = bars.value.log ? range.low : std::clamp(0.0, range.low, range.high),
               top = page.bottom() + 14;
  const auto x_of = [&](double value) { return places.x_of(value, range, bars.value.log); };
  const bool grouped = !bars.stacked && bars.parts.size() > 1;
  const double row_height = grouped ? 8 + 12 * double(bars.parts.size()) : kRowHeight;
  const Rect all{places.left, top, places.width, row_height * double(bars.rows.size())};
  put_x_ticks(page, all, bars.value, range, is_whole(bars));
  for (size_t r = 0; r < bars.rows.size(); ++r) {
    const BarRow& row = bars.rows[r];
    const double y = top + row_height * double(r) + 4;
    put_name(page, y, places, row.name);
    double at = origin;
    for (size_t i = 0; i < row.values.size(); ++i) {
      const double value = row.values[i];
      if (std::isnan(value)) continue;
      const double end = grouped ? value : (at == origin && bars.value.log ? value : at + value);
      const double from = x_of(grouped ? origin : at), to = x_of(end);
      const double place = grouped ? y + 12 * double(i) : y;
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
    const double y = top + height * double(r);
    put_name(page, y, places, row.name);
    double x = places.left;
    middles.emplace_back();
    for (const Box& box : row.boxes) {
      const Rect at{x, y, box.width * scale, kBarHeight + 2};
      put_block(page, at, box.ink, box.filled, !box.blank, box.text);
      middles.back().push_back(x + at.width / 2);
      x = at.right();
    }
    page.text(places.word, y + kBarHeight - 4, SvgPage::cut_to(row.word, page.width() - places.word),
              page.plain());
  }
  for (const BoxLink& link : boxes.links) {
    const bool down = link.from.row <= link.to.row;
    const double from_y = top + height * double(link.from.row) + (down ? kBarHeight + 2 : 0),
                 to_y = top + height * double(link.to.row) + (down ? 0 : kBarHeight + 2);
    const double from_x = middles[link.from.row][link.from.box], to_x = middles[link.to.row][link.to.box];
    page.arrow(from_x, from_y, to_x, to_y, {page.colours.dim});
    page.text((from_x + to_x) / 2 + 6, (from_y + to_y) / 2 + 4, link.name, page.dim());
  }
}

void add_svg(SvgPage& page, const Lanes& lanes) {
  double names = 0;
  for (const std::string& lane : lanes.lanes) names = std::max(names, SvgPage::width_of(lane));
  const Range range = range_of(lanes);
  const RowPlaces places = places_of(page, names, 0);
  const double top = page.bottom() + 14, height = 36;
  const Rect all{places.left, top, places.width, height * double(lanes.lanes.size())};
  put_x_ticks(page, all, lanes.at, range, is_whole(lanes));
  const auto x_of = [&](double value) { return places.x_of(value, range, lanes.at.log); };
  const auto y_of = [&](size_t lane) { return top + height * double(lane) + 8; };
  for (size_t i = 0; i < lanes.lanes.size(); ++i) put_name(page, y_of(i), places, lanes.lanes[i]);
  for (const LaneItem& item : lanes.items) {
    const double from = x_of(item.from), to = std::isnan(item.to) ? all.right() : x_of(item.to);
    const Rect at{from, y_of(item.lane), std::max(1.0, to - from), kBarHeight + 2};
    put_block(page, at, item.ink, item.filled, true, item.name);
  }
  for (const LaneArrow& arrow : lanes.arrows) {
    const double from_y = y_of(arrow.from_lane) + kBarHeight / 2, to_y = y_of(arrow.to_lane) + kBarHeight / 2;
    const StrokeLook look{page.colours.text, 1.5, arrow.lost ? "4 3" : ""};
    page.arrow(x_of(arrow.from), from_y, x_of(arrow.to), to_y, look);
    page.text((x_of(arrow.from) + x_of(arrow.to)) / 2 + 4, (from_y + to_y) / 2 - 4, arrow.name, page.dim());
  }
}

}  // namespace ringside::figure
