// Curves as rows of a trace: one table for all measurements that are a y over an x. The section says what was
// measured, `line` of what.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ringside/lesson/rows.h"

namespace ringside::inline kit {

struct CurvePoint {
  static constexpr Columns kTable{"points", "line", "x", "y"};
  std::string line;  // of the section's picture
  double x = 0, y = 0;
};

inline void record_point(Recorder& recorder, const std::string& line, double x, double y) {
  record_row(recorder, CurvePoint{line, x, y});
}

// The values at x = 1, 2, ...
void record_line(Recorder& recorder, const std::string& line, const std::vector<double>& values);
void record_line(Recorder& recorder, const std::string& line, const std::vector<figure::Point>& points);

// All lines of a section, in the order of their first points.
std::vector<std::pair<std::string, std::vector<figure::Point>>> curves_of(const SectionView* section);
// In the order of recording, as far as the section had come at the instant; empty where it has no such line.
std::vector<figure::Point> curve(const SectionView* section, const std::string& line,
                                 int64_t until_ns = std::numeric_limits<int64_t>::max());
std::vector<figure::Point> curve(const Trace& trace, const std::string& section, const std::string& line);
// Of its y; NaN where there is no point.
double first_of(const Trace& trace, const char* section, const std::string& line);
double last_of(const Trace& trace, const char* section, const std::string& line);
double most_of(const Trace& trace, const char* section, const std::string& line);
// Of each point and those before it, `count` together, the mean, at its x. The first points have none.
std::vector<figure::Point> smoothed(const std::vector<figure::Point>& points, size_t count);
// The edge of several curves: raised (or lowered) to these points, as far as both go. It begins empty.
void raise(std::vector<figure::Point>& edge, const std::vector<figure::Point>& points);
void lower(std::vector<figure::Point>& edge, const std::vector<figure::Point>& points);

}  // namespace ringside::inline kit

namespace ringside::figure {
// The lines of these names, in this order, in five hues. A name without points is left out.
Lines lines_of(const SectionView* section, Axis x, Axis y, const std::vector<std::string>& names,
               int64_t until_ns = std::numeric_limits<int64_t>::max());
}  // namespace ringside::figure
