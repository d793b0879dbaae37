// Files written so that they are either whole or not there: beside their place under a name of their own,
// flushed to the disk, then renamed. Files read no further than a bound.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <ostream>
#include <string>

namespace ringside {

// What `write` puts into the stream becomes the file. A pipe or a device is
// written in place. InputError naming the path and the system's reason; the old
// file, if any, is then as it was.
void write_file_atomically(const std::filesystem::path& path,
                           const std::function<void(std::ostream&)>& write);

// The first `most` bytes, or all of them where there are fewer; nothing where it cannot be read.
std::optional<std::string> read_at_most(const std::filesystem::path& path, size_t most);

}  // namespace ringside
