// What a frame costs us: CPU time of the interface's thread from NewFrame() to Render(), without
// the waiting for input, the driver and the screen.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace ringside::gui {

class FrameTimes {
 public:
  static constexpr int kRing = 512;
  static constexpr int kBuckets = 128;  // of the histogram: eight to a doubling, from 1 us

  void add(int64_t ns);
  int64_t count() const { return count_; }
  // Of the last kRing frames, in milliseconds; 0 before the first. `share`: 0.5, 0.99.
  double recent(double share) const;
  // Of all frames, to within a bucket's width (9%).
  double overall(double share) const;
  // "0.5 ms 12, 1 ms 80, 2 ms 3": how many frames took at most that long, and longer than the one before.
  std::string histogram() const;

 private:
  std::array<int64_t, kRing> ring_{};
  std::array<int64_t, kBuckets> buckets_{};
  int64_t count_ = 0;
};

// Of the one thread that draws: whole frames, and the live panel in them.
FrameTimes& frame_times();
FrameTimes& live_panel_times();
int64_t thread_cpu_ns();

// Adds the time of its own life.
class FrameTimeScope {
 public:
  explicit FrameTimeScope(FrameTimes& times) : times_(times), began_(thread_cpu_ns()) {}
  ~FrameTimeScope() { times_.add(thread_cpu_ns() - began_); }
  FrameTimeScope& operator=(FrameTimeScope&&) = delete;

 private:
  FrameTimes& times_;
  int64_t began_;
};

}  // namespace ringside::gui
