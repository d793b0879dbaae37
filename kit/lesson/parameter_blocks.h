// What a block of text (lesson_of.h) says of a parameter.
#pragma once

#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/text_blocks.h"

namespace ringside::inline kit {

// A field's number, or formula without symbols; `otherwise` where the block lacks it.
double number_of(const TextBlock& block, const char* field, double otherwise);
// InvariantError naming a block whose kind there is not, or some of whose choices have no meaning.
ParameterSpec parameter_of(const TextBlock& block);

}  // namespace ringside::inline kit
