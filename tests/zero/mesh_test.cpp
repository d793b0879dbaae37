// Data parallelism and ZeRO over the columns of a mesh whose rows share a tensor-parallel MLP, against the
// same training of the whole MLP.
#include "catch.h"
#include "parallel_mlp.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/zero/make_strategy.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int64_t kRows = 6, kSteps = 4;
using Tensors = std::vector<at::Tensor>;

at::Tensor whole_value(size_t parameter) {
  const int64_t count = kWhole[parameter][0] * (parameter % 2 == 0 ? kWhole[parameter][1] : 1);
  return at::sin(at::arange(count, at::kFloat) * (1.3 + static_cast<double>(parameter)))
      .view(kWhole[parameter]);
}

// rows x columns ranks; the parameters that each has after some steps, whole over its column.
std::vector<Tensors> train(int rows, int columns, const Distribution& distribution) {
  std::vector<Tensors> results(static_cast<size_t>(rows * columns));
  run_world({.ranks = rows * columns}, [&](World& world) {
    use_one_thread();
    const RowsAndColumns mesh(world, columns);
    auto& mlp = world.make<Mlp>(TensorParallel(&mesh.rows, false));
    auto& optimizer = world.make<Optimizer>(make_optimizer({.name = "sgd"}));
    Strategy& strategy = *world.make<std::unique_ptr<Strategy>>(
        make_strategy({mlp.set, mesh.columns, optimizer, distribution, nullptr}));
    strategy.load(
        [&](size_t p, const at::Tensor& out) { out.copy_(part_of_value(whole_value(p), mlp.set, p)); });
    const at::Tensor x = at::cos(at::arange(kRows * kIn, at::kFloat) * (1.7 + mesh.row)).view({kRows, kIn});
    for (int64_t step = 0; step < kSteps; ++step) {
      strategy.run_backward_of(step, [&] {
        strategy.before_forward(0);
        return strategy.after_forward(0, mlp.forward(x)).square().sum();
      });
      strategy.step({.learning_rate = 0.05, .step = step + 1, .samples = static_cast<double>(kRows * rows)});
    }
    strategy.visit_parameters([&](size_t, const at::Tensor& t) {
      results[static_cast<size_t>(world.rank())].push_back(t.detach().clone());
    });
  });
  return results;
}

}  // namespace

TEST_CASE("every stage over the columns of a 2x2 mesh trains the rows' parts as it trains the whole") {
  for (int stage = 0; stage <= 3; ++stage) {
    Distribution distribution{.stage = stage, .precision = Precision::kFloat32};
    distribution.bucket_elements = 20;
    distribution.clip_norm = 0;
    const std::vector<Tensors> whole = train(2, 1, distribution), parts = train(2, 2, distribution);
    for (int rank = 0; rank < 4; ++rank) {
      for (size_t p = 0; p < kWhole.size(); ++p) {
        INFO("stage " << stage << ", rank " << rank << ", parameter " << p);
        const at::Tensor expected = cut(whole[0][p], kCutIn[p], 2, rank % 2);
        const at::Tensor& actual = parts[static_cast<size_t>(rank)][p];
        REQUIRE(actual.sizes() == expected.sizes());
        CHECK((actual - expected).abs().max().item<double>() < 2e-6);
        CHECK((expected - cut(whole_value(p), kCutIn[p], 2, rank % 2)).abs().max().item<double>() > 1e-2);
        CHECK(actual.equal(parts[static_cast<size_t>(rank % 2)][p]));
      }
    }
  }
}
