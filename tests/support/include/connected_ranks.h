// How the ranks of a test, threads of this process, are connected: as threads are, or over Gloo as processes
// are (RINGSIDE_TEST_TRANSPORT=gloo), so that what is tested of the one is tested of the other.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ringside/comm/wiring.h"
#if __has_include("ringside/gloo/gloo_hub.h")
#include "ringside/gloo/gloo_hub.h"
#endif

namespace ringside::testing {

inline bool is_over_gloo() {
  const char* wanted = std::getenv("RINGSIDE_TEST_TRANSPORT");
  return wanted != nullptr && std::string_view(wanted) == "gloo";
}

// (rank) Each with connections of its own.
inline std::vector<std::shared_ptr<ProcessWiring>> connect_ranks_over_gloo(
    int size, const std::string& algorithm = "") {
  std::vector<std::shared_ptr<ProcessWiring>> hubs(static_cast<size_t>(size));
#if __has_include("ringside/gloo/gloo_hub.h")
  const std::shared_ptr<Store> store = make_memory_store();
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      hubs[static_cast<size_t>(rank)] =
          connect_over_gloo(store, {.rank = rank, .size = size, .algorithm = algorithm});
    });
  for (std::thread& thread : threads) thread.join();
#endif
  return hubs;
}

// (rank) As threads, they have the one.
inline std::vector<std::shared_ptr<Wiring>> connect_ranks(int size) {
  if (is_over_gloo()) {
    const auto hubs = connect_ranks_over_gloo(size);
    return {hubs.begin(), hubs.end()};
  }
  return std::vector<std::shared_ptr<Wiring>>(static_cast<size_t>(size), make_thread_wiring({}));
}

}  // namespace ringside::testing
