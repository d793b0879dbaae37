// Which files of a tree are there to be read. Symbolic links are not followed.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "text_file.h"

namespace ringside::inline data {

inline constexpr int64_t kMaxEntries = 200'000;

struct Listing {
  std::vector<std::string> files;    // relative to the root, with '/'; sorted, whatever the directory's order
  std::vector<std::string> folders;  // directly beneath the root, even if nothing is in them
};

// Every regular file but hidden ones and those in hidden or build folders.
// InputError if the root is missing, no folder or unreadable, or holds more than kMaxEntries.
Listing walk_tree(const std::string& root, Notes& notes);

// The same, of what git tracks. Nothing if the root is no repository, or git is missing or refuses ("dubious
// ownership").
std::optional<Listing> list_tracked(const std::string& root, Notes& notes);

// What `command` (program, arguments...) writes to its standard output; nothing if it cannot be started,
// fails, writes more than max_bytes or is late (then it is killed, with what it started). Its standard input
// is empty, its standard error is dropped.
std::optional<std::string> capture(const std::vector<std::string>& command, size_t max_bytes,
                                   std::chrono::milliseconds limit);

}  // namespace ringside::inline data
