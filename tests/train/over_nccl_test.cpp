// Trainings over NCCL's calls, in the order of threads. Run by the ctest that names the stand-in for its
// library.
#include <catch.h>

#include <thread>

#include "connected_ranks.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

#ifdef RINGSIDE_TESTS_NCCL
TEST_CASE("ranks over NCCL, added up in order, train to the bits of ranks as threads, at every stage",
          "[.nccl]") {
  const Dataset data = tiny_data();
  for (const int ranks : {1, 2, 3, 4})
    for (const int stage : {0, 1, 2, 3})
      for (const Precision precision : {Precision::kFloat32, Precision::kBFloat16}) {
        if (precision == Precision::kBFloat16 && ranks != 3) continue;
        TrainerConfig config = tiny_config(ranks, stage);
        config.precision = precision;
        CAPTURE(ranks, stage, to_string(precision));
        const Audit threads = audit(config, data);
        std::vector<Audit> of(static_cast<size_t>(ranks));
        std::vector<std::thread> running;
        for (const auto& process : connect_ranks_over_nccl(ranks))
          running.emplace_back([&, process] {
            TrainerHooks hooks;
            hooks.process = process;
            of[static_cast<size_t>(process->rank())] = audit(config, data, hooks);
          });
        for (std::thread& rank : running) rank.join();
        for (const Audit& one : of) {
          CHECK(one.result.parameters_sha256 == threads.result.parameters_sha256);
          CHECK(one.result.loss == threads.result.loss);
        }
      }
}
#endif
