// What a figure depends on besides its scenario: printed by --version, kept in every JSON.
#pragma once

#include <optional>
#include <string>

namespace ringside {

struct BuildInfo {
  std::string version, commit, compiler, flags;
  std::optional<std::string> libtorch, blas;  // none in a build without LibTorch
  int threads = 0;                            // that this process may run on
  std::string cpu;
};
BuildInfo build_info();

// Filled in by torch_build_info.cpp or, in a build without LibTorch, by no_torch_build_info.cpp.
void add_torch_build(BuildInfo& info);
// To be said once before a run, "" where there is nothing to say.
std::string torch_warning();

}  // namespace ringside
