// Where a learner's own files lie: the XDG folders.
#pragma once

#include <filesystem>
#include <functional>

namespace ringside::inline kit {

struct Folders {
  std::filesystem::path data, config;  // empty: there is no home, nothing is kept
};

// $XDG_DATA_HOME/ringside or $HOME/.local/share/ringside, $XDG_CONFIG_HOME/ringside or
// $HOME/.config/ringside. A path that is not absolute counts as none (XDG Base Directory 0.8).
Folders home_folders();
Folders home_folders(const std::function<const char*(const char*)>& variable);

}  // namespace ringside::inline kit
