#include "ringside/figures/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ringside/base/units.h"

namespace ringside::figure {
namespace {

using Kind = Unit::Kind;

struct Prefix {
  double size;
  std::string_view name;
};
constexpr std::array<Prefix, 7> kByteUnits = {{{1, "B"},
                                               {1024.0, "KiB"},
                                               {1048576.0, "MiB"},
                                               {1073741824.0, "GiB"},
                                               {1099511627776.0, "TiB"},
                                               {1125899906842624.0, "PiB"},
                                               {1152921504606846976.0, "EiB"}}};
constexpr std::array<Prefix, 4> kSecondUnits = {{{1e-9, "ns"}, {1e-6, "µs"}, {1e-3, "ms"}, {1, "s"}}};

constexpr double kLargest = 1e300, kSmallest = 1e-300;
constexpr double kFine = 1e-9;  // a range narrower than this part of its ends has no numbers to write

// The unit that some four steps reach: four, because a quarter of a MiB still has two decimals. A value
// of more than five digits takes the next.
template <size_t N>
Prefix prefix_of(const std::array<Prefix, N>& units, double value, double step) {
  size_t i = 0;
  while (i + 1 < N && (4.001 * step >= units[i + 1].size || std::abs(value) >= 99999.5 * units[i].size)) ++i;
  return units[i];
}

int decimals_of(double step) {
  if (!(step > 0) || step >= 1) return 0;
  return std::clamp(int(std::ceil(-std::log10(step) - 1e-6)), 0, 12);
}

std::string with_minus(std::string text) {
  if (text.empty() || text[0] != '-') return text;
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  return (zero ? "" : "−") + text.substr(1);
}

std::string format_plain(double value, double step) {
  const double size = std::max(std::abs(value), std::abs(step));
  if (size >= 1e7 || (size < 1e-4 && size > 0)) {
    if (value == 0) return "0";
    const double digits = std::floor(std::log10(std::abs(value)));
    return with_minus(fmt::format("{:.{}e}", value, decimals_of(step / std::pow(10, digits))));
  }
  if (std::abs(value) >= 999.5 && step >= 1) return with_minus(format_count(std::llround(value)));
  return with_minus(fmt::format("{:.{}f}", value, decimals_of(step)));
}

bool log_in_twos(const Unit& unit) { return unit.kind == Kind::kBytes; }

double log_of(double value, const Unit& unit) {
  return log_in_twos(unit) ? std::log2(value) : std::log10(value);
}
double power_of(double exponent, const Unit& unit) {
  return log_in_twos(unit) ? std::exp2(exponent) : std::pow(10, exponent);
}

// Places the labels, or says that two of them would touch. The last one, moved inwards, may take the place
// of the one before it where there are several: the end of an axis says more.
bool place(std::vector<Tick>& ticks, float length, float gap, const Extent& extent_of) {
  std::vector<Tick*> placed;
  for (Tick& tick : ticks) {
    if (tick.label.empty()) continue;
    const float extent = extent_of(tick.label);
    if (extent > length) return false;
    tick.label_at = std::clamp(tick.at - extent / 2, 0.0f, length - extent);
    const auto touches = [&](const Tick& other) {
      return tick.label_at < other.label_at + extent_of(other.label) + gap;
    };
    const bool moved = tick.label_at < tick.at - extent / 2 - 0.01f;
    if (moved && placed.size() >= 4 && touches(*placed.back())) {
      placed.back()->label.clear();
      placed.pop_back();
    }
    if (!placed.empty() && touches(*placed.back())) return false;
    placed.push_back(&tick);
  }
  return true;
}

std::vector<Tick> at_steps(Range range, const Unit& unit, float length, double step, bool log) {
  std::vector<Tick> ticks;
  const double first = std::ceil(range.low / step - 1e-6), last = std::floor(range.high / step + 1e-6);
  for (double i = first; i <= last && ticks.size() < 1000; ++i) {
    const double value = i * step;
    const double at = std::clamp(position_of(value, range, log), 0.0, 1.0);
    if (std::isnan(at)) continue;
    ticks.push_back({value, float(at) * length, 0, format_value(value, unit, step)});
  }
  return ticks;
}

// Every `stride`-th power; where each one is labelled, 2 to 9 times a power of ten in between, unlabelled.
std::vector<Tick> at_powers(Range range, const Unit& unit, float length, int stride) {
  std::vector<Tick> ticks;
  const double low = std::floor(log_of(range.low, unit) + 1e-9), high = log_of(range.high, unit) + 1e-9;
  for (double power = low; power <= high && ticks.size() < 10000; ++power) {
    const double base = power_of(power, unit);
    const bool labelled = std::fmod(std::abs(power), stride) == 0;
    const int parts = stride == 1 && !log_in_twos(unit) ? 9 : 1;
    for (int part = 1; part <= parts; ++part) {
      const double value = base * part, at = position_of(value, range, true);
      if (!(at >= -1e-9 && at <= 1 + 1e-9)) continue;
      std::string label;  // a quarter: the prefix that the value itself reaches
      if (part == 1 && labelled) label = format_value(value, unit, log_in_twos(unit) ? value / 4 : value);
      ticks.push_back({value, float(at) * length, 0, std::move(label)});
    }
  }
  return ticks;
}

size_t labels_in(const std::vector<Tick>& ticks) {
  return size_t(std::ranges::count_if(ticks, [](const Tick& t) { return !t.label.empty(); }));
}

double next_step(double step, const Unit& unit) { return round_step(step * 1.5, 1, unit); }

std::vector<Tick> linear_ticks(Range range, const Unit& unit, float length, float gap,
                               const Extent& extent_of, bool log) {
  double step = round_step(range.span(), int(std::clamp(length / 24, 2.0f, 12.0f)), unit);
  for (int tries = 0; tries < 12; ++tries, step = next_step(step, unit)) {
    std::vector<Tick> ticks = at_steps(range, unit, length, step, log);
    if (place(ticks, length, gap, extent_of)) return ticks;
  }
  return {};
}

}  // namespace

Unit unit_of(std::string_view name) {
  if (name == "bytes") return Unit::bytes();
  if (name == "s") return Unit::seconds();
  return Unit::plain(std::string(name));
}

std::string format_alone(double value, const Unit& unit) {
  if (!std::isfinite(value)) return "—";
  if (unit.kind == Kind::kBytes) return format_bytes(value);
  if (unit.kind == Kind::kSeconds) return format_duration(value);
  const bool whole = value == std::round(value) && std::abs(value) < 1e9;
  const std::string text =
      with_minus(whole ? format_count(std::llround(value)) : fmt::format("{:.4g}", value));
  return unit.suffix.empty() ? text : text + " " + unit.suffix;
}

std::string format_value(double value, const Unit& unit, double step) {
  if (!std::isfinite(value)) return "—";
  if (!std::isfinite(step) || step <= 0) step = std::abs(value) / 1000;
  if (std::abs(value) < step * 1e-6) value = 0;
  if (unit.whole && value == std::round(value)) step = std::max(step, 1.0);
  const auto in = [&](Prefix p, int decimals) {
    if (std::abs(value / p.size) >= 1e15) return with_minus(fmt::format("{:.3e} {}", value / p.size, p.name));
    return with_minus(fmt::format("{:.{}f} {}", value / p.size, decimals, p.name));
  };
  if (unit.kind == Kind::kBytes) {
    const Prefix p = prefix_of(kByteUnits, value, step);
    const int decimals = p.size == 1 ? decimals_of(step) : std::max(2, decimals_of(step / p.size));
    return in(p, std::min(decimals, 6));
  }
  if (unit.kind == Kind::kSeconds) {
    const Prefix p = prefix_of(kSecondUnits, value, step);
    return in(p, std::min(decimals_of(step / p.size), 9));
  }
  const std::string text = format_plain(value, step);
  return unit.suffix.empty() ? text : text + " " + unit.suffix;
}

Range usable(Range r, bool log) {
  const Range empty = log ? Range{1, 10} : Range{0, 1};
  if (!std::isfinite(r.low) && !std::isfinite(r.high)) return empty;
  if (!std::isfinite(r.low)) r.low = r.high;
  if (!std::isfinite(r.high)) r.high = r.low;
  if (r.low > r.high) std::swap(r.low, r.high);
  r = {std::clamp(r.low, -kLargest, kLargest), std::clamp(r.high, -kLargest, kLargest)};
  if (log) {
    if (r.high < kSmallest) return empty;
    if (r.low < kSmallest) r.low = r.high / 1000;
    r.low = std::max(r.low, kSmallest);
    return r.high / r.low < 1 + kFine ? Range{r.low / 2, r.high * 2} : r;
  }
  const double size = std::max(std::abs(r.low), std::abs(r.high));
  if (size < kSmallest) return empty;
  if (r.span() >= size * kFine) return r;
  const double room = r.low == r.high ? size / 2 : size * kFine;
  return {r.low - room, r.high + room};
}

Range round_out(Range range, const Unit& unit, int most, bool log) {
  range = usable(range, log);
  if (log) {
    return usable({power_of(std::floor(log_of(range.low, unit) + 1e-6), unit),
                   power_of(std::ceil(log_of(range.high, unit) - 1e-6), unit)},
                  true);
  }
  const double step = round_step(range.span(), most, unit);
  return usable({std::floor(range.low / step + 1e-6) * step, std::ceil(range.high / step - 1e-6) * step});
}

double round_step(double span, int most, const Unit& unit) {
  if (!std::isfinite(span) || span <= 0) return 1;
  const double least = unit.whole ? 1 : 0, raw = std::max(span / std::max(most, 1), least);
  if (unit.kind == Kind::kBytes) return std::max(1.0, std::exp2(std::ceil(std::log2(raw) - 1e-9)));
  const double power = std::pow(10, std::floor(std::log10(raw) + 1e-9));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= raw * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

double position_of(double value, Range range, bool log) {
  if (!log) return (value - range.low) / range.span();
  if (!(value > 0)) return std::numeric_limits<double>::quiet_NaN();
  return std::log(value / range.low) / std::log(range.high / range.low);
}

double value_at(double position, Range range, bool log) {
  if (!log) return range.low + position * range.span();
  return range.low * std::pow(range.high / range.low, position);
}

std::vector<Tick> ticks_of(Range range, const Unit& unit, float length, float gap, const Extent& extent_of,
                           bool log) {
  if (!(length > 0) || !std::isfinite(length)) return {};
  range = usable(range, log);
  if (log) {
    for (const int stride : {1, 2, 3, 5, 10, 20, 30, 50, 100, 200}) {
      if (stride % 3 == 0 && log_in_twos(unit)) continue;  // 1 KiB, 32 KiB, 1 MiB
      std::vector<Tick> ticks = at_powers(range, unit, length, stride);
      if (labels_in(ticks) < 2) break;  // less than a decade: round numbers in between say more
      if (place(ticks, length, gap, extent_of)) return ticks;
    }
  }
  return linear_ticks(range, unit, length, gap, extent_of, log);
}

}  // namespace ringside::figure
