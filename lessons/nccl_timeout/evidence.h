// What there is to look at: a look opens a figure, in the terminal as in the room. The truth waits for an
// answer.
#pragma once

#include <string>
#include <vector>

#include "ringside/lesson/lesson.h"

namespace ringside::nccl_lesson {

// Of the word look=...; UsageError for one that does not exist.
std::vector<std::string> looks_of(const Config& config);
// Whether the case that the section belongs to has been answered rightly, or its answer was asked for.
bool is_solved(const Config& config, const SectionView& section);

// "logs": what each rank printed last. "counters": the last number of each group, rank by rank. "stacks":
// where each thread stood. "calls": the raw dump, lanes by number; "time": by time. "waits": the merged
// verdict.
std::vector<FigureSpec> evidence();
// The figure that a look opens: "dump" opens "calls".
std::string figure_of_look(const std::string& look);
std::vector<Readout> readouts(const FigureInput& input);

}  // namespace ringside::nccl_lesson
