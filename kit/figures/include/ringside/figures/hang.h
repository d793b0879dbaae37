// What there is to look at where a training hangs (trace/hang_rows.h): a look opens a figure, in the terminal
// as in the room (lesson/investigation.h). Where the lesson has no such looks, all are open.
#pragma once

#include <string>
#include <vector>

#include "ringside/lesson/lesson.h"

namespace ringside::inline kit {

// Questions of the lesson that figures must not answer while they are open.
struct HangQuestions {
  std::vector<std::string> contents = {};  // what a call carries
  std::vector<std::string> sizes = {};     // how many elements a log names
};

// "calls": the raw dump, lanes by number; "time": by time. "logs": what each rank printed last. "counters":
// the last number of each group, rank by rank. "stacks": where each thread stood. "waits": the merged
// verdict. Of the section `section`, where nobody has chosen one.
std::vector<FigureSpec> hang_figures(const std::string& section, const HangQuestions& questions = {});
std::vector<Readout> hang_readouts(const FigureInput& input);  // the deadline, and how it ended

// "✗ timeout after 1.0 s", "✓ runs to its end"
std::string ended_words(const SectionView& section);
std::string without_sizes(std::string log);  // "NumelIn=?": while somebody is asked for it

}  // namespace ringside::inline kit
