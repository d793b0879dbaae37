// Files written so that they are either whole or not there: beside their place under a name of their own,
// flushed to the disk, then renamed.
#pragma once

#include <filesystem>
#include <functional>
#include <ostream>

namespace ringside::inline base {

// What `write` puts into the stream becomes the file. A pipe or a device is written in place. InputError
// naming the path and the system's reason; the old file, if any, is then as it was.
void write_file_atomically(const std::filesystem::path& path,
                           const std::function<void(std::ostream&)>& write);

}  // namespace ringside::inline base
