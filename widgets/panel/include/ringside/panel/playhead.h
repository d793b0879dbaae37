// The playhead: the instant of a trace that every panel shows. A run goes at full
// speed; what one watches is its trace, through this, at any speed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ringside/figures/instant.h"
#include "ringside/trace/trace.h"

namespace ringside {

struct Playhead {
  std::string section;  // the section watched; "": the newest one
  int64_t time_ns = 0;
  bool follow = true;  // at the live end, and moves with it
  bool playing = false;
  int64_t until_ns = 0;  // playing pauses there; 0: at the end
  double speed = 1;      // 1 to 1/1000 of real time
};

// The section the playhead is in; null before there is one.
const SectionView* watched(const Trace& trace, const Playhead& playhead);

// Moves with the clock: `seconds` since the last call. Follows the live end, or plays; stops at the end.
void advance(Playhead& playhead, const Trace& trace, double seconds);

// To the next (+1) or the one before (-1). Event: a collective's change of state, an edge of a span or a
// note; phase: forward, backward, update ... of rank 0's spans; step: those of its spans that the lesson
// calls its steps (LessonWords::step). No longer follows. False where there is none: the playhead then stays.
enum class Stride { kEvent, kPhase, kStep };
bool stride(Playhead& playhead, const Trace& trace, Stride stride, int direction,
            std::string_view step = kStepSpan);

}  // namespace ringside
