// How ranks as processes are carried in these tests.
#pragma once

#include <string>
#include <vector>

#include "ringside/processes/join.h"

namespace ringside::testing {

// libgloo is not built with ThreadSanitizer, which sees races there.
inline std::vector<std::string> tested_transports() {
#ifdef __SANITIZE_THREAD__
  return {"sockets"};
#else
  return transports();
#endif
}

}  // namespace ringside::testing
