// Trainings whose ranks are processes. Run by start_ranks; alone, as threads, they hold too.
#include <catch.h>
#include <fmt/format.h>

#include <csignal>
#include <cstdlib>

#include "check_text.h"
#include "faulty_group.h"
#include "on_ranks.h"
#include "patience.h"
#include "ringside/comm/errors.h"
#include "ringside/launch/store.h"
#include "stand_in_device.h"
#include "temp_folder.h"
#include "tiny_training.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// As many ranks as there are processes; as threads, three.
int ranks() { return own_process() ? own_process()->size() : 3; }

std::string bytes_sent(const Audit& run, int rank) {
  const Trace trace = run.store->snapshot();
  std::map<std::string, int64_t> bytes;  // by group and operation
  for (const CollectiveEvent& event : trace.find("run")->collectives(rank))
    bytes[std::string(trace.name(event.group)) + " " + std::string(to_string(event.op))] += event.bytes_sent;
  std::string text;
  for (const auto& [what, sent] : bytes) text += what + " " + std::to_string(sent) + "; ";
  return text;
}

// What a rank came to, and all ranks together. What NCCL sends is not to be seen.
std::string outcome(const Audit& run, int rank) {
  const bool is_counted = !own_process() || !own_process()->reaches(Device::kCuda);
  std::string text = run.result.parameters_sha256 + "; " + (is_counted ? bytes_sent(run, rank) : "");
  for (const double loss : run.result.loss) text += fmt::format("{:a} ", loss);
  return text;
}

// Where ranks are processes one of them, each in its turn, trains with threads, and tells the others.
void check_as_threads(const TrainerConfig& config, const Dataset& data) {
  static int runs = 0;
  CAPTURE(describe(config));
  TrainerHooks hooks;
  hooks.process = own_process();
  const Audit here = audit(config, data, hooks);
  const int rank = own_process() ? own_process()->rank() : 0, teller = runs++ % ranks();
  std::vector<int64_t> wanted(static_cast<size_t>(ranks()));  // (rank) a hash
  const auto hash = [](const std::string& text) { return static_cast<int64_t>(std::hash<std::string>{}(text)); };
  if (!own_process() || rank == teller) {
    const Audit threads = audit(config, data);
    CHECK(outcome(here, rank) == outcome(threads, rank));
    for (int other = 0; other < ranks(); ++other) wanted[static_cast<size_t>(other)] = hash(outcome(threads, other));
  }
  if (own_process())
    on_ranks(ranks(), [&](ProcessGroup& group) {
      group.broadcast({wanted.data(), ranks(), Dtype::kInt64}, teller, {})->wait();
    });
  CHECK(hash(outcome(here, rank)) == wanted[static_cast<size_t>(rank)]);
}

}  // namespace

TEST_CASE("ranks as processes train to the bits and bytes of ranks as threads, at every stage",
          "[processes]") {
  const Dataset data = tiny_data();
  for (const int stage : {0, 1, 2, 3})
    for (const Precision precision : {Precision::kFloat32, Precision::kBFloat16}) {
      TrainerConfig config = tiny_config(ranks(), stage);
      config.device = tested_device();
      config.precision = precision;
      config.two_groups = stage % 2 == 1;
      check_as_threads(config, data);
      if (ranks() != 4) continue;
      config.model.kv_heads = 2;
      config.mesh = "dp2,tp2";
      check_as_threads(config, data);
      if (stage > 1) continue;
      config.mesh = "dp2,pp2", config.model.layers = 2, config.accumulate = 3, config.pipeline = "zb_h1";
      check_as_threads(config, data);
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
    TrainerConfig config = tiny_config(ranks(), 0);
    config.device = tested_device();
    CHECK(audit(config, tiny_data(), hooks).result.ranks_agree == !planted);
  }
}

TEST_CASE("processes whose settings differ do not go on together from a checkpoint", "[processes]") {
  if (!own_process()) return;  // threads have one configuration
  const TempFolder folder;
  TrainerConfig config = tiny_config(ranks(), 0);
  config.checkpoint.folder = folder.path / "run", config.checkpoint.resume = true;
  config.seed += own_process()->rank() == 1 ? 1 : 0;
  TrainerHooks hooks;
  hooks.process = own_process();
  const std::string said = message_of<Error>([&] { audit(config, tiny_data(), hooks); });
  CHECK(lacks(said, {"ranks 1 would go on with other settings than rank 0"}) == "");
}

namespace {

constexpr int kKilled = 0;  // of start_ranks --killed 0

std::string killed_at() {
  const char* at = std::getenv("RINGSIDE_KILL_AT");
  return at == nullptr ? "collective" : at;
}
void die() { std::raise(SIGKILL); }

struct DiesInACall : FaultyGroup {
  using FaultyGroup::FaultyGroup;
  WorkPtr start(Collective call) override {
    const std::string at = killed_at(), what = call.tag.what;
    const bool is_there = at == "forward"      ? what == "parameters"
                          : at == "collective" ? what == "gradients"
                          : at == "evaluation" ? what == "evaluation"
                                               : at == "end" && what == "export";
    const bool dies = rank() == kKilled && is_there && ++calls_ == 2;
    if (dies && at != "collective") die();
    const WorkPtr work = inner_->start(std::move(call));
    if (dies) die();
    return work;
  }
  int calls_ = 0;
};

}  // namespace

TEST_CASE("a process that dies is lost to the others, which name it", "[.killed]") {
  try {
    if (!own_process()) return;  // with ranks as threads it would end the whole test
    if (killed_at() == "start" && own_process()->rank() == kKilled) die();
    TrainerConfig config = tiny_config(ranks(), 3);
    config.evaluate_every = 1;
    config.timeout = 2 * kPatience;
    TrainerHooks hooks = with_fault<DiesInACall>();
    hooks.process = own_process();
    train(config, tiny_data(), *TraceStore::create("test"), "run", hooks);
    FAIL("it ended");
  } catch (const PeerLostError& lost) {
    CHECK(lost.ranks() == std::vector<int>{kKilled});
  } catch (const StoreLostError&) {  // this rank has not joined yet, and rank 0 keeps the store
    CHECK(kKilled == 0);
  }
}
