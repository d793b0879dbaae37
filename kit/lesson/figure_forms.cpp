#include "ringside/lesson/figure_forms.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"

namespace ringside::figure {
namespace {

// With the decimals that tell a thousandth of the axis.
std::string rounded(const Axis& axis, double value) {
  const double span = axis.most.value_or(1) - axis.least.value_or(0);
  const int decimals = std::clamp(int(std::ceil(-std::log10(span / 1000))), 0, 15);
  std::string text = tr("{:.{}f}", value, decimals);
  if (text.find('.') != std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

bool read(const char*& at, const char* end, double& value) {
  const auto [behind, error] = std::from_chars(at, end, value);
  at = behind;
  return error == std::errc() && std::isfinite(value);
}

// Takes no other kind: one that is_empty() does not know stops the compiler.
bool is_nothing(const Nothing&) { return true; }

}  // namespace

std::span<const std::string_view> texts(Ink) {
  static constexpr std::string_view kTexts[] = {
      "parameters", "gradients", "optimizer", "activations", "other", "text", "dim", "accent", "alarm"};
  return kTexts;
}
std::span<const std::string_view> texts(Stroke) {
  static constexpr std::string_view kTexts[] = {"measured", "formula", "guess", "pinned", "dots"};
  return kTexts;
}
std::span<const std::string_view> texts(MatrixCell::State) {
  static constexpr std::string_view kTexts[] = {"value", "empty", "same", "different", "wrong"};
  return kTexts;
}

Ink ink_of(Category category) {
  switch (category) {
    case Category::kParameters: return Ink::kParameters;
    case Category::kGradients: return Ink::kGradients;
    case Category::kOptimizer: return Ink::kOptimizer;
    case Category::kActivations: return Ink::kActivations;
    default: return Ink::kOther;
  }
}

bool is_empty(const Value& value) {
  const auto of = [](const auto& kind) {
    if constexpr (requires { kind.rows.empty(); })
      return kind.rows.empty();
    else if constexpr (requires { kind.lines; })
      return kind.lines.empty();
    else if constexpr (requires { kind.lanes; })
      return kind.lanes.empty();
    else if constexpr (requires { kind.nodes; })
      return kind.nodes.empty();
    else if constexpr (requires { kind.heights; })
      return kind.heights.empty();
    else
      return is_nothing(kind);
  };
  return std::visit(of, value);
}

Value or_nothing(Value value, const std::string& why) {
  return is_empty(value) ? Nothing{why} : std::move(value);
}

void add_beside(Boxes& all, const std::string& heading, const std::vector<std::vector<Box>>& rows) {
  const auto blank = [](const std::string& text, double width) {
    return Box{.text = text, .width = width, .filled = false, .blank = true};
  };
  const bool first = all.rows.empty();
  all.rows.resize(std::max(all.rows.size(), rows.size() + 1));
  for (size_t i = 0; !first && i < all.rows.size(); ++i) all.rows[i].boxes.push_back(blank("", 1));
  all.rows[0].boxes.push_back(blank(heading, double(rows.at(0).size())));
  for (size_t i = 0; i < rows.size(); ++i)
    all.rows[i + 1].boxes.insert(all.rows[i + 1].boxes.end(), rows[i].begin(), rows[i].end());
}

Listing listing_of(const std::string& text) {
  Listing listing;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) listing.lines.push_back({std::move(line)});
  return listing;
}

std::vector<TableColumn> columns(const std::vector<std::string>& titles) {
  std::vector<TableColumn> all;
  for (const std::string& one : titles) {
    const std::string title(translated(one));
    const size_t unit = title.ends_with(']') ? title.rfind(" [") : std::string::npos;
    const bool number = unit != std::string::npos;
    all.push_back(
        {title.substr(0, unit), number ? title.substr(unit + 2, title.size() - unit - 3) : "", number});
  }
  return all;
}

TableCell cell(double number, int decimals) { return {tr("{:.{}f}", number, decimals), number}; }

TableCell count_cell(int64_t number) { return {format_count(number), double(number)}; }

TableCell bytes_cell(double bytes) { return {format_bytes(bytes), bytes}; }

std::vector<Point> means_of(const std::vector<Point>& line, size_t parts) {
  const size_t length = std::max<size_t>(1, line.size() / parts);
  std::vector<Point> means;
  for (size_t end = length; end <= line.size(); end += length) {
    double sum = 0;
    for (size_t i = end - length; i < end; ++i) sum += line[i].y;
    means.push_back({line[end - 1].x, sum / double(length)});
  }
  return means;
}

std::string text_of_place(const Contours& contours, Point at) {
  return rounded(contours.x, at.x) + "," + rounded(contours.y, at.y);
}

std::optional<Point> place_of_text(const std::string& text) {
  const char *at = text.data(), *const end = at + text.size();
  Point place;
  if (!read(at, end, place.x) || at == end || *at++ != ',' || !read(at, end, place.y) || at != end)
    return std::nullopt;
  return place;
}

}  // namespace ringside::figure
