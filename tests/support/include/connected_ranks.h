// How the ranks of a test, threads of this process, are connected: as threads are, or as processes are over
// Gloo or the stand-in for NCCL (RINGSIDE_TEST_TRANSPORT=gloo, nccl), so that what is tested of the one is
// tested of the other.
#pragma once

#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "at_once.h"
#include "ringside/comm/wiring.h"
#if __has_include("ringside/gloo/gloo_hub.h")
#include "ringside/gloo/gloo_hub.h"
#endif
#if __has_include("ringside/nccl/nccl.h")
#include <sys/socket.h>

#include "ringside/nccl/nccl.h"
#include "ringside/processes/join.h"
#define RINGSIDE_TESTS_NCCL
#endif

namespace ringside::testing {

inline bool is_over(std::string_view transport) {
  const char* wanted = std::getenv("RINGSIDE_TEST_TRANSPORT");
  return wanted != nullptr && wanted == transport;
}
inline bool is_over_gloo() { return is_over("gloo"); }
inline bool is_as_processes() { return is_over("gloo") || is_over("nccl"); }

inline std::vector<int> all_ranks(int size) {
  std::vector<int> ranks(static_cast<size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

// (rank) Each with connections of its own.
inline std::vector<std::shared_ptr<ProcessWiring>> connect_ranks_over_gloo(
    int size, const std::string& algorithm = "") {
#if __has_include("ringside/gloo/gloo_hub.h")
  const std::shared_ptr<Store> store = make_memory_store();
  return at_once(all_ranks(size), [&](int rank) -> std::shared_ptr<ProcessWiring> {
    return connect_over_gloo(store, {.rank = rank, .size = size, .algorithm = algorithm});
  });
#else
  return std::vector<std::shared_ptr<ProcessWiring>>(static_cast<size_t>(size));
#endif
}

#ifdef RINGSIDE_TESTS_NCCL
// (rank) Records travel over sockets, data in the CPU's memory over the library that RINGSIDE_NCCL names.
inline std::vector<std::shared_ptr<ProcessWiring>> connect_ranks_over_nccl(
    int size, const std::string& algorithm = "ordered") {
  std::vector<std::vector<int>> sockets(static_cast<size_t>(size),
                                        std::vector<int>(static_cast<size_t>(size), -1));
  for (size_t a = 0; a < sockets.size(); ++a)
    for (size_t b = a + 1; b < sockets.size(); ++b) {
      int pair[2];
      if (::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return {};
      sockets[a][b] = pair[0], sockets[b][a] = pair[1];
    }
  const std::shared_ptr<const NcclLibrary> library = load_nccl();
  const std::shared_ptr<Store> store = make_memory_store();
  return at_once(all_ranks(size), [&](int rank) -> std::shared_ptr<ProcessWiring> {
    const auto own = nccl_collectives(library, store,
                                      {.rank = rank,
                                       .size = size,
                                       .gpu = rank,
                                       .algorithm = algorithm,
                                       .memory = Device::kCpu});
    return hub_of_sockets(rank, sockets[static_cast<size_t>(rank)], "ranks over the stand-in for NCCL", own);
  });
}
#endif

// Of the two that connect as processes do, the one that is wanted.
inline std::vector<std::shared_ptr<ProcessWiring>> connect_as_processes(int size) {
#ifdef RINGSIDE_TESTS_NCCL
  if (is_over("nccl")) return connect_ranks_over_nccl(size);
#endif
  return connect_ranks_over_gloo(size);
}

// (rank) As threads, they have the one.
inline std::vector<std::shared_ptr<Wiring>> connect_ranks(int size) {
  if (is_as_processes()) {
    const auto hubs = connect_as_processes(size);
    return {hubs.begin(), hubs.end()};
  }
  return std::vector<std::shared_ptr<Wiring>>(static_cast<size_t>(size), make_thread_wiring({}));
}

}  // namespace ringside::testing
