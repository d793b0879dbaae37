// An SVG page that grows with what is put on it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kinds.h"
#include "ringside/figures/axis.h"
#include "ringside/figures/compute.h"
#include "ringside/figures/palette.h"

namespace ringside::figure {

// Places are in pixels from the page's top left.
struct Rect {
  double x = 0, y = 0, width = 0, height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

struct TextLook {
  uint32_t colour = 0;
  double size = 13;
  const char* anchor = "start";  // or "middle", "end"
  bool mono = false, bold = false;
};

struct StrokeLook {
  uint32_t colour = 0;
  double width = 1;
  const char* dash = "";  // "4 3"
};

class SvgPage {
 public:
  static constexpr double kMargin = 16, kLine = 20, kFont = 13;

  SvgPage(double width, const Rgb& rgb) : colours(rgb), width_(width), bottom_(kMargin) {}
  const Rgb& colours;
  uint32_t of(Ink ink) const { return rgb_of(colours, ink); }
  double width() const { return width_; }
  double bottom() const { return bottom_; }  // of what stands so far
  void reach(double right, double bottom);   // the page goes at least so far
  double inner_width() const { return width_ - 2 * kMargin; }

  void rect(const Rect& rect, uint32_t fill);
  void outline(const Rect& rect, const StrokeLook& look);
  void line(double x0, double y0, double x1, double y1, const StrokeLook& look);
  void arrow(double x0, double y0, double x1, double y1, const StrokeLook& look);
  void path(const std::string& d, const StrokeLook& look);  // "M 1 2 L 3 4"
  void dot(double x, double y, double radius, uint32_t fill);
  void text(double x, double y, std::string_view text, const TextLook& look);  // y: its base line
  TextLook plain(const char* anchor = "start") const { return {.colour = colours.text, .anchor = anchor}; }
  TextLook dim(const char* anchor = "start", double size = 12) const {
    return {.colour = colours.dim, .size = size, .anchor = anchor};
  }
  // Names and the colours they stand for, in a row below everything; wrapped.
  struct Key {
    std::string name;
    uint32_t colour;
    const char* dash = "";
    bool line = false;
  };
  void legend(const std::vector<Key>& keys);
  void note(const std::string& text);  // a line below everything

  // "M" or "L" and a place.
  static std::string step(char letter, double x, double y);
  static double width_of(std::string_view text, double size = kFont);  // about
  static std::string cut_to(std::string_view text, double width, double size = kFont);
  std::string document(const std::string& title) const;

 private:
  double width_, bottom_;
  std::string body_;
};

uint32_t mix(uint32_t a, uint32_t b, double part);  // a at 0, b at 1
uint32_t text_on(uint32_t fill);                    // black or white

// The frame of a plot: axes with ticks, and where values lie in it.
struct SvgFrame {
  Rect at;
  Range x, y;
  bool log_x = false, log_y = false;
  double px(double value) const { return at.x + at.width * position_of(value, x, log_x); }
  double py(double value) const { return at.bottom() - at.height * position_of(value, y, log_y); }
};
SvgFrame put_frame(SvgPage& page, const Axis& x_axis, Range x, const Axis& y_axis, Range y, double height,
                   bool x_whole = false, bool y_whole = false);
// Ticks below `at`, with hairlines through it, and the axis' name; 36 pixels.
void put_x_ticks(SvgPage& page, const Rect& at, const Axis& axis, Range range, bool whole = false);

}  // namespace ringside::figure
