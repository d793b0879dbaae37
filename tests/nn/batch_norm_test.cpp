// Synchronised batch norm on ranks as threads, against LibTorch's batch norm over the joined batch; and bugs
// planted in it, which its results name: the bugs are here, never in the engine.
#include "ringside/nn/batch_norm.h"

#include "catch.h"
#include "on_ranks.h"
#include "ringside/comm/then_work.h"
#include "ringside/tensor/torch_adapter.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int64_t kWidth = 5, kTokens = 4, kSteps = 3;

struct Case {
  std::vector<int64_t> rows;  // of each rank
  bool mask = false;
  at::ScalarType type = at::kDouble;
  int ranks() const { return static_cast<int>(rows.size()); }
};

// What a rank sees in a step: rows of 1 to kTokens real tokens, or, where it has none, one row that does not
// count.
struct Input {
  at::Tensor x, weights, mask;  // weights: what the loss multiplies y by
};

Input input_of(const Case& run, int rank, int64_t step) {
  const auto seed = static_cast<uint64_t>(100 * step + 10 * rank);
  const int64_t rows = std::max<int64_t>(run.rows[static_cast<size_t>(rank)], run.mask ? 1 : 0);
  Input input;
  input.x = random_tensor({rows, kTokens, kWidth}, seed + 1, 1.0, at::kDouble) * 3 + 2;
  input.weights = random_tensor({rows, kTokens, kWidth}, seed + 2, 1.0, at::kDouble);
  input.mask = at::ones({rows, kTokens}, at::kBool);
  if (!run.mask) return input;
  for (int64_t row = 0; row < rows; ++row)
    input.mask[row].narrow(0, 1 + row % kTokens, kTokens - 1 - row % kTokens).fill_(false);
  if (run.rows[static_cast<size_t>(rank)] == 0) input.mask.fill_(false);
  return input;
}

// Of one process or rank: y and dx by step, the others after the last step.
struct Result {
  std::vector<at::Tensor> y, dx;
  at::Tensor dw, db, running_mean, running_var, evaluated;
};

struct Layer {
  explicit Layer(at::ScalarType type) {
    Declaration model;
    model.begin_unit("unit", "unit.");
    norm.declare(model, "norm", kWidth);
    set = ParameterSet::of(model);
    buffers = Buffers(model.buffers());
    set.leaves[0] = leaf(1, type), set.leaves[1] = leaf(2, type);
  }
  static at::Tensor leaf(uint64_t seed, at::ScalarType type) {
    return random_tensor({kWidth}, seed, 1.0, at::kDouble).to(type).set_requires_grad(true);
  }
  BatchNormLayer norm;
  ParameterSet set;
  Buffers buffers;
};

enum class Bug { kNone, kUnmaskedMean, kBiasedVariance, kStaleAverage, kNoSumInBackward };

// The sums of backward stay this rank's own.
struct Forgetful : GroupDecorator {
  using GroupDecorator::GroupDecorator;
  WorkPtr start(Collective call) override {
    if (call.tag.what == "norm statistics backward") return std::make_shared<ThenWork>();
    return inner_->start(std::move(call));
  }
};

// What a bug makes of the running statistics, given those before the step.
void spoil(const Case& run, Bug bug, int64_t step, const Layer& layer, const at::Tensor& mean_before,
           const at::Tensor& variance_before) {
  const at::Tensor mean = layer.buffers.tensors()[0], variance = layer.buffers.tensors()[1];
  double n = 0;  // real tokens of all ranks
  for (int rank = 0; rank < run.ranks(); ++rank) n += input_of(run, rank, step).mask.sum().item<double>();
  if (bug == Bug::kBiasedVariance)
    variance.copy_((variance - variance_before * 0.9) * ((n - 1) / n) + variance_before * 0.9);
  if (bug == Bug::kStaleAverage) mean.copy_(mean_before), variance.copy_(variance_before);
}

Result run_rank(const Case& run, int rank, ProcessGroup* group, Bug bug = Bug::kNone) {
  Layer layer(run.type);
  Result result;
  for (int64_t step = 0; step < kSteps; ++step) {
    const Input input = input_of(run, rank, step);
    const at::Tensor x = input.x.to(run.type).set_requires_grad(true);
    Context context{.statistics = group};
    if (run.mask && bug != Bug::kUnmaskedMean) context.token_mask = input.mask;
    const at::Tensor mean_before = layer.buffers.tensors()[0].clone(),
                     variance_before = layer.buffers.tensors()[1].clone();
    const at::Tensor y = output_of(layer.norm, layer.set, layer.buffers, x, context);
    run_backward((y * input.weights.to(run.type)).sum());
    result.y.push_back(y.detach());
    result.dx.push_back(x.grad());
    spoil(run, bug, step, layer, mean_before, variance_before);
  }
  const at::Tensor x = input_of(run, rank, kSteps).x.to(run.type);
  result.evaluated = output_of(layer.norm, layer.set, layer.buffers, x, {.mode = Mode::kEvaluate}).detach();
  result.dw = layer.set["unit.norm.weight"].grad(), result.db = layer.set["unit.norm.bias"].grad();
  result.running_mean = layer.buffers.tensors()[0];
  result.running_var = layer.buffers.tensors()[1];
  return result;
}

