// Trainings whose ranks are processes. Run by start_ranks; alone, as threads, they hold too.
#include <catch.h>

#include <csignal>
#include <cstdlib>

#include "faulty_group.h"
#include "on_ranks.h"
#include "patience.h"
#include "ringside/comm/errors.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int kProcesses = 3;

}  // namespace

TEST_CASE("ranks as processes train to the bits of ranks as threads, at every stage", "[processes]") {
  const Dataset data = tiny_data();
  for (const int stage : {0, 1, 2, 3}) {
    CAPTURE(stage);
    const TrainerConfig config = tiny_config(kProcesses, stage);
    TrainerHooks hooks;
    hooks.process = own_process();
    const Audit here = audit(config, data, hooks);
    const Audit threads = audit(config, data);
    CHECK(here.result.parameters_sha256 == threads.result.parameters_sha256);
    CHECK(here.result.loss == threads.result.loss);
    const int rank = own_process() ? own_process()->rank() : 0;
    const auto sent = [rank](const Audit& run) {
      const Trace trace = run.store->snapshot();
      int64_t bytes = 0;
      for (const CollectiveEvent& event : trace.find("run")->collectives(rank)) bytes += event.bytes_sent;
      return bytes;
    };
    CHECK(sent(here) == sent(threads));
  }
}

TEST_CASE("a rank whose parameters are others is found, also where ranks are processes", "[processes]") {
  struct OneRankSumsOtherwise : FaultyGroup {
    using FaultyGroup::FaultyGroup;
    WorkPtr start(Collective call) override {
      const bool spoils = rank() == 1 && call.op == Op::kAllReduce && call.tag.what == "gradients";
      auto* const first = static_cast<float*>(call.output.data);
      WorkPtr work = inner_->start(std::move(call));
      if (!spoils) return work;
      return std::make_shared<ThenWork>(std::move(work), [first] { *first += 1; });
    }
  };
  for (const bool planted : {false, true}) {
    TrainerHooks hooks = planted ? with_fault<OneRankSumsOtherwise>() : TrainerHooks();
    hooks.process = own_process();
    CHECK(audit(tiny_config(kProcesses, 0), tiny_data(), hooks).result.ranks_agree == !planted);
  }
}

// Of start_ranks --killed 0: rank 0's process dies in the middle of a step.
TEST_CASE("a process that dies is lost to the others, which name it", "[.killed]") {
  if (!own_process()) return;  // with ranks as threads it would end the whole test
  TrainerConfig config = tiny_config(kProcesses, 2);
  config.steps = 1000;
  config.timeout = 2 * kPatience;
  TrainerHooks hooks;
  hooks.process = own_process();
  hooks.on_step = [](int64_t step) {  // rank 0 alone
    if (step == 2) std::raise(SIGKILL);
  };
  const auto store = TraceStore::create("test");
  try {
    train(config, tiny_data(), *store, "run", hooks);
    FAIL("it ended");
  } catch (const PeerLostError& lost) {
    CHECK(lost.ranks() == std::vector<int>{0});
  }
}
