#include "frame_times.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ringside::gui {
namespace {

constexpr double kPerDoubling = 8;

int bucket_of(int64_t ns) {
  const double microseconds = std::max(1.0, double(ns) / 1e3);
  return std::min(FrameTimes::kBuckets - 1, int(std::log2(microseconds) * kPerDoubling));
}
// The upper end, in milliseconds.
double end_of(int bucket) { return std::exp2((bucket + 1) / kPerDoubling) / 1e3; }

// How many of `count` values lie at or below the asked one; at least one.
int64_t rank_of(double share, int64_t count) {
  return std::clamp(int64_t(std::ceil(share * double(count))), int64_t{1}, count);
}

}  // namespace

void FrameTimes::add(int64_t ns) {
  ring_[size_t(count_ % kRing)] = ns;
  ++buckets_[size_t(bucket_of(ns))];
  ++count_;
}

double FrameTimes::recent(double share) const {
  if (count_ == 0) return 0;
  const auto kept = std::ptrdiff_t(std::min<int64_t>(count_, kRing));
  std::vector<int64_t> times(ring_.begin(), ring_.begin() + kept);
  const auto nth = times.begin() + std::ptrdiff_t(rank_of(share, kept) - 1);
  std::nth_element(times.begin(), nth, times.end());
  return double(*nth) / 1e6;
}

double FrameTimes::overall(double share) const {
  if (count_ == 0) return 0;
  int64_t left = rank_of(share, count_);
  for (int bucket = 0; bucket < kBuckets; ++bucket) {
    left -= buckets_[size_t(bucket)];
    if (left <= 0) return end_of(bucket);
  }
  return end_of(kBuckets - 1);
}

std::string FrameTimes::histogram() const {
  constexpr double kEdges[] = {0.25, 0.5, 1, 2, 4, 8, 16, 33, 1e9};
  std::string line;
  int bucket = 0;
  for (const double edge : kEdges) {
    int64_t frames = 0;
    for (; bucket < kBuckets && end_of(bucket) <= edge * 1.05; ++bucket) frames += buckets_[size_t(bucket)];
    if (frames == 0) continue;
    line += (line.empty() ? "" : ", ") +
            (edge < 1e9 ? fmt::format("{:g} ms {}", edge, frames) : fmt::format("longer {}", frames));
  }
  return line;
}

FrameTimes& frame_times() {
  static FrameTimes times;
  return times;
}

FrameTimes& live_panel_times() {
  static FrameTimes times;
  return times;
}

int64_t thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace ringside::gui
