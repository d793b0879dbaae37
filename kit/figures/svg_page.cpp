#include "svg_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ringside/base/text.h"
#include "ringside/figures/svg.h"
#include "ringside/lesson/tr.h"
#include "text_parts.h"

namespace ringside::figure {
namespace {

constexpr size_t kSvgPoints = 20'000;

std::string hex(uint32_t rgb) { return fmt::format("#{:06x}", rgb); }

std::string px(double value) {
  std::string text = fmt::format("{:.2f}", std::abs(value) < 0.005 ? 0.0 : value);
  text.resize(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string stroke_attributes(const StrokeLook& look) {
  const std::string dash = *look.dash == 0 ? "" : fmt::format(" stroke-dasharray=\"{}\"", look.dash);
  return fmt::format("stroke=\"{}\" stroke-width=\"{}\"{}", hex(look.colour), px(look.width), dash);
}

}  // namespace

void SvgPage::reach(double right, double bottom) {
  width_ = std::max(width_, right + kMargin);
  bottom_ = std::max(bottom_, bottom);
}

void SvgPage::rect(const Rect& r, uint32_t fill) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", px(r.x), px(r.y),
                       px(std::max(r.width, 0.0)), px(std::max(r.height, 0.0)), hex(fill));
  reach(r.right(), r.bottom());
}

void SvgPage::outline(const Rect& r, const StrokeLook& look) {
  body_ +=
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" {}/>\n", px(r.x), px(r.y),
                  px(std::max(r.width, 0.0)), px(std::max(r.height, 0.0)), stroke_attributes(look));
  reach(r.right(), r.bottom());
}

void SvgPage::line(double x0, double y0, double x1, double y1, const StrokeLook& look) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", px(x0), px(y0), px(x1), px(y1),
                       stroke_attributes(look));
  reach(std::max(x0, x1), std::max(y0, y1));
}

void SvgPage::arrow(double x0, double y0, double x1, double y1, const StrokeLook& look) {
  line(x0, y0, x1, y1, look);
  const double angle = std::atan2(y1 - y0, x1 - x0);
  constexpr double kHead = 7, kOpening = 0.45;
  std::string d;
  for (const double side : {-kOpening, kOpening})
    d += step('M', x1, y1) +
         step('L', x1 - kHead * std::cos(angle + side), y1 - kHead * std::sin(angle + side));
  path(d, {look.colour, look.width});
}

void SvgPage::path(const std::string& d, const StrokeLook& look) {
  if (d.empty()) return;
  body_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke-linejoin=\"round\" {}/>\n", d,
                       stroke_attributes(look));
}

void SvgPage::dot(double x, double y, double radius, uint32_t fill) {
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n", px(x), px(y), px(radius),
                       hex(fill));
}

void SvgPage::text(double x, double y, std::string_view words, const TextLook& look) {
  if (words.empty()) return;
  body_ +=
      fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\" text-anchor=\"{}\"{}{}>{}</text>\n",
                  px(x), px(y), px(look.size), hex(look.colour), look.anchor,
                  look.mono ? " font-family=\"'DejaVu Sans Mono', monospace\" xml:space=\"preserve\"" : "",
                  look.bold ? " font-weight=\"600\"" : "", as_markup(clean(words)));
  reach(0, y + look.size * 0.3);
}

void SvgPage::legend(const std::vector<Key>& keys) {
  double x = kMargin, y = bottom_ + kLine;
  for (const Key& key : keys) {
    if (key.name.empty()) continue;
    const double wide = 28 + width_of(key.name, 12) + 16;
    if (x > kMargin && x + wide > width_) x = kMargin, y += kLine;
    if (key.line) {
      line(x, y - 4, x + 20, y - 4, {key.colour, 2, key.dash});
    } else {
      rect({x + 6, y - 10, 12, 12}, key.colour);
    }
    text(x + 26, y, key.name, dim());
    x += wide;
  }
}

void SvgPage::note(const std::string& words) { text(kMargin, bottom_ + kLine, words, dim()); }

std::string SvgPage::step(char letter, double x, double y) {
  return fmt::format("{}{} {}", letter, px(x), px(y));
}

double SvgPage::width_of(std::string_view words, double size) {
  return 0.6 * size * double(ringside::columns(words));
}

std::string SvgPage::cut_to(std::string_view words, double width, double size) {
  return cut(words, size_t(std::max(0.0, width / (0.6 * size))));
}

