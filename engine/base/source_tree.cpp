#include "ringside/base/source_tree.h"

#include <cstdlib>
#include <optional>

#include "ringside/base/called.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside::inline base {
namespace {

namespace fs = std::filesystem;

constexpr char kVariable[] = "RINGSIDE_ASSETS";
constexpr char kMark[] = "corpus/self.gz";

bool is_assets(const fs::path& folder) {
  std::error_code unreadable;
  return fs::is_regular_file(folder / kMark, unreadable);
}

std::optional<fs::path> assets_above(fs::path folder) {
  for (; !folder.empty(); folder = folder.parent_path()) {
    if (is_assets(folder / "assets")) return folder / "assets";
    if (folder == folder.root_path()) break;
  }
  return std::nullopt;
}

}  // namespace

std::filesystem::path program_folder() {
  std::error_code unreadable;
  return fs::read_symlink("/proc/self/exe", unreadable).parent_path();
}

std::string called_by() {
  const char* const name = std::getenv("RINGSIDE_CALLED");
  return name == nullptr ? "" : printable(name);
}

std::string run_line(const std::string& words) {
  if (const std::string name = called_by(); !name.empty()) return name + " " + words;
  static const bool installed = is_assets(program_folder() / "../assets");
  if (!installed) return "./run " + words;
  const bool is_command = words.starts_with("gui") || words.starts_with("say ");
  return (is_command ? "ringside " : "ringside run ") + words;
}

std::filesystem::path assets() {
  const char* named = std::getenv(kVariable);
  if (named != nullptr && *named != '\0') {
    if (is_assets(named)) return fs::canonical(named);
    throw MissingError("{}={}: there is no {} in it; name the folder assets of Ringside's tree", kVariable,
                       printable(named), kMark);
  }
  std::error_code none;
  const fs::path program = program_folder();
  const fs::path current = fs::current_path(none);
  for (const fs::path& from : {program, current})
    if (const auto found = assets_above(from)) return *found;
  throw MissingError("no folder above {} or {} has assets/{}; set {} to the folder assets of Ringside's tree",
                     program.string(), current.string(), kMark, kVariable);
}

std::string asset(const std::string& folder, const std::string& name) {
  const bool is_file = name.find('/') != std::string::npos || name.ends_with(".json");
  return is_file ? name : (assets() / folder / (name + ".json")).string();
}

}  // namespace ringside::inline base
