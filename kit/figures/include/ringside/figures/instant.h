// The instant of a trace that a figure shows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ringside/lesson/lesson.h"

namespace ringside::inline kit {

// From the first recorded moment of a section to the last one that every rank has come to, but those that
// said that they have gone (that any has, in a section that broke, or where all have gone); {0, 0} where
// nothing was recorded.
struct TimeRange {
  int64_t first = 0, last = 0;
  int64_t length() const { return last - first; }
};
TimeRange time_range(const SectionView& section);
// When the last of a section was recorded, by whichever rank: nothing but what is freed behind it comes
// later.
int64_t last_moment(const SectionView& section);
// When the first rank ended its last step (a span named kStepSpan): what a step ends with is over on all of
// them, and none has begun what follows. last_moment() where no rank took a step.
int64_t end_of_last_step(const Trace& trace, const SectionView& section);

// What a figure shows of a section where nobody has chosen an instant (FigureSpec::of_last_step).
int64_t shown_end(const Trace& trace, const SectionView& section, bool of_last_step);

// What a rank does at that moment, in words: "backward, layer 2"; "" where nothing. Spans named `step` hold
// the others of a step (LessonWords::step).
inline constexpr std::string_view kStepSpan = "step";
struct Moment {
  int64_t step = -1;
  std::string phase, unit;
  bool operator==(const Moment&) const = default;
};
Moment moment_at(const Trace& trace, const SectionView& section, int64_t time_ns, int rank = 0,
                 std::string_view step = kStepSpan);

// Where nobody has chosen an instant: the end of the section that the figure names, or else of the newest
// one; or of its last step, as the figure says.
FigureInput default_input(const Config& config, const FigureSpec& spec, const Trace& trace);

// "SECTION", "SECTION:STEP" or "SECTION:STEP:PHASE": the end of the section, of the last span of that step on
// rank 0, or of the last one of that step and name; "SECTION::PHASE" is of any step. UsageError naming what
// there is. A section's name may hold blanks and colons: the longest one that fits is meant.
FigureInput parse_instant(const std::string& text, const Config& config, const Trace& trace,
                          bool of_last_step = false);
void check_instant(const std::string& text);  // UsageError for what no trace can have: before a run

}  // namespace ringside::inline kit
