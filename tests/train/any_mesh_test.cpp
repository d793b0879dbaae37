// Checkpoints of one mesh, stage and number of ranks on another: what a direct import gives.

#include <mutex>
#include <set>

#include "catch.h"
#include "resumable.h"
#include "ringside/base/sha256.h"
#include "ringside/data_parallel/strategy.h"
#include "ringside/nn/task.h"
#include "ringside/zero/make_strategy.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// The strategies of a run's ranks, for who looks at their state.
class Shown final : public StrategyOfClient {
 public:
  std::unique_ptr<Strategy> make(const StrategySetup& setup) const override {
    auto strategy = make_strategy(setup);
    const std::lock_guard lock(mutex_);
    strategies_.push_back(strategy.get());
    return strategy;
  }
  void predict(const Distribution&, const std::vector<ParameterShape>&, int64_t, RankRows&) const override {}
  // Of whole tensors, from the pieces of all ranks.
  std::string hash(const Task& task, Precision precision) const {
    NamedState state;
    std::set<std::string> kinds;
    for (Strategy* strategy : strategies_)
      strategy->export_state([&](const StatePiece& piece) { state.add(piece), kinds.insert(piece.kind); });
    Sha256 hash;
    const Declaration declared = task.declare();
    for (const ParameterShape& shape : declared.shapes()) {
      for (const std::string& kind : kinds) {
        const bool narrow = kind == kParameterState && precision == Precision::kBFloat16;
        const at::Tensor data = at::empty({shape.numel()}, narrow ? at::kBFloat16 : at::kFloat);
        state.fill({shape.name, kind, shape.shape, 0, shape.numel(), data, nullptr});
        hash.update(shape.name + kind);
        hash.update(data.data_ptr(), data.nbytes());
      }
    }
    return hash.hex();
  }

 private:
  mutable std::mutex mutex_;
  mutable std::vector<Strategy*> strategies_;
};

// Of all that the ranks of a run hold in its last moment.
std::string hash_at_end(TrainerConfig config, const std::shared_ptr<const Task>& task) {
  const auto shown = std::make_shared<Shown>();
  config.strategy = shown;
  config.hash_state = false;
  std::string hash;
  TrainerHooks hooks;
  hooks.finished = [&](int64_t, size_t index, const std::string&, ConstView) {
    if (index == 0) hash = shown->hash(*task, config.precision);
  };
  const std::shared_ptr<TraceStore> store = TraceStore::create("test");
  train(config, *task, *store, "run", hooks);
  return hash;
}

}  // namespace

TEST_CASE("a checkpoint of any mesh, stage and number of ranks loads on any other with every bit") {
  const Dataset data = tiny_data();
  const std::pair<Where, int> layouts[] = {{{"dp1", 1}, 0}, {{"dp3", 3}, 3}, {kTensor, 2},
                                           {kPipe, 1},      {{"tp2", 2}, 0}, {{"dp2,pp2,tp2", 8}, 1}};
  std::set<std::string> hashes;
  int turn = 0;
  for (const auto& [from, from_stage] : layouts) {
    const Precision precision = turn++ % 2 == 0 ? Precision::kBFloat16 : Precision::kFloat32;
    const TempFolder folder;
    TrainerConfig config = saved_in(resumable(from, from_stage, precision), folder, false);
    config.steps = kCut;
    const std::string saved = hash_at_end(config, classifier_task(config, data));
    hashes.insert(saved);
    for (const auto& [to, to_stage] : layouts) {
      INFO(from.mesh << " stage " << from_stage << " into " << to.mesh << " stage " << to_stage);
      TrainerConfig other = saved_in(resumable(to, to_stage, precision), folder, true);
      other.steps = kCut;
      CHECK(hash_at_end(other, classifier_task(other, data)) == saved);
    }
  }
  CHECK(hashes.size() > 3);
}
