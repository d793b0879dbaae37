// Figures out of the way: empty ones, NaN, very many rows, cycles, places that are not there.
#pragma once

#include "../figures/samples.h"

namespace ringside::test {

using NamedFigure = std::pair<std::string, figure::Value>;

inline std::vector<NamedFigure> empty_figures() {
  return {{"no reason", figure::Nothing{}},
          {"no lines", figure::Lines{}},
          {"no bars", figure::Bars{}},
          {"no matrix", figure::Matrix{}},
          {"no heights", figure::Contours{}},
          {"no boxes", figure::Boxes{}},
          {"no lanes", figure::Lanes{}},
          {"no nodes", figure::Graph{}},
          {"no source", figure::Listing{}},
          {"no table", figure::Table{}},
          {"one bar without a name", figure::Bars{{}, {{}}, {{"", {1}}}}},
          {"one lane without items", figure::Lanes{{}, {""}, {}}},
          {"one node without a text", figure::Graph{{{}}, {}}},
          {"one empty line", figure::Listing{{{}}, 0}},
          {"one empty box", figure::Boxes{{{"", {{}}}}}},
          {"one empty cell", figure::Table{{{}}, {{{}}}}}};
}

inline std::vector<NamedFigure> odd_figures() {
  const double nan = figure::kNone, inf = std::numeric_limits<double>::infinity();
  const std::string longest(400, 'w');
  figure::Bars negative{
      {"change", "%"},
      {{"a"}, {"b", figure::Ink::kGradients}},
      {{"down", {-3, -5}}, {"both", {-2, 7}}, {"none", {nan, nan}}, {longest, {inf, 1}, longest}}};
  figure::Bars grouped = negative;
  grouped.stacked = false;
  figure::Bars log{
      {"time", "s", true}, {{"one"}}, {{"short", {1e-9}}, {"long", {3}}, {"zero", {0}}, {"minus", {-1}}}};
  figure::Bars many{{"bytes", "bytes"}, {{"a"}}, {}};
  figure::Listing source{{}, 150};
  figure::Lanes crowd{{"call"}, {}, {}};
  figure::Boxes rows;
  figure::Table table{{{"row"}, {"value", "", true}}, {}};
  for (size_t i = 0; i < 200; ++i) {
    const std::string name = "row " + std::to_string(i);
    many.rows.push_back({name, {double(i) * 1e6}});
    source.lines.push_back({i % 7 == 0 ? longest : name, i % 5 == 0 ? longest : ""});
    crowd.lanes.push_back(name);
    crowd.items.push_back({i, double(i), double(i) + 3, longest});
    crowd.items.push_back({i, double(i), nan, name});
    rows.rows.push_back({name, std::vector<figure::Box>(i * 20 + 1, {"b", figure::hue(i)}), name});
    table.rows.push_back({{name}, {std::to_string(i), double(i)}});
  }
  crowd.items.push_back({999, 0, 1, "a lane that is not there"});
  crowd.items.push_back({0, nan, 1, "no beginning"});
  crowd.arrows = {{0, 999, 0, 1}, {0, 0, 0, 1, "to itself"}, {0, 1, 2, nan, "lost", true}, {1, 0, nan, 2}};
  rows.links = {
      {{0, 0}, {1, 1}, "near"}, {{0, 0}, {199, 5}, "far"}, {{0, 9}, {900, 9}}, {{1, 0}, {1, 9}, "in a row"}};
  figure::Graph cycle{{{"a"}, {"b"}, {"c"}, {longest, longest}},
                      {{0, 1, "ab"}, {1, 2}, {2, 0, "back"}, {3, 3}, {0, 99}}};
  figure::Graph wide{{}, {}};
  for (size_t i = 0; i < 60; ++i) {
    wide.nodes.push_back({"node " + std::to_string(i), "detail of it", figure::hue(i), i == 40});
    for (const size_t to : {(i * 7 + 3) % 60, (i * 13 + 1) % 60}) {
      if (to > i) wide.edges.push_back({i, to});
    }
  }
  figure::Contours holes = figure::samples::contours();
  for (size_t i = 0; i < holes.heights.size(); i += 37) holes.heights[i] = nan;
  holes.paths.push_back({"away", figure::Ink::kAlarm, {{nan, 0}, {1e9, -1e9}, {0, inf}}});
  figure::Contours flat{{"x"}, {"y"}, 2, 2, {1, 1, 1, 1}};
  figure::Contours fine{
      {"x", "", true, 0.001, 10}, {"y", "", true, 1, 1e6}, 300, 300, std::vector<double>(90000)};
  for (size_t i = 0; i < fine.heights.size(); ++i)
    fine.heights[i] = 1e-3 + std::abs(std::sin(double(i % 300) / 20) * std::cos(double(i) / 6000));
  figure::Contours few = figure::samples::contours();
  few.heights.resize(10);  // fewer than the grid has
  figure::Matrix ragged{"", "", "", {"a", "b"}, {"c", "d"}, {{figure::MatrixCell::State::kValue, inf}}};
  figure::Lines gaps{{"x", "", true},
                     {"y", "s", true},
                     {{"gone", figure::Ink::kText, figure::Stroke::kMeasured, {{0, nan}, {1, nan}}},
                      {"", figure::Ink::kAlarm, figure::Stroke::kDots, {{1, 1e-9}, {1000, 5}}}}};
  gaps.bands = {{"from nothing", 0, 10}, {"backwards", 9, 3}, {longest, nan, inf}};
  gaps.marks = {{longest, 10}, {"never", nan}, {"zero", 0, false}};
  return {{"negative", negative},
          {"grouped", grouped},
          {"log bars", log},
          {"many bars", many},
          {"long source", source},
          {"crowd", crowd},
          {"many boxes", rows},
          {"long table", table},
          {"cycle", cycle},
          {"wide graph", wide},
          {"holes", holes},
          {"flat", flat},
          {"fine", fine},
          {"few heights", few},
          {"ragged", ragged},
          {"gaps", gaps},
          {"long reason", figure::Nothing{longest + " " + longest}}};
}

}  // namespace ringside::test
