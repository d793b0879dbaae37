#include "build_info.h"
#include "ringside/tensor/torch_adapter.h"

namespace ringside {

void know_torch() {
  set_torch_facts([] {
    const TorchBuild build = torch_build();
    return TorchFacts{build.libtorch, build.blas, blas_warning()};
  });
}

}  // namespace ringside