std::vector<Result> run_ranks_of(const Case& run, const ThreadGroupOptions& options = {}) {
  std::vector<Result> results(static_cast<size_t>(run.ranks()));
  on_ranks(run.ranks(), options, [&](ProcessGroup& group) {
    use_one_thread();
    results[static_cast<size_t>(group.rank())] = run_rank(run, group.rank(), &group);
  });
  return results;
}

// LibTorch's batch norm in fp64 over the real tokens of all ranks, put back to where they stood.
struct Joined {
  explicit Joined(const Case& run)
      : run_(run), weight(Layer::leaf(1, at::kDouble)), bias(Layer::leaf(2, at::kDouble)) {
    mean = at::zeros({kWidth}, at::kDouble), variance = at::ones({kWidth}, at::kDouble);
    for (int64_t step = 0; step < kSteps; ++step) add_step(step);
  }
  void add_step(int64_t step) {
    std::vector<at::Tensor> inputs, tokens, weights;
    for (int rank = 0; rank < run_.ranks(); ++rank) {
      const Input input = input_of(run_, rank, step);
      inputs.push_back(input.x.to(run_.type).to(at::kDouble).set_requires_grad(true));
      tokens.push_back(inputs.back().index({input.mask}));
      weights.push_back(input.weights.index({input.mask}));
    }
    const at::Tensor joined =
        at::batch_norm(at::cat(tokens), weight, bias, mean, variance, true, 0.1, 1e-5, false);
    run_backward((joined * at::cat(weights)).sum());
    int64_t next = 0;
    for (int rank = 0; rank < run_.ranks(); ++rank) {
      const Input input = input_of(run_, rank, step);
      const int64_t count = input.mask.sum().item<int64_t>();
      at::Tensor whole = at::zeros_like(input.x);
      whole.index_put_({input.mask}, joined.detach().narrow(0, next, count));
      y.push_back(whole);
      dx.push_back(inputs[static_cast<size_t>(rank)].grad());
      next += count;
    }
  }
  const Case& run_;
  at::Tensor weight, bias, mean, variance;
  std::vector<at::Tensor> y, dx;  // [step * ranks + rank]
};

// Relative to the largest entry of what it is compared with.
double farthest(const at::Tensor& a, const at::Tensor& b) {
  if (b.numel() == 0) return 0;
  return max_distance(a, b) / std::max(largest(b), 1e-300);
}

void check_equal(const Case& run, double bound) {
  const std::vector<Result> ranks = run_ranks_of(run);
  const Joined joined(run);
  at::Tensor dw = at::zeros({kWidth}, at::kDouble), db = at::zeros({kWidth}, at::kDouble);
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    INFO("rank " << rank << " of " << ranks.size() << (run.mask ? ", mask" : ""));
    for (size_t step = 0; step < kSteps; ++step) {
      CHECK(farthest(ranks[rank].y[step], joined.y[step * ranks.size() + rank]) < bound);
      if (run.rows[rank] > 0)
        CHECK(farthest(ranks[rank].dx[step], joined.dx[step * ranks.size() + rank]) < 4 * bound);
    }
    dw += ranks[rank].dw, db += ranks[rank].db;
    CHECK(farthest(ranks[rank].running_mean, joined.mean) < 1e-6);  // kept in fp32
    CHECK(farthest(ranks[rank].running_var, joined.variance) < 1e-6);
    CHECK(ranks[rank].running_mean.equal(ranks[0].running_mean));
    CHECK(ranks[rank].running_var.equal(ranks[0].running_var));
    const at::Tensor x = input_of(run, static_cast<int>(rank), kSteps).x;
    const at::Tensor evaluated =
        (x - joined.mean) * at::rsqrt(joined.variance + 1e-5) * joined.weight + joined.bias;
    CHECK(farthest(ranks[rank].evaluated, evaluated.detach()) < 1e-5);
  }
  CHECK(farthest(dw, joined.weight.grad()) < 4 * bound);
  CHECK(farthest(db, joined.bias.grad()) < 4 * bound);
}

