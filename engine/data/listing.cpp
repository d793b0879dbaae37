#include "listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"

namespace ringside::inline data {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxOutput = size_t{16} << 20;  // of git
constexpr std::chrono::milliseconds kLimit{5000};

// A hidden name, or that of a folder which build tools and package managers fill.
bool is_set_aside(const std::string& name, bool is_folder) {
  static constexpr std::array<std::string_view, 7> kFolders = {
      "build", "out", "target", "dist", "node_modules", "__pycache__", "venv"};
  if (name.starts_with('.')) return true;
  return is_folder && (name.starts_with("build-") || name.starts_with("cmake-build-") ||
                       std::ranges::count(kFolders, name) > 0);
}

// Whether a part of the path is set aside: as walk_tree has it, so that a copy of the tree without its .git
// gives the same data.
bool lies_aside(const fs::path& path) {
  const fs::path name = path.filename();
  return is_set_aside(name, false) || std::ranges::any_of(path.parent_path(), [](const fs::path& folder) {
           return is_set_aside(folder, true);
         });
}

// Lists a path that is a regular file; if it is not, it is noted why.
void add_file(const std::string& root, const std::string& path, Listing& listing, Notes& notes) {
  std::error_code error;
  const fs::file_type type = fs::symlink_status(fs::path(root) / path, error).type();
  if (type == fs::file_type::regular)
    listing.files.push_back(path);
  else if (type == fs::file_type::symlink)
    notes.add(Noted::kSymlink, path);
  else if (type == fs::file_type::none || type == fs::file_type::not_found)
    notes.add(Noted::kUnreadable, path);
  else
    notes.add(Noted::kSpecial, path);
}

[[noreturn]] void refuse(const std::string& root, const std::string& why) {
  throw InputError("{}: {}", typed_path(root), why);
}

void check_root(const std::string& root) {
  std::error_code error;
  const fs::file_status status = fs::status(root, error);
  if (status.type() == fs::file_type::not_found)
    refuse(root, "there is no such folder; name one that exists");
  if (!error && !fs::is_directory(status))
    refuse(root, "is not a folder; name the folder that the files are in");
  if (!error) fs::directory_iterator(root, error);
  if (error) refuse(root, error.message() + "; name a folder that you may read");
}

// A word that a shell takes as it stands.
std::string quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace

Listing walk_tree(const std::string& root, Notes& notes) {
  check_root(root);
  Listing listing;
  int64_t entries = 0;
  std::vector<std::string> waiting = {""};  // folders, each "" or ending in '/'
  while (!waiting.empty()) {
    const std::string folder = waiting.back();
    waiting.pop_back();
    std::error_code error;
    fs::directory_iterator entry(fs::path(root) / folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      if (++entries > kMaxEntries)
        refuse(root, fmt::format("more than {} entries were found; name a smaller folder",
                                 format_count(kMaxEntries)));
      const std::string name = entry->path().filename(), path = folder + name;
      std::error_code unknown;
      const bool is_folder = entry->symlink_status(unknown).type() == fs::file_type::directory;
      if (is_set_aside(name, is_folder)) {
        notes.add(Noted::kSetAside, path);
      } else if (is_folder) {
        if (folder.empty()) listing.folders.push_back(name);
        waiting.push_back(path + "/");
      } else {
        add_file(root, path, listing, notes);
      }
    }
    if (error) notes.add(Noted::kUnreadable, folder);
  }
  std::ranges::sort(listing.files);
  return listing;
}

std::optional<Listing> list_tracked(const std::string& root, Notes& notes) {
  std::error_code error;
  if (!fs::exists(fs::path(root) / ".git", error)) return std::nullopt;
  // env -u: what a git hook around us sets would name another repository. No
  // fsmonitor: it is a program that the repository's configuration names.
  const auto output = capture({"env", "-u", "GIT_DIR", "-u", "GIT_WORK_TREE", "-u", "GIT_INDEX_FILE", "git",
                               "-C", root, "-c", "core.fsmonitor=false", "ls-files", "-z"},
                              kMaxOutput, kLimit);
  if (!output || output->empty()) return std::nullopt;
  Listing listing;
  std::istringstream names(*output);
  for (std::string name; std::getline(names, name, '\0');) {
    if (lies_aside(name))
      notes.add(Noted::kSetAside, name);
    else
      add_file(root, name, listing, notes);
  }
  std::ranges::sort(listing.files);
  const auto twice = std::ranges::unique(listing.files);  // conflicts are listed thrice
  listing.files.erase(twice.begin(), twice.end());
  return listing;
}

// timeout(1) kills the command and all that it started; it is started by a shell that sees quoted words
// alone.
std::optional<std::string> capture(const std::vector<std::string>& command, size_t max_bytes,
                                   std::chrono::milliseconds limit) {
  std::string line = fmt::format("exec timeout -s KILL {}", std::chrono::duration<double>(limit).count());
  for (const std::string& word : command) line += " " + quoted(word);
  std::FILE* const pipe = ::popen((line + " </dev/null 2>/dev/null").c_str(), "re");
  if (pipe == nullptr) return std::nullopt;
  std::string output;
  std::array<char, 1 << 16> chunk;
  while (output.size() <= max_bytes && !std::feof(pipe) && !std::ferror(pipe))
    output.append(chunk.data(), std::fread(chunk.data(), 1, chunk.size(), pipe));
  const bool complete = std::feof(pipe) != 0 && output.size() <= max_bytes;
  const bool well = ::pclose(pipe) == 0;
  return complete && well ? std::optional(std::move(output)) : std::nullopt;
}

}  // namespace ringside::inline data
