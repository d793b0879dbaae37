// Which files of a tree are there to be read. Symbolic links are not followed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "notes.h"

namespace ringside {

inline constexpr int64_t kMaxEntries = 200'000;

struct Listing {
  std::vector<std::string> files;    // relative to the root, with '/'; sorted, whatever the directory's order
  std::vector<std::string> folders;  // directly beneath the root, even if nothing is in them
};

// Every regular file but hidden ones and those in hidden or build folders.
// InputError if the root is missing, no folder or unreadable, or holds more than kMaxEntries.
Listing walk_tree(const std::string& root, Notes& notes);

// The same, of what git tracks (git_files.cpp). Nothing if the root is no
// repository, or git is missing or refuses ("dubious ownership").
std::optional<Listing> list_tracked(const std::string& root, Notes& notes);

// A hidden name, or one that build tools and package managers fill.
bool is_set_aside(const std::string& name);

// Whether root/name is a regular file; if it is not, it is noted why.
bool is_regular_file(const std::string& root, const std::string& name, Notes& notes);

}  // namespace ringside
