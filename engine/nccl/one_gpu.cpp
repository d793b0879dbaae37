#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/nccl/nccl.h"

namespace ringside::inline nccl {

void see_one_gpu(int local_rank) {
  constexpr const char* kVariable = "CUDA_VISIBLE_DEVICES";
  const auto own = size_t(local_rank);
  const char* const seen = std::getenv(kVariable);
  std::string gpu = std::to_string(local_rank);
  if (seen != nullptr) {
    const std::vector<std::string_view> named = split(seen, ",");
    if (named.size() <= 1) return;  // whoever started this process has chosen it, or hides all
    if (own >= named.size())
      throw UsageError(
          "{}={} names {} GPUs, and this is rank {} of its host, from 0 on: NCCL takes one rank a GPU",
          kVariable, as_typed(seen), named.size(), own);
    gpu = named[own];
  }
  ::setenv(kVariable, gpu.c_str(), 1);
}

}  // namespace ringside::inline nccl
