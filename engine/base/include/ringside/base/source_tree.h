// Where the files of the project lie that are read at run time. No path is compiled in: a tree that has been
// moved with its build folder works.
#pragma once

#include <filesystem>

namespace ringside {

// That this program lies in.
std::filesystem::path program_folder();

// The folder assets/ of the tree: what RINGSIDE_ASSETS names; without it the first one that has
// corpus/self.gz, in the folders above the running program, then in the current folder and those above it.
// MissingError naming where was looked and what to set.
std::filesystem::path assets();

}  // namespace ringside
