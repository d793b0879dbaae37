#include "ringside/lesson/figure_forms.h"

#include <sstream>

#include "ringside/base/check.h"

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

}  // namespace ringside
