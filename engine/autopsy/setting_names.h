// Which words of a command line or a file are which setting, and what its value may be.
#pragma once

#include <string_view>

#include "ringside/autopsy/settings.h"

namespace ringside::inline logs {

// `key` as it is written ("--nproc-per-node", "zero_optimization.stage"), `value` as text. A key that is not
// known, and a value that stands for none ("auto", "$NODES"), is passed over. Whether the key is known.
// InputError naming the key.
bool add_known(std::string_view key, std::string_view value, const Evidence& from, JobSettings& settings);

}  // namespace ringside::inline logs
