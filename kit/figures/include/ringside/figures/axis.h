// Axes: where the ticks stand and what is written at them. Pure functions of a
// range, so that a plot, a page of text and a test see the same ones.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::figure {

struct Range {
  double low = 0, high = 1;
  double span() const { return high - low; }
  bool operator==(const Range&) const = default;
};

// What a number counts. Bytes go in powers of two, seconds in s, ms, µs and ns.
struct Unit {
  enum class Kind : unsigned char { kPlain, kBytes, kSeconds };
  Kind kind = Kind::kPlain;
  std::string suffix = {};  // of a plain number: "Ψ", "tokens/s"
  bool whole = false;  // it counts: there is nothing between 1 and 2
  static Unit bytes() { return {Kind::kBytes}; }
  static Unit seconds() { return {Kind::kSeconds}; }
  static Unit plain(std::string suffix = {}) { return {Kind::kPlain, std::move(suffix)}; }
};
Unit unit_of(std::string_view name);  // "bytes", "s", or the suffix of a plain number

// A value as it is written beside values `step` apart: "16.00 MiB", "1.5 Ψ", "20 ms". Prefix and decimals
// come from the step alone, unless the value is very far from zero: a number keeps them while it moves.
// What is not finite is "—".
std::string format_value(double value, const Unit& unit, double step);
// Alone: "16.00 MiB", "35.2 ms", "1,048,576", "0.5321 Ψ".
std::string format_alone(double value, const Unit& unit);

// A range that can be drawn: finite, rising, and with room for numbers between its ends. One point gets
// room around it, an empty or undefined one becomes 0 to 1 (log: 1 to 10), log has no zero.
Range usable(Range range, bool log = false);
// Outwards to round numbers, with about `most` steps between them.
Range round_out(Range range, const Unit& unit, int most, bool log = false);
// 1, 2 or 5 times a power of ten (bytes: a power of two), so that at most `most` of them fit into `span`.
double round_step(double span, int most, const Unit& unit);

// 0 at the low end, 1 at the high end, beyond outside. NaN where there is no place (log of 0).
double position_of(double value, Range range, bool log = false);
double value_at(double position, Range range, bool log = false);

struct Tick {
  double value = 0;
  float at = 0;        // from the low end, in the length's unit
  float label_at = 0;  // where its label begins: around `at`, moved inwards at the ends
  std::string label;   // "": a minor tick
};
// The ticks along `length`, whose labels take extent_of(label) along it and keep `gap` between them.
using Extent = std::function<float(std::string_view)>;
std::vector<Tick> ticks_of(Range range, const Unit& unit, float length, float gap, const Extent& extent_of,
                           bool log = false);

}  // namespace ringside::figure
