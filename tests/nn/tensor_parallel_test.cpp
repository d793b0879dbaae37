// Tensor parallelism on a 2x2 mesh of ranks, against the whole layers in one process.
#include "ringside/nn/tensor_parallel.h"

#include "catch.h"
#include "parallel_mlp.h"
#include "ringside/base/error.h"
#include "ringside/nn/tensor_view.h"
#include "ringside/tensor/torch_adapter.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr double kBound = 1e-12;  // of the largest entry

// Gradients of W1, b1, W2, b2.
struct Passed {
  at::Tensor y, dx;
  std::vector<at::Tensor> gradients;
  double square_norm = 0;  // of the gradients of the whole model
};

at::Tensor of_parameter(size_t parameter) {
  return random_tensor(kWhole[parameter], 10 + parameter, 1.0, at::kDouble);
}
at::Tensor input(int batch) { return random_tensor({2, 4, kIn}, 20 + batch, 1.0, at::kDouble); }
at::Tensor loss_weights(int batch) { return random_tensor({2, 4, kOut}, 30 + batch, 1.0, at::kDouble); }

// Over `batches` one after another, the gradients averaged; y and dx of the last.
Passed whole(const std::vector<int>& batches) {
  Passed result;
  std::vector<at::Tensor> leaves;
  for (size_t p = 0; p < kWhole.size(); ++p) leaves.push_back(of_parameter(p).set_requires_grad(true));
  for (const int batch : batches) {
    const at::Tensor x = input(batch).set_requires_grad(true);
    const at::Tensor hidden = at::silu(at::linear(x, leaves[0], leaves[1]));
    const at::Tensor y = at::linear(hidden, leaves[2], leaves[3]);
    run_backward((y * loss_weights(batch)).sum());
    result.y = y.detach(), result.dx = x.grad();
  }
  for (const at::Tensor& leaf : leaves) {
    result.gradients.push_back(leaf.grad() / static_cast<double>(batches.size()));
    result.square_norm += result.gradients.back().square().sum().item<double>();
  }
  return result;
}

// Its leaves are this rank's parts.
Mlp filled_mlp(ProcessGroup& row) {
  Mlp mlp(TensorParallel(&row, false));
  for (size_t p = 0; p < kWhole.size(); ++p)
    mlp.set.leaves[p] = part_of_value(of_parameter(p), mlp.set, p).set_requires_grad(true);
  return mlp;
}

// What a sum over the model's parameters must count of `mlp` on this rank.
double square_norm_here(const Mlp& mlp, const std::vector<at::Tensor>& gradients) {
  double sum = 0;
  for (size_t p = 0; p < gradients.size(); ++p) {
    if (mlp.set.parts.empty() || mlp.set.parts[p].counts) sum += gradients[p].square().sum().item<double>();
  }
  return sum;
}

Passed run_rank(const RowsAndColumns& mesh) {
  const Mlp mlp = filled_mlp(mesh.rows);
  const at::Tensor x = input(mesh.row).set_requires_grad(true);
  const at::Tensor y = mlp.forward(x);
  run_backward((y * loss_weights(mesh.row)).sum());

  Passed result{y.detach(), x.grad(), {}, 0};
  for (const at::Tensor& leaf : mlp.set.leaves) {
    at::Tensor gradient = leaf.grad().clone();
    mesh.columns.all_reduce(view_of(gradient), {"gradients", ""})->wait();
    result.gradients.push_back(gradient / mesh.columns.size());
  }
  result.square_norm = square_norm_here(mlp, result.gradients);
  mesh.rows.all_reduce({&result.square_norm, 1, Dtype::kFloat64}, {"norm", ""})->wait();
  return result;
}

std::vector<Passed> run_mesh(WorldOptions options, int width) {
  std::vector<Passed> results(static_cast<size_t>(options.ranks));
  run_world(options, [&](World& world) {
    use_one_thread();
    results[static_cast<size_t>(world.rank())] = run_rank(RowsAndColumns(world, width));
  });
  return results;
}

void check_close(const at::Tensor& a, const at::Tensor& b) {
  REQUIRE(a.sizes() == b.sizes());
  CHECK(max_distance(a, b) <= kBound * largest(b));
}

void check_mesh(int ranks, int width) {
  std::vector<int> batches;
  for (int row = 0; row < ranks / width; ++row) batches.push_back(row);
  const Passed all = whole(batches);
  const std::vector<Passed> results = run_mesh({.ranks = ranks}, width);
  for (int rank = 0; rank < ranks; ++rank) {
    INFO("rank " << rank << " of " << ranks << ", " << width << " of a row");
    const Passed& result = results[static_cast<size_t>(rank)];
    const Passed one = whole({rank / width});
    check_close(result.y, one.y);
    check_close(result.dx, one.dx);
    for (size_t p = 0; p < kWhole.size(); ++p)
      check_close(result.gradients[p], cut(all.gradients[p], kCutIn[p], width, rank % width));
    CHECK(std::abs(result.square_norm - all.square_norm) <= kBound * all.square_norm);
  }
}

