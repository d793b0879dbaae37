#include <algorithm>
#include <cctype>
#include <cmath>

#include "drill.h"

namespace ringside::inline kit {
namespace {

enum class UnitKind : uint8_t { kBytes, kTime, kCount };
struct KnownUnit {
  const char* name;
  UnitKind kind;
  double worth;
};
constexpr double kKi = 1024;
constexpr KnownUnit kUnits[] = {
    {"B", UnitKind::kBytes, 1},
    {"byte", UnitKind::kBytes, 1},
    {"bytes", UnitKind::kBytes, 1},
    {"KB", UnitKind::kBytes, 1e3},
    {"kB", UnitKind::kBytes, 1e3},
    {"MB", UnitKind::kBytes, 1e6},
    {"GB", UnitKind::kBytes, 1e9},
    {"TB", UnitKind::kBytes, 1e12},
    {"KiB", UnitKind::kBytes, kKi},
    {"MiB", UnitKind::kBytes, kKi* kKi},
    {"GiB", UnitKind::kBytes, kKi* kKi* kKi},
    {"TiB", UnitKind::kBytes, kKi* kKi* kKi* kKi},
    {"µs", UnitKind::kTime, 1e-6},
    {"us", UnitKind::kTime, 1e-6},
    {"ms", UnitKind::kTime, 1e-3},
    {"s", UnitKind::kTime, 1},
    {"min", UnitKind::kTime, 60},
    {"h", UnitKind::kTime, 3600},
    {"hours", UnitKind::kTime, 3600},
    {"days", UnitKind::kTime, 86400},
    {"million", UnitKind::kCount, 1e6},
    {"M", UnitKind::kCount, 1e6},
    {"billion", UnitKind::kCount, 1e9},
};

// The first word of "GB on a GPU".
const KnownUnit* unit_of(const std::string& unit) {
  const std::string word = unit.substr(0, unit.find(' '));
  const auto* found = std::ranges::find(kUnits, word, &KnownUnit::name);
  return found == std::end(kUnits) ? nullptr : found;
}

// The longest of its kind that the line ends with.
const KnownUnit* unit_behind(const std::string& line, UnitKind kind) {
  const KnownUnit* best = nullptr;
  for (const KnownUnit& one : kUnits)
    if (one.kind == kind && line.ends_with(one.name) &&
        (best == nullptr || std::string_view(one.name).size() > std::string_view(best->name).size()))
      best = &one;
  return best;
}

bool is_digit_at(const std::string& text, size_t at) {
  return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
}

// "112,000,000" without its commas.
std::string without_commas(const std::string& line) {
  std::string out;
  for (size_t i = 0; i < line.size(); ++i) {
    const bool thousands = line[i] == ',' && i > 0 && is_digit_at(line, i - 1) && is_digit_at(line, i + 1) &&
                           is_digit_at(line, i + 2) && is_digit_at(line, i + 3) && !is_digit_at(line, i + 4);
    if (!thousands) out += line[i];
  }
  return out;
}

}  // namespace

TypedAnswer read_in_units(const PredictionSpec& spec, const std::string& line) {
  const KnownUnit* unit = spec.words ? nullptr : unit_of(spec.unit);
  if (spec.words) return read_typed(spec, no_scenario(), line);
  std::string number = without_commas(line);
  number.erase(number.find_last_not_of(" \t") + 1);
  const KnownUnit* typed = unit == nullptr ? nullptr : unit_behind(number, unit->kind);
  if (typed != nullptr) number.erase(number.size() - std::string_view(typed->name).size());
  TypedAnswer answer = read_typed(spec, no_scenario(), number);
  answer.typed = line;
  if (unit == nullptr || !answer.value) return answer;
  const double right = std::abs(spec.formula(no_scenario()));
  const bool in_bytes = typed == nullptr && unit->kind != UnitKind::kTime && *answer.value >= 1e5 * right;
  answer.value = *answer.value * (typed != nullptr ? typed->worth : in_bytes ? 1 : unit->worth) / unit->worth;
  answer.formula.reset();
  return answer;
}

}  // namespace ringside::inline kit
