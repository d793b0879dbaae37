// When a value that is a function of (configuration, trace, instant) is computed anew: only where one of
// these has changed, and so seldom that computing takes no more than a tenth of the time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "ringside/base/clock.h"
#include "ringside/trace/trace.h"

namespace ringside {

// How much a trace has recorded. It only grows, so that equal counts are the same trace, shortened of
// nothing.
struct TraceMark {
  uint64_t run = 0;
  uint64_t events = 0;              // with sections, ranks and attributes
  uint64_t attributes = 0;          // where they are: others take another place
  const TraceRows* rows = nullptr;  // likewise
  bool complete = false;
  bool operator==(const TraceMark&) const = default;
};
TraceMark mark_of(const Trace& trace, uint64_t run);
// The mark anew, unless that would count the same again: a complete trace records nothing more.
inline void refresh(TraceMark& mark, const Trace& trace, uint64_t run) {
  const bool is_final = mark.complete && trace.complete() && mark.run == run && mark.rows == &trace.rows();
  if (!is_final) mark = mark_of(trace, run);
}

// What a value was computed from.
struct InputMark {
  TraceMark trace;
  uint64_t config = 0;  // counts configurations, and changes of what is open
  std::string section;
  int64_t time_ns = 0;  // 0 where the value does not follow the playhead
  bool operator==(const InputMark&) const = default;
};

inline constexpr double kLivePause = 0.1;   // seconds between two values of a run that goes on
inline constexpr double kSlowPause = 0.5;   // of what nobody reads while it moves
inline constexpr double kMostOfTime = 0.1;  // that computing takes

template <typename T>
class Recomputed {
 public:
  // `now`, `running`: the view's clock, and whether the run goes on. A value of another run, configuration or
  // section that somebody chose, or one that tells what became a question, is not shown: it is computed at
  // once. In a run that goes on sections may follow each other faster than it can be computed.
  template <typename Compute>
  const T& get(const InputMark& mark, double now, bool running, Compute compute, double pause = kLivePause) {
    const bool same = mark_ && mark_->trace.run == mark.trace.run && mark_->config == mark.config &&
                      (running || mark_->section == mark.section);
    waiting_ = same && *mark_ != mark && now < not_before_;
    if (waiting_ || mark_ == mark) return value_;
    const int64_t began = now_ns();
    value_ = compute();
    const double took = double(now_ns() - began) * 1e-9;
    not_before_ = now + std::max(running ? pause : 0.0, took / kMostOfTime);
    mark_ = mark;
    ++version_;
    return value_;
  }
  const T& value() const { return value_; }      // the last one
  bool waiting() const { return waiting_; }      // the input has changed, and its turn has not come
  uint64_t version() const { return version_; }  // counts the values

 private:
  T value_{};
  std::optional<InputMark> mark_;
  double not_before_ = 0;
  bool waiting_ = false;
  uint64_t version_ = 0;
};

}  // namespace ringside
