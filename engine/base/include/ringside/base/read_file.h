// Files read no further than a bound, so that a device or pipe without an end is no danger.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace ringside::inline base {

// The first `most` bytes, or all of them where there are fewer; nothing where it cannot be read.
std::optional<std::string> read_at_most(const std::filesystem::path& path, size_t most);

// All of it. InputError naming the path, and the system's reason or the limit.
std::string read_file(const std::filesystem::path& path, size_t most);

}  // namespace ringside::inline base
