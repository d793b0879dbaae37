// gzip (RFC 1952), bounded.
#pragma once

#include <cstddef>
#include <string>

namespace ringside::inline data {

// What one gzip stream holds. InputError naming `name` if it is no such stream, damaged, cut off or followed
// by more, or if it holds more than max_plain bytes. It is unpacked twice: first to nowhere, so that what is
// refused takes no memory, and what is not takes as much as it has.
std::string gunzip(const std::string& packed, size_t max_plain, const std::string& name);

}  // namespace ringside::inline data
