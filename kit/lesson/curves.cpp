#include "ringside/lesson/curves.h"

#include <algorithm>
#include <cmath>

namespace ringside::inline kit {

void record_line(Recorder& recorder, const std::string& line, const std::vector<double>& values) {
  for (size_t i = 0; i < values.size(); ++i) record_point(recorder, line, double(i + 1), values[i]);
}

void record_line(Recorder& recorder, const std::string& line, const std::vector<figure::Point>& points) {
  for (const figure::Point& point : points) record_point(recorder, line, point.x, point.y);
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
std::vector<figure::Point> curve(const Trace& trace, const std::string& section, const std::string& line) {
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

std::vector<figure::Point> smoothed(const std::vector<figure::Point>& points, size_t count) {
  std::vector<figure::Point> means;
  for (size_t i = count - 1; i < points.size(); ++i) {
    double sum = 0;
    for (size_t j = 0; j < count; ++j) sum += points[i - j].y;
    means.push_back({points[i].x, sum / double(count)});
  }
  return means;
}

void raise(std::vector<figure::Point>& edge, const std::vector<figure::Point>& points) {
  if (edge.empty()) edge = points;
  for (size_t i = 0; i < std::min(edge.size(), points.size()); ++i)
    edge[i].y = std::max(edge[i].y, points[i].y);
}
void lower(std::vector<figure::Point>& edge, const std::vector<figure::Point>& points) {
  if (edge.empty()) edge = points;
  for (size_t i = 0; i < std::min(edge.size(), points.size()); ++i)
    edge[i].y = std::min(edge[i].y, points[i].y);
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
