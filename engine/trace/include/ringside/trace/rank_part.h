// What one rank recorded, as bytes that another process adds to its own trace: so the trace of a run whose
// ranks are processes comes together. Nothing in the bytes is believed before it is checked.
#pragma once

#include <string>
#include <string_view>

#include "ringside/trace/trace.h"

namespace ringside {

// How far a rank's tracks had come.
struct TrackMarks {
  size_t collectives = 0, spans = 0, scalars = 0, notes = 0, rows = 0, messages = 0;
  std::array<size_t, kCategoryCount> memory{};
};

class RankPart {
 public:
  static TrackMarks mark(const Recorder& recorder);
  // What it recorded behind the marks.
  static std::string pack(const Recorder& recorder, const TrackMarks& since);
  // Adds that to the same rank's tracks here. Times of the part are `shift_ns` less than here. InputError for
  // bytes that are no part, or another rank's: then nothing is added.
  static void unpack(std::string_view part, Recorder& into, int64_t shift_ns);
};

}  // namespace ringside
