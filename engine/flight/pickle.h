// A pickle of plain values, as JSON. Nothing is looked up and nothing is called: an opcode that would do so
// is refused by the name of what it asks for ("posix.system"). Protocols 0 to 5 (Lib/pickletools.py), text
// and numbers, lists, tuples, sets and dicts with texts or numbers as keys.
#pragma once

#include <functional>
#include <string_view>

#include "ringside/base/json.h"

namespace ringside::inline flight {

// `take` is shown each dict once it is complete; where it returns true null stands in its place, so that a
// long list of records never exists as a whole. JsonRejected for what is no such pickle, for one that is
// deeper than 32, and where the values that exist at one time need more than `most_bytes`.
Json parse_pickle(std::string_view bytes, size_t most_bytes, const std::function<bool(Json&)>& take);

bool looks_like_pickle(std::string_view bytes);  // protocol 2 or later

}  // namespace ringside::inline flight
