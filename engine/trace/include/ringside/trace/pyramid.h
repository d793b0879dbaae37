// Min/max pyramid over a series of (time, value): each node of level k covers
// 8^k points and is written once, when its last point has come. Adding a point
// costs O(1) amortised; the range of any stretch of a million points is read
// from at most 14 nodes a level, so a plot costs the same at every zoom.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "ringside/trace/append_only.h"

namespace ringside::inline trace {

struct MinMax {
  double min = 0;
  double max = 0;
};

class Pyramid {
 public:
  void add(int64_t time_ns, double value);  // a time before the last one counts as the last one
  size_t size() const { return points_.size(); }
  int64_t time(size_t index) const { return points_[index].time_ns; }
  double value(size_t index) const { return points_[index].value; }

  // Over the points [first, last) of a snapshot; empty where there are none.
  std::optional<MinMax> range(size_t first, size_t last) const;
  // The first index in [0, size) whose time is at or after `time_ns`.
  size_t lower_bound(int64_t time_ns, size_t size) const;

 private:
  static constexpr size_t kFanout = 8;
  static constexpr size_t kLevels = 10;  // 8^10 points under the topmost node
  struct Point {
    int64_t time_ns;
    double value;
  };
  MinMax node(size_t level, size_t index) const;  // level 0: the points themselves

  AppendOnly<Point> points_;
  std::array<AppendOnly<MinMax>, kLevels> levels_;  // levels_[k] covers 8^(k+1) points a node
};

}  // namespace ringside::inline trace
