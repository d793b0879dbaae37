// The fields that a block of a lesson's texts may have (lesson_of.h, question_text.h).
#pragma once

#include "ringside/lesson/text_blocks.h"

namespace ringside::inline kit {

// InputError naming the block and the field that blocks of its kind have not: its text would be lost.
void check_fields(const TextBlock& block);

}  // namespace ringside::inline kit
