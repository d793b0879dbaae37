#include "ringside/lesson/curves.h"

#include <algorithm>
#include <cmath>

#include "ringside/lesson/tr.h"

namespace ringside::inline kit {

void record_line(Recorder& recorder, const std::string& line, const std::vector<double>& values) {
  for (size_t i = 0; i < values.size(); ++i) record_point(recorder, line, double(i + 1), values[i]);
}

std::vector<std::pair<std::string, std::vector<figure::Point>>> curves_of(const SectionView* section) {
  std::vector<std::pair<std::string, std::vector<figure::Point>>> all;
  for (const CurvePoint& row : rows_in<CurvePoint>(section)) {
    auto line = std::ranges::find(all, row.line, [](const auto& one) { return one.first; });
    if (line == all.end()) line = all.insert(line, {row.line, {}});
    line->second.push_back({row.x, row.y});
  }
  return all;
}

std::vector<figure::Point> curve(const SectionView* section, const std::string& line, int64_t until_ns) {
  std::vector<figure::Point> points;
  for (const CurvePoint& row : rows_in<CurvePoint>(section, until_ns))
    if (row.line == line) points.push_back({row.x, row.y});
  return points;
}
std::vector<figure::Point> curve(const Trace& trace, const char* section, const std::string& line) {
  return curve(trace.find(section), line);
}

double first_of(const Trace& trace, const char* section, const std::string& line) {
  const auto points = curve(trace, section, line);
  return points.empty() ? figure::kNone : points.front().y;
}
double last_of(const Trace& trace, const char* section, const std::string& line) {
  const auto points = curve(trace, section, line);
  return points.empty() ? figure::kNone : points.back().y;
}
double most_of(const Trace& trace, const char* section, const std::string& line) {
  double most = figure::kNone;
  for (const figure::Point& point : curve(trace, section, line)) most = std::fmax(most, point.y);
  return most;
}

FigureValue table_of_curves(const char* section, std::string x, std::vector<std::string> names) {
  return [=](const FigureInput& input) {
    figure::Table table{{{x, "", true}}, {}};
    for (const std::string& name : names) {
      table.columns.push_back({name, "", true});
      const auto points = curve(input.trace, section, name);
      const bool first = table.columns.size() == 2;
      if (first) table.rows.resize(points.size());
      for (size_t i = 0; i < table.rows.size(); ++i) {
        const figure::Point point = i < points.size() ? points[i] : figure::Point{0, figure::kNone};
        if (first) table.rows[i].push_back({tr("{:.4g}", point.x), point.x});
        table.rows[i].push_back({std::isnan(point.y) ? "" : tr("{:.3g}", point.y), point.y});
      }
    }
    return table;
  };
}

}  // namespace ringside::inline kit

namespace ringside::figure {

Lines lines_of(const SectionView* section, Axis x, Axis y, const std::vector<std::string>& names,
               int64_t until_ns) {
  Lines lines{std::move(x), std::move(y), {}};
  for (size_t i = 0; i < names.size(); ++i)
    if (auto points = curve(section, names[i], until_ns); !points.empty())
      lines.lines.push_back({names[i], hue(i), Stroke::kMeasured, std::move(points)});
  return lines;
}

}  // namespace ringside::figure
