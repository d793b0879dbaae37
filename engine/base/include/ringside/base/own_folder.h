// A folder among this machine's temporary files, gone with its owner.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "ringside/base/error.h"

namespace ringside::inline base {

struct OwnFolder {
  explicit OwnFolder(const std::string& name) {  // InputError
    std::error_code none;
    std::string made = (std::filesystem::temp_directory_path(none) / (name + "-XXXXXX")).string();
    if (none || ::mkdtemp(made.data()) == nullptr)
      throw InputError(made + ": no temporary folder can be made; TMPDIR says where");
    path = made;
  }
  ~OwnFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

  std::filesystem::path path;
};

}  // namespace ringside::inline base
