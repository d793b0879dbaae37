// The lesson's pictures as data: the log, the evidence, how runs ended, the bucket, the numbers, and memory.
#pragma once

#include <string>
#include <vector>

#include "ringside/lesson/lesson.h"

namespace ringside::nccl_lesson {

std::vector<FigureSpec> figures();
// The source's line with the scenario's number, as it reads.
std::string line_of_source(const Config& config);
// "timeout after 1.0 s", "completed"
std::string ended_words(const SectionView& section);

}  // namespace ringside::nccl_lesson
