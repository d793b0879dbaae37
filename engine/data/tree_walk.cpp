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

// Of the entry itself, even if it is a symbolic link.
fs::file_type type_of(const std::string& root, const std::string& name) {
  std::error_code error;
  return fs::symlink_status(fs::path(root) / name, error).type();
}

InputError unreadable_root(const std::string& root, const std::error_code& error) {
  return InputError(printable(root) + ": " + error.message() + "; name a folder that you may read");
}

void check_root(const std::string& root) {
  std::error_code error;
  const fs::file_status status = fs::status(root, error);
  if (status.type() == fs::file_type::not_found) {
    throw InputError(printable(root) + ": there is no such folder; name one that exists");
  }
  if (error) throw unreadable_root(root, error);
  if (!fs::is_directory(status)) {
    throw InputError(printable(root) + ": is not a folder; name the folder that the files are in");
  }
}

// Names in a folder, in any order. `room`: how many more entries are allowed; counts down.
std::vector<std::string> names_in(const std::string& root, const std::string& folder, int64_t& room,
                                  std::error_code& error) {
  std::vector<std::string> names;
  const fs::directory_iterator end;
  for (fs::directory_iterator entry(fs::path(root) / folder, error); !error && entry != end;
       entry.increment(error)) {
    if (--room < 0) {
      throw InputError(fmt::format("{}: more than {} entries were found; name a smaller folder",
                                   printable(root), format_count(kMaxEntries)));
    }
    names.push_back(entry->path().filename().string());
  }
  return names;
}

}  // namespace

bool is_set_aside(const std::string& name) {
  static const std::vector<std::string> folders = {"build",        "out",         "target", "dist",
                                                   "node_modules", "__pycache__", "venv"};
  return name.starts_with('.') || name.starts_with("build-") || name.starts_with("cmake-build-") ||
         std::find(folders.begin(), folders.end(), name) != folders.end();
}

bool is_regular_file(const std::string& root, const std::string& name, Notes& notes) {
  switch (type_of(root, name)) {
    case fs::file_type::regular:
      return true;
    case fs::file_type::symlink:
      notes.add(Noted::kSymlink, name);
      break;
    case fs::file_type::none:
    case fs::file_type::not_found:
      notes.add(Noted::kUnreadable, name);
      break;
    default:
      notes.add(Noted::kSpecial, name);
  }
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
    const std::vector<std::string> names = names_in(root, folder, room, error);
    if (error && folder.empty()) throw unreadable_root(root, error);
    if (error) notes.add(Noted::kUnreadable, folder);
    for (const std::string& name : names) {
      const std::string path = folder + name;
      const bool is_folder = type_of(root, path) == fs::file_type::directory;
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
