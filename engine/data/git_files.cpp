#include <algorithm>
#include <filesystem>
#include <sstream>

#include "capture.h"
#include "listing.h"

namespace ringside {
namespace {

constexpr size_t kMaxOutput = size_t{16} << 20;
constexpr std::chrono::milliseconds kLimit{5000};

// Whether a part of the path is set aside: as walk_tree has it, so that a copy
// of the tree without its .git gives the same data.
bool lies_aside(const std::string& path) {
  std::istringstream parts(path);
  std::string part;
  while (std::getline(parts, part, '/')) {
    const bool is_file = parts.eof();
    if (is_set_aside(part) && (!is_file || part.starts_with('.'))) return true;
  }
  return false;
}

}  // namespace

std::optional<Listing> list_tracked(const std::string& root, Notes& notes) {
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::path(root) / ".git", error)) return std::nullopt;
  // env -u: what a git hook around us sets would name another repository. No
  // fsmonitor: it is a program that the repository's configuration names.
  const auto output = capture({"env", "-u", "GIT_DIR", "-u", "GIT_WORK_TREE", "-u", "GIT_INDEX_FILE", "git",
                               "-C", root, "-c", "core.fsmonitor=false", "ls-files", "-z"},
                              kMaxOutput, kLimit);
  if (!output || output->empty()) return std::nullopt;
  Listing listing;
  std::istringstream names(*output);
  std::string name;
  while (std::getline(names, name, '\0')) {
    if (lies_aside(name)) {
      notes.add(Noted::kSetAside, name);
    } else if (is_regular_file(root, name, notes)) {
      listing.files.push_back(name);
    }
  }
  std::sort(listing.files.begin(), listing.files.end());
  const auto twice = std::unique(listing.files.begin(), listing.files.end());  // conflicts are listed thrice
  listing.files.erase(twice, listing.files.end());
  return listing;
}

}  // namespace ringside
