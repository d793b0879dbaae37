#include "parameter_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "ringside/base/check.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"
#include "ringside/lesson/suggest.h"

namespace ringside::inline kit {
namespace {

std::string shortest(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

std::string shortest_count(int64_t value) {
  if (value != 0 && value % (int64_t{1} << 30) == 0) return std::to_string(value >> 30) + "Gi";
  if (value != 0 && value % (int64_t{1} << 20) == 0) return std::to_string(value >> 20) + "Mi";
  if (value != 0 && value % (int64_t{1} << 10) == 0) return std::to_string(value >> 10) + "Ki";
  return std::to_string(value);
}

// A bound as people write it, and as it may be typed: 1e15, not 976562500000Ki.
std::string count_bound(int64_t value) {
  int zeros = 0;
  int64_t rest = value;
  for (; rest >= 10 && rest % 10 == 0; rest /= 10) ++zeros;
  return rest == 1 && zeros >= 6 ? "1e" + std::to_string(zeros) : shortest_count(value);
}

// A declared bound as the integer it stands for.
int64_t integer_bound(double bound) {
  constexpr double kBeyond = 9223372036854775808.0;  // 2^63
  if (bound >= kBeyond) return std::numeric_limits<int64_t>::max();
  return bound <= -kBeyond ? std::numeric_limits<int64_t>::min() : int64_t(bound);
}

[[noreturn]] void reject(const ParameterSpec& spec, const std::string& typed, const std::string& why) {
  throw UsageError(spec.name + "=" + as_typed(typed) + ": " + (why.empty() ? "" : why + "; ") +
                   allowed_values(spec));
}

template <typename Number>
Number read_number(const ParameterSpec& spec, const std::string& typed) {
  Number value{};
  const char* end = typed.data() + typed.size();
  const auto [stop, error] = std::from_chars(typed.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end)
    reject(spec, typed, typed.empty() ? "a value is missing" : "not a number of this kind");
  if (error == std::errc::result_out_of_range) reject(spec, typed, "too large or too small to represent");
  return value;
}

int64_t read_count(const ParameterSpec& spec, const std::string& typed) {
  try {
    return parse_count(typed, spec.name);
  } catch (const UsageError&) {
    reject(spec, typed, typed.empty() ? "a value is missing" : "not a count that fits 64 bits");
  }
}

std::string check_integer(const ParameterSpec& spec, const std::string& typed) {
  const bool is_count = spec.kind == ParameterKind::kCount;
  const int64_t value = is_count ? read_count(spec, typed) : read_number<int64_t>(spec, typed);
  // long double holds every int64_t exactly, so that a bound near 2^63 is compared as it is.
  const long double exact = value;
  if (exact < spec.minimum || exact > spec.maximum) reject(spec, typed, "");
  if (is_count) return shortest_count(value);
  if (spec.validate) spec.validate(std::to_string(value));
  return std::to_string(value);
}

std::string check_real(const ParameterSpec& spec, const std::string& typed) {
  const double value = read_number<double>(spec, typed) + 0.0;  // -0 becomes 0
  if (!std::isfinite(value)) reject(spec, typed, "not a finite number");
  if (value < spec.minimum || value > spec.maximum) reject(spec, typed, "");
  return shortest(value);
}

std::string check_choice(const ParameterSpec& spec, const std::string& typed) {
  const auto& known = spec.choices;
  if (std::ranges::find(known, typed) != known.end()) return typed;
  throw UsageError(spec.name + "=" + as_typed(typed) + ": " + allowed_values(spec) +
                   suggestion(typed, known));
}

}  // namespace

std::string allowed_values(const ParameterSpec& spec) {
  const auto range = [&](const std::string& first, const std::string& last) {
    return "allowed are " + first + " to " + last + (spec.unit.empty() ? "" : " " + spec.unit);
  };
  switch (spec.kind) {
    case ParameterKind::kInteger:
      return range(std::to_string(integer_bound(spec.minimum)), std::to_string(integer_bound(spec.maximum)));
    case ParameterKind::kReal: return range(shortest(spec.minimum), shortest(spec.maximum));
    case ParameterKind::kCount:
      return range(count_bound(integer_bound(spec.minimum)), count_bound(integer_bound(spec.maximum)));
    case ParameterKind::kChoice: return "allowed are " + join(spec.choices);
    case ParameterKind::kText: return "allowed is text";
  }
  RINGSIDE_CHECK(false, "parameter '" << spec.name << "' has an unknown kind");
}

std::string canonical_value(const ParameterSpec& spec, const std::string& typed) {
  switch (spec.kind) {
    case ParameterKind::kInteger:
    case ParameterKind::kCount: return check_integer(spec, typed);
    case ParameterKind::kReal: return check_real(spec, typed);
    case ParameterKind::kChoice: return check_choice(spec, typed);
    case ParameterKind::kText:
      if (spec.validate) spec.validate(typed);
      return typed;
  }
  RINGSIDE_CHECK(false, "parameter '" << spec.name << "' has an unknown kind");
}

int64_t integer_value(const ParameterSpec& spec, const std::string& canonical) {
  RINGSIDE_CHECK(spec.kind == ParameterKind::kInteger || spec.kind == ParameterKind::kCount,
                 "parameter '" << spec.name << "' is no integer");
  if (spec.kind == ParameterKind::kCount) return parse_count(canonical, spec.name);
  return read_number<int64_t>(spec, canonical);
}

double real_value(const std::string& canonical) {
  double value = 0;
  const auto [stop, error] = std::from_chars(canonical.data(), canonical.data() + canonical.size(), value);
  RINGSIDE_CHECK(error == std::errc{}, "'" << canonical << "' is not a canonical real");
  return value;
}

}  // namespace ringside::inline kit
