#include "ringside/lesson/figure_forms.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "ringside/base/check.h"
#include "ringside/lesson/tr.h"

namespace ringside {
namespace {

struct IsEmpty {
  bool operator()(const figure::Nothing&) const { return true; }
  bool operator()(const figure::Lines& lines) const { return lines.lines.empty(); }
  bool operator()(const figure::Bars& bars) const { return bars.rows.empty(); }
  bool operator()(const figure::Matrix& matrix) const { return matrix.rows.empty(); }
  bool operator()(const figure::Contours& contours) const { return contours.heights.empty(); }
  bool operator()(const figure::Boxes& boxes) const { return boxes.rows.empty(); }
  bool operator()(const figure::Lanes& lanes) const { return lanes.lanes.empty(); }
  bool operator()(const figure::Graph& graph) const { return graph.nodes.empty(); }
  bool operator()(const figure::Listing& listing) const { return listing.lines.empty(); }
  bool operator()(const figure::Table& table) const { return table.rows.empty(); }
};

// With the decimals that tell a thousandth of the axis.
std::string rounded(const figure::Axis& axis, double value) {
  const double span = axis.most.value_or(1) - axis.least.value_or(0);
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(span / 1000))), 0, 15);
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

}  // namespace

FigureSpec figure_of_run(std::string id, std::string title, FigureFunction value,
                         std::vector<std::string> answers) {
  FigureSpec spec{.id = std::move(id), .title = std::move(title), .value = value};
  spec.answers = std::move(answers);
  return spec;
}

FigureSpec figure_of_instant(std::string id, std::string title, FigureFunction value,
                             SentenceFunction sentence, std::vector<std::string> answers) {
  FigureSpec spec = figure_of_run(std::move(id), std::move(title), value, std::move(answers));
  if (sentence != nullptr) spec.sentence = sentence;
  spec.follows_playhead = true;
  return spec;
}

std::vector<FigureSpec> with_tabs(std::vector<FigureSpec> figures, const std::vector<std::string>& tabs) {
  RINGSIDE_CHECK(figures.size() == tabs.size(), figures.size() << " figures and " << tabs.size() << " tabs");
  for (size_t i = 0; i < figures.size(); ++i) figures[i].tab = tabs[i];
  return figures;
}

bool figure::is_empty(const Value& value) { return std::visit(IsEmpty{}, value); }

figure::Value figure::or_nothing(Value value, const std::string& why) {
  return is_empty(value) ? Nothing{why} : std::move(value);
}

figure::Listing figure::listing_of(const std::string& text) {
  Listing listing;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) listing.lines.push_back({std::move(line)});
  return listing;
}

std::vector<figure::TableColumn> figure::columns(const std::vector<std::string>& titles) {
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

std::string figure::text_of_place(const Contours& contours, Point at) {
  return rounded(contours.x, at.x) + "," + rounded(contours.y, at.y);
}

std::optional<figure::Point> figure::place_of_text(const std::string& text) {
  const char *at = text.data(), *const end = at + text.size();
  Point place;
  if (!read(at, end, place.x) || at == end || *at++ != ',' || !read(at, end, place.y) || at != end)
    return std::nullopt;
  return place;
}

}  // namespace ringside
