#include <ostream>

#include "build_info.h"
#include "commands.h"

namespace ringside {

ExitCode show_version(std::ostream& out) {
  const BuildInfo info = build_info();
  out << "ringside " << info.version << " (" << info.commit << ")\n"
      << "LibTorch  " << info.libtorch.value_or("none") << '\n'
      << "BLAS      " << info.blas.value_or("none") << '\n'
      << "threads   " << info.threads << '\n'
      << "CPU       " << info.cpu << '\n'
      << "compiler  " << info.compiler << '\n'
      << "flags     " << info.flags << '\n';
  return ExitCode::kOk;
}

}  // namespace ringside
