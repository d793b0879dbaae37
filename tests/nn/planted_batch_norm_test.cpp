// Bugs planted in batch norm, and which of its results names each: the bugs are here, never in the engine.
#include "catch.h"
#include "on_ranks.h"
#include "ringside/nn/batch_norm.h"
#include "ringside/tensor/torch_adapter.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

enum class Bug { kNone, kUnmaskedMean, kBiasedVariance, kStaleAverage, kNoSumInBackward };

constexpr int64_t kWidth = 5, kTokens = 4, kRows = 3, kSteps = 2;
constexpr double kMomentum = 0.1, kEps = 1e-5;

// The sums of backward stay this rank's own.
struct Forgetful : GroupDecorator {
  using GroupDecorator::GroupDecorator;
  struct Nothing : Work {
    void wait() override {}
    bool done() const override { return true; }
  };
  WorkPtr start(Collective call) override {
    if (call.tag.what == "norm statistics backward") return std::make_shared<Nothing>();
    return inner_->start(std::move(call));
  }
};

struct State {
  at::Tensor y{}, dx{}, running_mean{}, running_var{};
};

at::Tensor values(int rank, int64_t step) {
  return random_tensor({kRows, kTokens, kWidth}, static_cast<uint64_t>(10 * step + rank), 1.0, at::kDouble) *
             2 +
         1;
}
at::Tensor weights(int rank) {
  return random_tensor({kRows, kTokens, kWidth}, 77 + static_cast<uint64_t>(rank), 1.0, at::kDouble);
}

at::Tensor real_tokens() {  // rows of 1, 2 and 3
  at::Tensor real = at::zeros({kRows, kTokens}, at::kBool);
  for (int64_t row = 0; row < kRows; ++row) real[row].narrow(0, 0, row + 1).fill_(true);
  return real;
}

State run_rank(ProcessGroup& group, Bug bug) {
  Declaration model;
  model.begin_unit("unit", "");
  BatchNormLayer norm;
  norm.declare(model, "norm", kWidth);
  ParameterSet set = ParameterSet::of(model);
  const Buffers buffers(model.buffers());
  set.leaves[0] = random_tensor({kWidth}, 1, 1.0, at::kDouble).set_requires_grad(true);
  set.leaves[1] = random_tensor({kWidth}, 2, 1.0, at::kDouble).set_requires_grad(true);
  at::Tensor mean = buffers[norm.running_mean], variance = buffers[norm.running_var];
  State state;
  for (int64_t step = 0; step < kSteps; ++step) {
    const at::Tensor x = values(group.rank(), step).set_requires_grad(true), stale_mean = mean.clone(),
                     stale_variance = variance.clone();
    Context context{.token_mask = real_tokens(), .statistics = &group};
    if (bug == Bug::kUnmaskedMean) context.token_mask.reset();
    state.y = output_of(norm, set, buffers, x, context);
    run_backward((state.y * weights(group.rank()) * real_tokens().unsqueeze(-1)).sum());
    state.dx = x.grad();
    const double n = 12;  // real tokens of both ranks
    if (bug == Bug::kBiasedVariance)
      variance.copy_((variance - stale_variance * (1 - kMomentum)) * ((n - 1) / n) +
                     stale_variance * (1 - kMomentum));
    if (bug == Bug::kStaleAverage) mean.copy_(stale_mean), variance.copy_(stale_variance);
  }
  state.running_mean = mean, state.running_var = variance;
  return state;
}

// What LibTorch has, over the real tokens of both ranks.
State expected(int rank) {
  const at::Tensor weight = random_tensor({kWidth}, 1, 1.0, at::kDouble),
                   bias = random_tensor({kWidth}, 2, 1.0, at::kDouble);
  State state{.running_mean = at::zeros({kWidth}, at::kDouble),
              .running_var = at::ones({kWidth}, at::kDouble)};
  const at::Tensor real = real_tokens();
  for (int64_t step = 0; step < kSteps; ++step) {
    const at::Tensor x[] = {values(0, step).set_requires_grad(true), values(1, step).set_requires_grad(true)};
    const at::Tensor joined =
        at::batch_norm(at::cat({x[0].index({real}), x[1].index({real})}), weight, bias, state.running_mean,
                       state.running_var, true, kMomentum, kEps, false);
    run_backward((joined * at::cat({weights(0).index({real}), weights(1).index({real})})).sum());
    state.y = at::zeros_like(x[0]).index_put({real}, joined.detach().narrow(0, 6 * rank, 6));
    state.dx = x[rank].grad();
  }
  return state;
}

// The names of what is wrong on rank 1.
std::string wrong_with(Bug bug) {
  std::string names;
  auto handles = make_thread_group(2, {});
  run_ranks(
      2,
      [&](int rank) {
        use_one_thread();
        auto& handle = handles[static_cast<size_t>(rank)];
        if (bug == Bug::kNoSumInBackward) handle = std::make_unique<Forgetful>(std::move(handle));
        const State mine = run_rank(*handle, bug);
        if (rank != 1) return;
        const State right = expected(1);
        const auto compare = [&](const char* name, const at::Tensor& a, const at::Tensor& b) {
          const bool differs = max_distance(a.to(at::kDouble), b) > 1e-5 * largest(b);
          if (differs) names += std::string(names.empty() ? "" : " ") + name;
        };
        compare("y", mine.y * real_tokens().unsqueeze(-1), right.y);
        compare("dx", mine.dx, right.dx);
        compare("running_mean", mine.running_mean, right.running_mean);
        compare("running_var", mine.running_var, right.running_var);
      },
      [&](int rank, const std::string& reason) { handles[static_cast<size_t>(rank)]->abort(reason); });
  return names;
}

}  // namespace

TEST_CASE("batch norm without a planted bug has nothing wrong") { CHECK(wrong_with(Bug::kNone) == ""); }

TEST_CASE("planted: a mean over padding too is wrong in everything") {
  CHECK(wrong_with(Bug::kUnmaskedMean) == "y dx running_mean running_var");
}

TEST_CASE("planted: a biased variance in the running average is wrong there alone") {
  CHECK(wrong_with(Bug::kBiasedVariance) == "running_var");
}

TEST_CASE(
    "planted: a running average that does not move is wrong in both buffers, and no training step shows it") {
  CHECK(wrong_with(Bug::kStaleAverage) == "running_mean running_var");
}

TEST_CASE("planted: a forgotten all-reduce in backward is wrong in dx alone") {
  CHECK(wrong_with(Bug::kNoSumInBackward) == "dx");
}