std::string SvgPage::document(const std::string& title) const {
  const std::string width = px(width_), height = px(bottom_ + kMargin);
  return fmt::format(
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
             "font-family=\"'DejaVu Sans', Verdana, sans-serif\">\n"
             "<title>{2}</title>\n<rect width=\"{0}\" height=\"{1}\" fill=\"{3}\"/>\n",
             width, height, as_markup(clean(title)), hex(colours.background)) +
         body_ + "</svg>\n";
}

uint32_t mix(uint32_t a, uint32_t b, double part) {
  uint32_t mixed = 0;
  for (int shift = 0; shift < 24; shift += 8) {
    const double from = a >> shift & 0xFF, to = b >> shift & 0xFF;
    mixed |= uint32_t(std::lround(from + (to - from) * part)) << shift;
  }
  return mixed;
}

uint32_t text_on(uint32_t fill) {
  const double light = 0.299 * (fill >> 16 & 0xFF) + 0.587 * (fill >> 8 & 0xFF) + 0.114 * (fill & 0xFF);
  return light > 140 ? 0x000000 : 0xFFFFFF;
}

void put_x_ticks(SvgPage& page, const Rect& at, const Axis& axis, Range range, bool whole) {
  const Extent extent = [](std::string_view label) { return float(SvgPage::width_of(label, 12)); };
  for (const Tick& tick : ticks_of(range, tick_unit(axis, whole), float(at.width), 12, extent, axis.log)) {
    if (tick.label.empty()) continue;
    const double x = at.x + double(tick.at);
    page.line(x, at.y, x, at.bottom(), {page.colours.raised});
    page.text(at.x + double(tick.label_at), at.bottom() + 16, tick.label, page.dim());
  }
  page.text(at.right(), at.bottom() + 33, axis_title(axis), page.dim("end"));
}

SvgFrame put_frame(SvgPage& page, const Axis& x_axis, Range x, const Axis& y_axis, Range y, double height,
                   bool x_whole, bool y_whole) {
  const auto one = [](std::string_view) { return 14.0f; };
  const auto ticks = ticks_of(y, tick_unit(y_axis, y_whole), float(height), 12, one, y_axis.log);
  double gutter = 0;
  for (const Tick& tick : ticks) gutter = std::max(gutter, SvgPage::width_of(tick.label, 12));
  const double top = page.bottom() + 24, left = SvgPage::kMargin + gutter + 8;
  const SvgFrame frame{
      {left, top, page.width() - SvgPage::kMargin - left, height}, x, y, x_axis.log, y_axis.log};
  page.text(SvgPage::kMargin, top - 10, axis_title(y_axis), page.dim());
  for (const Tick& tick : ticks) {
    if (tick.label.empty()) continue;
    const double at = frame.at.bottom() - double(tick.at);
    page.line(left, at, frame.at.right(), at, {page.colours.raised});
    page.text(left - 8, at + 4, tick.label, page.dim("end"));
  }
  put_x_ticks(page, frame.at, x_axis, x, x_whole);
  page.outline(frame.at, {page.colours.line});
  return frame;
}

void add_svg(SvgPage& page, const Nothing& nothing) { page.note(nothing.why); }

std::string to_svg(const std::string& title, const std::string& sentence, const Value& value,
                   const SvgLook& look) {
  const Thinned shown = thinned(value, kSvgPoints);
  SvgPage page(look.width, rgb_of(look.mode));
  TextLook head = page.plain();
  head.size = 16, head.bold = true;
  page.text(SvgPage::kMargin, page.bottom() + 16, title, head);
  if (!sentence.empty() && sentence != title) {
    const auto wide = size_t(page.inner_width() / (0.55 * SvgPage::kFont));
    std::string wrapped = wrap(clean(sentence), wide, 0);
    for (size_t at = 0; at < wrapped.size();) {
      const size_t end = std::min(wrapped.find('\n', at), wrapped.size());
      page.text(SvgPage::kMargin, page.bottom() + SvgPage::kLine, wrapped.substr(at, end - at), page.plain());
      at = end + 1;
    }
  }
  const std::string unfit = why_unfit(shown.value);
  if (!unfit.empty()) {
    page.note(tr("This figure cannot be shown: {}.", unfit));
  } else {
    std::visit([&](const auto& kind) { add_svg(page, kind); }, shown.value);
  }
  if (shown.left_out > 0) page.note(tr("{} points are left out", shown.left_out));
  return page.document(title);
}

}  // namespace ringside::figure
