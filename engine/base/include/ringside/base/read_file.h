// A whole file, as far as it is not too large.
#pragma once

#include <filesystem>
#include <string>

namespace ringside {

// InputError naming the path, and the system's reason or the limit. At most `most` bytes are kept, so that
// a device or pipe without an end is no danger.
std::string read_file(const std::filesystem::path& path, size_t most);

}  // namespace ringside
