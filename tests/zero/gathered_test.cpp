// When ZeRO-3 has a unit's parameters.
#include "catch.h"
#include "ringside/trace/training_rows.h"
#include "ringside/zero/make_strategy.h"
#include "toy_model.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int kRanks = 3;

// Notes when parameters are not where they should be. Not by CHECK: Catch2 is one thread's.
struct Watch : UnitHooks {
  Watch(Strategy& watched, const ParameterSet& parameters, bool drops)
      : strategy(watched), set(parameters), reshard(drops) {}
  void before_forward(int unit) override {
    strategy.before_forward(unit);
    expect(gathered(unit), "not gathered before forward", unit);
  }
  at::Tensor after_forward(int unit, at::Tensor output) override {
    output = strategy.after_forward(unit, std::move(output));
    expect(gathered(unit) != reshard, reshard ? "kept after forward" : "dropped after forward", unit);
    output.register_hook([this, unit](const at::Tensor&) {  // runs after the strategy's own hook
      expect(gathered(unit), "not gathered before backward", unit);
      if (unit + 1 < set.units) expect(!gathered(unit + 1), "kept after backward", unit + 1);
      backward.push_back(unit);
    });
    return output;
  }
  void nothing_is_gathered(const char* when) {
    for (int unit = 0; unit < set.units; ++unit) expect(!gathered(unit), when, unit);
  }
  void expect(bool so, const std::string& otherwise, int unit) {
    if (!so) faults += set.unit_names[static_cast<size_t>(unit)] + " " + otherwise + "; ";
  }
  bool gathered(int unit) const {
    for (size_t p = 0; p < set.shapes.size(); ++p) {
      if (set.shapes[p].unit == unit && !has_storage(set.leaves[p])) return false;
    }
    return true;
  }
  Strategy& strategy;
  const ParameterSet& set;
  bool reshard;
  std::vector<int> backward;
  std::string faults;
};

// What Watch noted in one forward and backward, and whether an export then shows the initial values.
std::string watch_rank(ProcessGroup& group, bool prefetch, bool reshard) {
  use_one_thread();
  ToyModel model;
  const auto optimizer = make_optimizer({});
  const Distribution options{
      .stage = 3, .precision = Precision::kFloat32, .prefetch = prefetch, .reshard = reshard};
  const auto strategy = make_strategy({model.parameters, group, optimizer, options, nullptr});
  strategy->load([](size_t p, const at::Tensor& out) { ToyModel::initial(p, out); });
  Watch watch(*strategy, model.parameters, reshard);
  strategy->run_backward_of(0, [&] { return model.loss(ToyModel::input(0, 0, group.rank()), watch, true); });
  watch.nothing_is_gathered("kept after the micro-batch");
  if (watch.backward != std::vector<int>{2, 1, 0}) watch.faults += "backward in another order; ";
  size_t visited = 0;
  strategy->visit_parameters([&](size_t p, const at::Tensor& tensor) {
    const at::Tensor expected = at::empty(model.parameters.shapes[p].shape);
    ToyModel::initial(p, expected);
    if (!tensor.detach().equal(expected))
      watch.faults += model.parameters.shapes[p].name + " exported wrongly; ";
    ++visited;
  });
  if (visited != model.parameters.shapes.size()) watch.faults += "parameters not exported; ";
  watch.nothing_is_gathered("kept after the export");
  return watch.faults;
}

}  // namespace

TEST_CASE("ZeRO-3 has a unit's parameters while it is used, forward and backward, and drops them after") {
  const bool prefetch = GENERATE(true, false), reshard = GENERATE(true, false);
  std::vector<std::string> faults(kRanks);
  on_ranks(kRanks, [&](ProcessGroup& group) {
    faults[static_cast<size_t>(group.rank())] = watch_rank(group, prefetch, reshard);
  });
  CHECK(faults == std::vector<std::string>(kRanks));
}

TEST_CASE("ZeRO-3 with prefetch asks for the next unit before it computes with this one") {
  const auto gathers_and_drops = [](bool prefetch, bool reshard = true) {
    RecordedRun recorded(2);
    ToyRun run{.ranks = 2, .steps = 1};
    run.options.stage = 3;
    run.options.prefetch = prefetch;
    run.options.reshard = reshard;
    train_toy(run, make_strategy, recorded.options);
    std::string order;
    const Trace trace = recorded.store->snapshot();
    for (const RowEvent& event : trace.find("test")->rows(1)) {
      const auto row = row_as<UnitGather>(event);
      if (row && row->step == 0) order += (row->dropped ? "-" : "+") + row->unit + " ";
    }
    return order;
  };
  const std::string exported = "+in -in +mid -mid +out -out ";
  CHECK(gathers_and_drops(true) ==
        "+in +mid -in +out -mid -out "
        "+out +mid -out +in -mid -in " +
            exported);
  CHECK(gathers_and_drops(false) ==
        "+in -in +mid -mid +out -out "
        "+out -out +mid -mid +in -in " +
            exported);
  for (const bool prefetch : {true, false})  // kept for backward: nothing is gathered twice
    CHECK(gathers_and_drops(prefetch, false) == "+in +mid +out -out -mid -in " + exported);
}
