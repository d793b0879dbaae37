// How ranks as processes are carried in these tests.
#pragma once

#include <string>
#include <vector>

#include "ringside/processes/join.h"

namespace ringside::testing {

// libgloo is not built with ThreadSanitizer, which sees races there. NCCL wants GPUs: tests/nccl has its stand-in.
inline std::vector<std::string> tested_transports() {
#ifdef __SANITIZE_THREAD__
  return {"sockets"};
#else
  std::vector<std::string> all = transports();
  std::erase_if(all, [](const std::string& name) { return name.starts_with("nccl"); });
  return all;
#endif
}

}  // namespace ringside::testing
