#include "build_info.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside {

void add_torch_build(BuildInfo& info) {
  const TorchBuild build = torch_build();
  info.libtorch = build.libtorch;
  info.blas = build.blas;
}

std::string torch_warning() { return blas_warning(); }

}  // namespace ringside
