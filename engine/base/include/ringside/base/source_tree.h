// Where the files of the project lie that are read at run time. No path is compiled in: a tree that has been
// moved with its build folder works.
#pragma once

#include <filesystem>
#include <string>

namespace ringside::inline base {

// That this program lies in.
std::filesystem::path program_folder();

// How a person calls this program with these words: "./run zero" in the tree, "ringside run zero" where it is
// installed.
std::string run_line(const std::string& words);

// The folder assets/ of the tree: what RINGSIDE_ASSETS names; without it the first one that has
// corpus/self.gz, in the folders above the running program, then in the current folder and those above it.
// MissingError naming where was looked and what to set.
std::filesystem::path assets();
// A file as a person names it, with a / or with .json at its end; or the one of that name in a folder of
// assets/: ("models", "qwen2_5_vl_7b"). It may not be there.
std::string asset(const std::string& folder, const std::string& name);

}  // namespace ringside::inline base