bool equal(const Passed& a, const Passed& b) {
  return a.y.equal(b.y) && a.dx.equal(b.dx) &&
         std::equal(a.gradients.begin(), a.gradients.end(), b.gradients.begin(),
                    [](const at::Tensor& one, const at::Tensor& other) { return one.equal(other); });
}

}  // namespace

TEST_CASE("a column-parallel and a row-parallel layer are the whole MLP, forward and backward") {
  for (const int ranks : {1, 2, 3, 4}) check_mesh(ranks, ranks);
}

TEST_CASE(
    "with data parallelism over the other dimension of the mesh gradients are the mean of both batches'") {
  check_mesh(4, 2);
}

TEST_CASE("runs of a mesh have the same bits, and so have the ranks of a row what is replicated") {
  const std::vector<Passed> first = run_mesh({.ranks = 4}, 2);
  for (int run = 0; run < 3; ++run) {
    const std::vector<Passed> again = run_mesh({.ranks = 4}, 2);
    for (size_t rank = 0; rank < 4; ++rank) CHECK(equal(first[rank], again[rank]));
  }
  for (const size_t rank : {0, 2}) {
    CHECK(first[rank].y.equal(first[rank + 1].y));
    CHECK(first[rank].dx.equal(first[rank + 1].dx));
    CHECK(first[rank].gradients[3].equal(first[rank + 1].gradients[3]));
  }
}

TEST_CASE("an MLP sends its output forward and its input's gradient backward, each once, over its row") {
  const auto store = TraceStore::create("test");
  WorldOptions options{.ranks = 4};
  options.recorders = store->add_section("mesh", {}, 4);
  run_mesh(options, 2);
  const Trace trace = store->snapshot();
  for (int rank = 0; rank < 4; ++rank) {
    std::vector<std::pair<std::string, int64_t>> sent;
    for (const CollectiveEvent& event : trace.find("mesh")->collectives(rank))
      if (trace.name(event.group) == "tp" && event.state == CollectiveState::kCompleted)
        sent.emplace_back(trace.name(event.tag), event.elements);
    CHECK(sent == std::vector<std::pair<std::string, int64_t>>{
                      {"activations", 2 * 4 * kOut}, {"activation gradients", 2 * 4 * kIn}, {"norm", 1}});
  }
}

TEST_CASE("a layer of fewer rows or columns than places is refused") {
  const auto declare = [](const std::vector<Cut>& cuts, int64_t out, int64_t in) {
    Declaration model;
    model.begin_unit("unit", "unit.");
    LinearLayer().declare(model, "layer", out, in, true, cuts);
    ParameterSet::of(model, {{kTensorParallel, 3, 0}});
  };
  CHECK_THROWS_AS(declare(LinearLayer::by_outputs(), 2, 8), UsageError);
  CHECK_THROWS_AS(declare(LinearLayer::by_inputs(), 8, 2), UsageError);
  declare(LinearLayer::by_outputs(), 3, 1);
  declare(LinearLayer::by_inputs(), 1, 3);
}

TEST_CASE("a product in parts differs from the whole by at most 2 K u |x| |W|, element by element") {
  constexpr double kUnit = 1.0 / (1 << 24);
  for (const auto& [K, n] : {std::pair<int64_t, int>{7, 2}, {64, 3}, {512, 4}}) {
    LinearLayer layer;
    Declaration model;
    model.begin_unit("unit", "unit.");
    layer.declare(model, "layer", 9, K, false, LinearLayer::by_inputs());
    ParameterSet set = ParameterSet::of(model);
    set.leaves[0] = random_tensor({9, K}, 1);
    const at::Tensor x = random_tensor({2, 5, K}, 2);
    const at::Tensor parts = TensorParallel::emulated(n, false).sum(
        {set, set.unit_names[0]}, [&, n = n, K = K](const PartHere& part) {
          const int64_t begin = part.place * K / n, end = (part.place + 1) * K / n;
          return linear_product(x.narrow(-1, begin, end - begin), part.leaves(layer.weight));
        });
    const at::Tensor distance = (parts - linear_product(x, set.leaves[0])).abs().to(at::kDouble);
    const at::Tensor bound =
        at::linear(x.abs().to(at::kDouble), set.leaves[0].abs().to(at::kDouble)) * (2.0 * K * kUnit);
    CHECK(distance.le(bound).all().item<bool>());
    CHECK((K < 64 || largest(distance) > 0));
  }
}
