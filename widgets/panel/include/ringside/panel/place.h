// A place in a run that another run of the lesson has as well: "the start of backward in the third step of
// stage 2".
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "ringside/figures/instant.h"

namespace ringside {

struct Place {
  std::string section = {};
  int64_t step = -1;                  // -1: of no step, `part` is then of the section
  std::string phase = {}, unit = {};  // of rank 0's spans; "": the step itself
  double part = 0;                    // of that span: 0 its start, 1 its end
};

// `step`: what the lesson calls its steps (LessonWords::step).
Place place_of(const Trace& trace, const SectionView& section, int64_t time_ns,
               std::string_view step = kStepSpan);
// When that is; none before its step has ended. A step without that phase, or a phase without that unit, has
// the place in the whole of it.
std::optional<int64_t> instant_of(const Trace& trace, const Place& place, std::string_view step = kStepSpan);

// From the start to the end of that step on rank 0; none where it has not ended.
std::optional<TimeRange> range_of_step(const Trace& trace, const SectionView& section, int64_t number,
                                       std::string_view step = kStepSpan);
// The last step that has ended and had begun by then; -1 for none.
int64_t last_step(const Trace& trace, const SectionView& section, std::string_view step = kStepSpan,
                  int64_t began_by_ns = std::numeric_limits<int64_t>::max());

}  // namespace ringside
