// What one rank recorded, as bytes that another process adds to its own trace: so the trace of a run whose
// ranks are processes comes together. Nothing in the bytes is believed before it is checked.
#pragma once

#include <string>
#include <string_view>

#include "ringside/trace/trace.h"

namespace ringside::inline trace {

// How far a rank's tracks had come.
struct TrackMarks {
  std::array<size_t, 6 + kCategoryCount> sizes{};  // (track): six kinds of events, memory of each category
  bool operator==(const TrackMarks&) const = default;
  TrackMarks& operator+=(const TrackMarks& more);
};

class RankPart {
 public:
  static TrackMarks mark(const Recorder& recorder);
  // What it recorded behind the marks, until others; also while it goes on to record.
  static std::string pack(const Recorder& recorder, const TrackMarks& since, const TrackMarks& until);
  static std::string pack(const Recorder& recorder, const TrackMarks& since) {
    return pack(recorder, since, mark(recorder));
  }
  // Adds that to the same rank's tracks here, but for the first of each, which are there; returns how many it
  // has. Times of the part are `shift_ns` less than here. InputError for bytes that are no part, or another
  // rank's: then nothing is added.
  static TrackMarks unpack(std::string_view part, Recorder& into, int64_t shift_ns,
                           const TrackMarks& known = {});
};

}  // namespace ringside::inline trace