// The names of what is wrong on rank 1 in the last step.
std::string wrong_with(Bug bug) {
  const Case run{.rows = {3, 3}, .mask = true};
  const Joined joined(run);
  const at::Tensor real = input_of(run, 1, kSteps - 1).mask.unsqueeze(-1);
  std::string names;
  on_ranks(run.ranks(), [&](ProcessGroup& group) {
    use_one_thread();
    Forgetful forgetful(std::make_unique<BorrowedGroup>(group));
    const Result mine = run_rank(run, group.rank(), bug == Bug::kNoSumInBackward ? &forgetful : &group, bug);
    if (group.rank() != 1) return;
    const auto compare = [&](const char* name, const at::Tensor& a, const at::Tensor& b) {
      if (max_distance(a.to(at::kDouble), b) > 1e-5 * largest(b)) names += std::string(" ") + name;
    };
    compare("y", mine.y.back() * real, joined.y.back());
    compare("dx", mine.dx.back() * real, joined.dx.back());
    compare("running_mean", mine.running_mean, joined.mean);
    compare("running_var", mine.running_var, joined.variance);
  });
  return names;
}

const std::vector<std::vector<int64_t>> kRows = {{4}, {2, 2}, {3, 1}, {2, 0, 3}, {1, 4, 2, 2}};

}  // namespace

TEST_CASE("on N ranks it is batch norm over the joined batch, forward and backward, also of uneven batches") {
  for (const auto& rows : kRows) {
    check_equal({.rows = rows, .mask = false, .type = at::kDouble}, 1e-12);
    check_equal({.rows = rows, .mask = false, .type = at::kFloat}, 1e-6);
  }
}

TEST_CASE("with a token mask it is batch norm over the real tokens alone") {
  for (const auto& rows : kRows) {
    check_equal({.rows = rows, .mask = true, .type = at::kDouble}, 1e-12);
    check_equal({.rows = rows, .mask = true, .type = at::kFloat}, 1e-6);
  }
}

TEST_CASE("what stands in the padding, NaN included, changes no bit and gets no gradient") {
  Layer layer(at::kFloat), other(at::kFloat);
  const Input input = input_of({.rows = {3}, .mask = true}, 0, 0);
  const at::Tensor padding = input.mask.logical_not().unsqueeze(-1);
  const at::Tensor x = input.x.to(at::kFloat).set_requires_grad(true);
  const at::Tensor y = output_of(layer.norm, layer.set, layer.buffers, x, {.token_mask = input.mask});
  run_backward((y * input.weights.to(at::kFloat)).sum());
  CHECK(y.masked_select(padding).eq(0).all().item<bool>());
  CHECK(x.grad().masked_select(padding).eq(0).all().item<bool>());
  const at::Tensor changed = input.x.to(at::kFloat).masked_fill(padding, std::nan(""));
  CHECK(y.equal(output_of(other.norm, other.set, other.buffers, changed, {.token_mask = input.mask})));
}

TEST_CASE("without a group a rank has statistics of its own, which are not the joined batch's") {
  const Case run{.rows = {2, 2}};
  const Joined joined(run);
  const Result alone = run_rank(run, 1, nullptr);
  CHECK(farthest(alone.y[0], joined.y[1]) > 0.01);
  const Case one{.rows = {2}};
  CHECK(farthest(run_rank(one, 0, nullptr).y[0], Joined(one).y[0]) < 1e-12);
}

TEST_CASE("a training step sends H+1, H and 2H sums, an evaluation nothing") {
  const Case run{.rows = {2, 1}};
  RecordedRun recorded(2);
  run_ranks_of(run, recorded.options);
  for (int rank = 0; rank < 2; ++rank) {
    const auto calls = recorded.completed(rank);
    REQUIRE(calls.size() == 3 * kSteps);
    const std::array<int64_t, 3> counts = {kWidth + 1, kWidth, 2 * kWidth};
    for (size_t i = 0; i < calls.size(); ++i) {
      CHECK(calls[i].op == Op::kAllReduce);
      CHECK(calls[i].elements == counts[i % 3]);
    }
  }
}

TEST_CASE("no real token on any rank: zeros, no NaN, and the running statistics stay") {
  const Case run{.rows = {0, 0}, .mask = true};
  for (const Result& rank : run_ranks_of(run)) {
    for (const at::Tensor& t : {rank.y[0], rank.dx[0], rank.dw, rank.db}) CHECK(t.eq(0).all().item<bool>());
    CHECK(rank.running_mean.equal(at::zeros({kWidth})));
    CHECK(rank.running_var.equal(at::ones({kWidth})));
  }
}

TEST_CASE("planted: each bug of batch norm is wrong where it must be, and nowhere else") {
  CHECK(wrong_with(Bug::kNone) == "");
  CHECK(wrong_with(Bug::kUnmaskedMean) == " y dx running_mean running_var");
  CHECK(wrong_with(Bug::kBiasedVariance) == " running_var");
  CHECK(wrong_with(Bug::kStaleAverage) == " running_mean running_var");  // no training step shows it
  CHECK(wrong_with(Bug::kNoSumInBackward) == " dx");
}
