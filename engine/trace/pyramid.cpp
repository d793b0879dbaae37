#include "ringside/trace/pyramid.h"

#include <algorithm>
#include <ranges>

#include "ringside/base/check.h"

namespace ringside::inline trace {
namespace {

MinMax joined(MinMax a, MinMax b) { return {std::min(a.min, b.min), std::max(a.max, b.max)}; }

}  // namespace

MinMax Pyramid::node(size_t level, size_t i) const {
  return level == 0 ? MinMax{points_[i].value, points_[i].value} : levels_[level - 1][i];
}

void Pyramid::add(int64_t time_ns, double value) {
  const size_t index = points_.size();
  if (index > 0) time_ns = std::max(time_ns, points_[index - 1].time_ns);
  // Nodes that this point completes are published before the point itself, so
  // that a reader that sees the point finds them.
  MinMax all{value, value};
  size_t end = index + 1;  // points, then nodes, up to and with the new one
  for (size_t level = 0; level < kLevels && end % kFanout == 0; ++level, end /= kFanout) {
    for (size_t i = end - kFanout; i + 1 < end; ++i) all = joined(all, node(level, i));
    levels_[level].push(all);
  }
  points_.push({time_ns, value});
}

std::optional<MinMax> Pyramid::range(size_t first, size_t last) const {
  RINGSIDE_CHECK_LE(last, points_.size());
  std::optional<MinMax> total;
  // Level by level upwards: the ragged ends of [first, last) are read here, the
  // whole nodes between them one level up.
  for (size_t level = 0; first < last; ++level) {
    const auto read = [&](size_t i) { total = joined(total.value_or(node(level, i)), node(level, i)); };
    while (first < last && (level == kLevels || first % kFanout != 0)) read(first++);
    while (first < last && last % kFanout != 0) read(--last);
    first /= kFanout;
    last /= kFanout;
  }
  return total;
}

size_t Pyramid::lower_bound(int64_t time_ns, size_t size) const {
  RINGSIDE_CHECK_LE(size, points_.size());
  const auto is_before = [&](size_t i) { return points_[i].time_ns < time_ns; };
  return *std::ranges::partition_point(std::views::iota(size_t{0}, size), is_before);
}

}  // namespace ringside::inline trace
