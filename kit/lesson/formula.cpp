#include "ringside/lesson/formula.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "formula_parser.h"
#include "ringside/base/error.h"

namespace ringside::inline kit {
namespace {

constexpr double kBytesAtLeast = 2;  // before a P that counts parameters: their width in bytes

[[noreturn]] void fail(const std::string& text, size_t place, const std::string& what) {
  throw UsageError("formula " + text + ", character " + std::to_string(place) + ": " + what);
}

double value_of(const std::string& name, const std::vector<Symbol>& symbols, const std::string& text) {
  for (const Symbol& symbol : symbols)
    if (symbol.name == name) return symbol.value;
  throw UsageError("formula " + text + ": " + name + " has no value here");
}

}  // namespace

Formula Formula::parse(const std::string& text, const std::vector<Symbol>& symbols) {
  return FormulaParser(text, symbols).parse();
}

double Formula::value(const std::vector<Symbol>& symbols) const {
  std::vector<double> stack;
  for (const Step& step : steps_) {
    if (step.kind == Kind::kNumber) {
      stack.push_back(step.number);
      continue;
    }
    if (step.kind == Kind::kSymbol) {
      stack.push_back(value_of(uses_[step.symbol], symbols, text_));
      continue;
    }
    if (step.kind == Kind::kNegate) {
      stack.back() = -stack.back();
      continue;
    }
    const double right = stack.back();
    stack.pop_back();
    double& left = stack.back();
    if (step.kind == Kind::kAdd) left += right;
    if (step.kind == Kind::kSubtract) left -= right;
    if (step.kind == Kind::kMultiply) left *= right;
    if (step.kind == Kind::kDivide) {
      if (right == 0) fail(text_, step.place, "division by zero");
      left /= right;
    }
    if (!std::isfinite(left)) fail(text_, step.place, "too large to represent");
  }
  if (!std::isfinite(stack.back())) fail(text_, 1, "not a finite number");
  return stack.back();
}

// ---- read_as ------------------------------------------------------------------

namespace {

// A value as far as the numbers in it go: symbols count as 1.
struct Size {
  double number = 1;
  bool pure = false;            // no symbol in it
  std::optional<double> least;  // the smallest number before a use of the symbol; none where it has no use
};

Size added(const Size& a, const Size& b, double sum) {
  Size result;
  result.pure = a.pure && b.pure;
  // N - 1 is no number; of 2 + 14/N the larger counts.
  result.number = result.pure ? sum : std::max(std::abs(a.number), std::abs(b.number));
  result.least = a.least && b.least ? std::min(*a.least, *b.least) : a.least ? a.least : b.least;
  return result;
}

Size multiplied(const Size& a, const Size& b) {
  Size result{a.number * b.number, a.pure && b.pure, {}};
  if (a.least) result.least = *a.least * std::abs(b.number);
  if (b.least) result.least = a.least ? 0 : *b.least * std::abs(a.number);  // its square is no amount
  return result;
}

Size divided(const Size& a, const Size& b) {
  Size inverse = b;
  inverse.number = b.number == 0 ? 0 : 1 / b.number;
  if (inverse.least) inverse.least = 0;  // below the line it is no amount
  return multiplied(a, inverse);
}

}  // namespace

double Formula::least_factor(const std::string& symbol) const {
  std::vector<Size> stack;
  for (const Step& step : steps_) {
    if (step.kind == Kind::kNumber) {
      stack.push_back({step.number, true, {}});
    } else if (step.kind == Kind::kSymbol) {
      stack.push_back({1, false, uses_[step.symbol] == symbol ? std::optional(1.0) : std::nullopt});
    } else if (step.kind == Kind::kNegate) {
      stack.back().number = -stack.back().number;
    } else {
      const Size right = stack.back();
      stack.pop_back();
      Size& left = stack.back();
      if (step.kind == Kind::kAdd) left = added(left, right, left.number + right.number);
      if (step.kind == Kind::kSubtract) left = added(left, right, left.number - right.number);
      if (step.kind == Kind::kMultiply) left = multiplied(left, right);
      if (step.kind == Kind::kDivide) left = divided(left, right);
    }
  }
  return stack.back().least.value_or(0);
}

Formula read_as(Formula formula, const std::vector<Symbol>& symbols) {
  for (const Symbol& symbol : symbols) {
    const auto foreign = [&](const std::string& name) { return name != symbol.name && name != "N"; };
    if (symbol.read_as.empty() || std::ranges::any_of(formula.uses_, foreign)) continue;
    if (formula.least_factor(symbol.name) < kBytesAtLeast) continue;
    std::ranges::replace(formula.uses_, symbol.name, symbol.read_as);
    return formula;
  }
  return formula;
}

}  // namespace ringside::inline kit
