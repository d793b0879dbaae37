// The gzip format (RFC 1952), by zlib.
#pragma once

#include <cstddef>
#include <string>

namespace ringside {

// What one gzip stream holds. InputError naming `name` if it is no such stream, damaged, cut off or
// followed by more, or if it holds more than max_plain bytes; no more than those are ever unpacked.
std::string gunzip(const std::string& packed, size_t max_plain, const std::string& name);

}  // namespace ringside
