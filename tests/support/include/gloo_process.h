// Where gloo_ranks has started this program as one rank of many, over Gloo.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include "patience.h"
#include "ringside/gloo/gloo_hub.h"

namespace ringside::testing {

inline std::shared_ptr<Store> store_from_environment(int rank, int size) {
  const char* port = std::getenv("MASTER_PORT");
  return connect_store("127.0.0.1", port == nullptr ? 0 : std::stoi(port),
                       {.run_id = "gloo_ranks", .size = size}, rank, SteadyClock::now() + kPatience);
}

inline std::shared_ptr<ChannelHub> gloo_from_environment() {
  const char *rank = std::getenv("RANK"), *size = std::getenv("WORLD_SIZE");
  if (rank == nullptr || size == nullptr) return nullptr;
  const int own = std::stoi(rank), all = std::stoi(size);
  return connect_over_gloo(store_from_environment(own, all),
                           {.rank = own, .size = all, .timeout = kPatience});
}

}  // namespace ringside::testing
