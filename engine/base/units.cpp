#include "ringside/base/units.h"

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside::inline base {
namespace {

constexpr double kKibi = 1024;

// "64Ki" is 64 and 2^10; a text without a suffix keeps shift 0.
std::pair<std::string_view, int> split_suffix(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, int>, 4> suffixes = {
      {{"Ki", 10}, {"Mi", 20}, {"Gi", 30}, {"Ti", 40}}};
  for (const auto& [suffix, shift] : suffixes)
    if (text.ends_with(suffix)) return {text.substr(0, text.size() - suffix.size()), shift};
  return {text, 0};
}

}  // namespace

std::string format_count(int64_t value) {
  std::string text = std::to_string(value);
  const int64_t first_digit = value < 0 ? 1 : 0;
  for (int64_t at = std::ssize(text) - 3; at > first_digit; at -= 3) text.insert(size_t(at), 1, ',');
  return text;
}

std::string format_bytes(double bytes) {
  constexpr std::array units = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (!(std::abs(bytes) >= kKibi - 0.5)) return fmt::format("{:.0f} B", bytes);
  double value = bytes / kKibi;
  size_t unit = 0;
  // 1023.995 would be printed as 1024.00: the next unit's 1.00.
  for (; std::abs(value) >= kKibi - 0.005 && unit + 1 < units.size(); ++unit) value /= kKibi;
  return fmt::format("{:.2f} {}", value, units[unit]);
}

std::string format_duration(double seconds) {
  if (seconds < 0) return fmt::format("-{}", format_duration(-seconds));
  if (seconds == 0) return "0 s";
  if (seconds < 0.9995e-6) return fmt::format("{:.3g} ns", seconds * 1e9);
  if (seconds < 0.9995e-3) return fmt::format("{:.3g} µs", seconds * 1e6);
  if (seconds < 0.99995) return fmt::format("{:.1f} ms", seconds * 1e3);
  if (!(seconds >= 59.95) || seconds > 1e15) return fmt::format("{:.1f} s", seconds);
  const int64_t whole = std::llround(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

int64_t parse_count(const std::string& text, const std::string& key) {
  const auto [number, shift] = split_suffix(text);
  const int64_t scale = int64_t{1} << shift;
  if (const auto whole = read_number<int64_t>(number)) {
    int64_t count = 0;
    if (*whole >= 0 && !__builtin_mul_overflow(*whole, scale, &count)) return count;
  } else if (const auto read = read_number<double>(number)) {
    const double value = *read * double(scale);
    if (value >= 0 && value < 0x1p63 && value == std::floor(value)) return int64_t(value);
  }
  throw UsageError(
      "{}={}: not a count; write a whole number from 0 to 2^63-1 such as 4096, 64Ki, 1Mi or 2.5e6", key,
      as_typed(text));
}

void require_size(const char* key, int64_t value, int64_t most) {
  if (value < 1 || value > most)
    throw UsageError("{}={}: allowed are 1 to {}", key, value, format_count(most));
}

}  // namespace ringside::inline base
