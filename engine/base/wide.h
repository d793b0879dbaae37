// Columns of one letter, and between which letters a line may end without a blank.
#pragma once

#include <cstddef>
#include <string_view>

namespace ringside::inline base {

size_t columns_of(char32_t code);
// Beside a wide letter, as Chinese and Japanese are written.
bool may_break(char32_t before, char32_t behind);

}  // namespace ringside::inline base
