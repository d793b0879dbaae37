#include "folders.h"

#include <cstdlib>

namespace ringside::inline kit {
namespace {

namespace fs = std::filesystem;

fs::path absolute_or_none(const char* text) {
  if (text == nullptr || text[0] != '/') return {};
  return text;
}

fs::path folder(const std::function<const char*(const char*)>& variable, const char* name,
                const char* in_home) {
  if (const fs::path named = absolute_or_none(variable(name)); !named.empty()) return named / "ringside";
  const fs::path home = absolute_or_none(variable("HOME"));
  return home.empty() ? fs::path() : home / in_home / "ringside";
}

}  // namespace

Folders home_folders(const std::function<const char*(const char*)>& variable) {
  return {folder(variable, "XDG_DATA_HOME", ".local/share"), folder(variable, "XDG_CONFIG_HOME", ".config")};
}

Folders home_folders() {
  return home_folders([](const char* name) -> const char* { return std::getenv(name); });
}

}  // namespace ringside::inline kit
