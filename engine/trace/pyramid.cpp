#include "ringside/trace/pyramid.h"

#include <algorithm>

#include "ringside/base/check.h"

namespace ringside {
namespace {

void widen(std::optional<MinMax>& total, MinMax part) {
  total = total ? MinMax{std::min(total->min, part.min), std::max(total->max, part.max)} : part;
}

}  // namespace

void Pyramid::add(int64_t time_ns, double value) {
  const size_t index = points_.size();
  if (index > 0) time_ns = std::max(time_ns, points_[index - 1].time_ns);
  // Nodes that this point completes are published before the point itself, so
  // that whoever sees the point finds them.
  MinMax node{value, value};
  size_t end = index + 1;  // points, then nodes, up to and with the new one
  for (size_t level = 0; level < kLevels && end % kFanout == 0; ++level, end /= kFanout) {
    for (size_t i = end - kFanout; i + 1 < end; ++i) {
      const MinMax child = level == 0 ? MinMax{points_[i].value, points_[i].value} : levels_[level - 1][i];
      node = {std::min(node.min, child.min), std::max(node.max, child.max)};
    }
    levels_[level].push(node);
  }
  points_.push({time_ns, value});
}

std::optional<MinMax> Pyramid::range(size_t first, size_t last) const {
  RINGSIDE_CHECK_LE(last, points_.size());
  std::optional<MinMax> total;
  // Level by level upwards: the ragged ends of [first, last) are read here, the
  // whole nodes between them one level up.
  for (size_t level = 0; first < last; ++level) {
    const auto read = [&](size_t i) {
      widen(total, level == 0 ? MinMax{points_[i].value, points_[i].value} : levels_[level - 1][i]);
    };
    while (first < last && (level == kLevels || first % kFanout != 0)) read(first++);
    while (first < last && last % kFanout != 0) read(--last);
    first /= kFanout;
    last /= kFanout;
  }
  return total;
}

size_t Pyramid::lower_bound(int64_t time_ns, size_t size) const {
  RINGSIDE_CHECK_LE(size, points_.size());
  size_t low = 0;
  for (size_t high = size; low < high;) {
    const size_t middle = low + (high - low) / 2;
    if (points_[middle].time_ns < time_ns)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace ringside
