#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "listing.h"
#include "ringside/base/error.h"
#include "ringside/base/units.h"
#include "utf8.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

void check_root(const std::string& root) {
  std::error_code error;
  const fs::file_status status = fs::status(root, error);
  const std::string name = printable(root);
  if (status.type() == fs::file_type::not_found) {
    throw InputError(fmt::format("{}: there is no such folder; data=folder:PATH takes one that exists", name));
  }
  if (error) throw InputError(fmt::format("{}: {}; name a folder that you may read", name, error.message()));
  if (!fs::is_directory(status)) {
    throw InputError(fmt::format("{}: is not a folder; name the folder that the files are in", name));
  }
}

// Names in a folder, sorted. `room`: how many more entries are allowed; counts down.
std::vector<std::string> sorted_names(const fs::path& folder, int64_t& room, std::error_code& error) {
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (--room < 0) {
      throw InputError(fmt::format("{}: more than {} entries were found; name a smaller folder",
                                   printable(folder.string()), format_count(kMaxEntries)));
    }
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

bool is_set_aside(const std::string& name) {
  static const std::vector<std::string> folders = {"build", "out", "target", "dist", "node_modules",
                                                   "__pycache__", "venv"};
  return name.starts_with('.') || name.starts_with("build-") || name.starts_with("cmake-build-") ||
         std::find(folders.begin(), folders.end(), name) != folders.end();
}

bool is_regular_file(const std::string& root, const std::string& name, Notes& notes) {
  std::error_code error;
  const fs::file_type type = fs::symlink_status(fs::path(root) / name, error).type();
  if (type == fs::file_type::regular) return true;
  const bool unreadable = type == fs::file_type::none || type == fs::file_type::not_found;
  notes.add(type == fs::file_type::symlink ? Noted::kSymlink : unreadable ? Noted::kUnreadable : Noted::kSpecial,
            name);
  return false;
}

Listing walk_tree(const std::string& root, Notes& notes) {
  check_root(root);
  Listing listing;
  int64_t room = kMaxEntries;
  std::vector<std::string> waiting = {""};  // folders, each "" or ending in '/'
  while (!waiting.empty()) {
    const std::string folder = waiting.back();
    waiting.pop_back();
    std::error_code error;
    const std::vector<std::string> names = sorted_names(fs::path(root) / folder, room, error);
    if (error && folder.empty()) {
      throw InputError(fmt::format("{}: {}; name a folder that you may read", printable(root), error.message()));
    }
    if (error) notes.add(Noted::kUnreadable, folder);
    for (const std::string& name : names) {
      const std::string path = folder + name;
      std::error_code unknown;
      const bool is_folder = fs::symlink_status(fs::path(root) / path, unknown).type() == fs::file_type::directory;
      if (is_set_aside(name) && (is_folder || name.starts_with('.'))) {
        notes.add(Noted::kSetAside, path);
      } else if (is_folder) {
        if (folder.empty()) listing.folders.push_back(name);
        waiting.push_back(path + "/");
      } else if (is_regular_file(root, path, notes)) {
        listing.files.push_back(path);
      }
    }
  }
  std::sort(listing.files.begin(), listing.files.end());
  return listing;
}

}  // namespace ringside
