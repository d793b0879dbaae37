// What a figure depends on besides its scenario: printed by --version, kept in every JSON.
#pragma once

#include <functional>
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

// What only a program that is linked with LibTorch knows. Its main() says so first, by know_torch() of
// torch_build_info.cpp; the others know of none.
struct TorchFacts {
  std::optional<std::string> libtorch, blas;
  std::string warning;
};
void set_torch_facts(std::function<TorchFacts()> facts);
void know_torch();
// To be said once before a run, "" where there is nothing to say.
std::string torch_warning();

}  // namespace ringside
