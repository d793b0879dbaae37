// How a model may use its parameters, under every stage: as the plain loop has it, or a UsageError.
#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/nn/recompute.h"
#include "ringside/tensor/passage.h"
#include "ringside/zero/make_strategy.h"
#include "toy_model.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int kUsers = 3;

enum Use : uint8_t {
  kOnce,
  kDetached,
  kNoGradient,
  kAsZeros,
  kOfAnotherUnit,
  // The last parameter is unused on some ranks: in the first of two forwards on one, in the second on others;
  // on one, where a forward of its unit does not reach the loss.
  kInTurns,
  kBesideUnusedForward,
  // Every parameter is used.
  kTwoBackwards,
  kTwice,
  kTwiceRecomputed
};

struct SmallModel {
  Parameter first, unused, second;
  ParameterSet set;

  SmallModel() {
    Declaration declared;
    declared.begin_unit("in", "in.");
    first = declared.add("weight", {5, 3});
    declared.begin_unit("out", "out.");
    unused = declared.add("unused", {4});
    second = declared.add("weight", {1, 5});
    set = ParameterSet::of(declared);
  }

  at::Tensor loss(const at::Tensor& x, UnitHooks& hooks, Use use, bool uses_last = true) const {
    hooks.before_forward(0);
    const auto layer = [this](const at::Tensor& in, bool) { return at::tanh(at::linear(in, set[first])); };
    at::Tensor h = use == kTwiceRecomputed ? forward_of_recomputed(x, layer) : layer(x, false);
    h = hooks.after_forward(0, h);
    hooks.before_forward(1);
    // The weight's gradient is known before that of h, which needs the weight once more.
    if (use == kDetached) h = at::tanh(h * set[second].detach());
    at::Tensor y = uses_last ? at::linear(h, set[second]) : h.sum(1, true);
    if (use == kNoGradient)
      y = y + passage(
                  set[unused], [](const at::Tensor&) { return at::zeros({1}); },
                  [](const at::Tensor&) { return at::Tensor(); });
    if (use == kAsZeros || use >= kTwoBackwards) y = y + 0 * set[unused].sum();
    if (use == kOfAnotherUnit) y = y + at::linear(x, set[first]).sum(1, true);
    return hooks.after_forward(1, y).square().sum();
  }
};

// Of a micro-batch.
at::Tensor loss_of(const SmallModel& model, const at::Tensor& x, Strategy& strategy, Use use, bool is_first) {
  if (use == kTwice || use == kTwiceRecomputed)
    return model.loss(x, strategy, use) + model.loss(x.neg(), strategy, use);
  if (use == kInTurns)
    return model.loss(x, strategy, use, is_first) + model.loss(x.neg(), strategy, use, !is_first);
  if (use == kBesideUnusedForward) model.loss(x.neg(), strategy, use);
  const at::Tensor loss = model.loss(x, strategy, use, use != kBesideUnusedForward || !is_first);
  if (use == kBesideUnusedForward) model.loss(x.neg(), strategy, use);
  if (use != kTwoBackwards) return loss;
  run_backward(loss);
  return model.loss(x, strategy, use);
}

std::string train_small(ProcessGroup& group, int stage, Use use) {
  use_one_thread();
  SmallModel model;
  const auto optimizer = make_optimizer({});
  Distribution options{.stage = stage, .precision = Precision::kFloat32, .clip_norm = 0.5};
  options.bucket_elements = 1;  // each parameter has its own
  const auto strategy = make_strategy({model.set, group, optimizer, options, nullptr});
  strategy->load([](size_t p, const at::Tensor& out) { ToyModel::initial(p, out); });
  for (int64_t step = 0; step < 3; ++step) {
    const at::Tensor x = ToyModel::input(step, 0, group.rank());
    strategy->run_backward_of(step, [&] { return loss_of(model, x, *strategy, use, group.rank() == 0); });
    strategy->step({.learning_rate = 0.05, .step = step + 1, .samples = 2 * kUsers});
  }
  std::string bytes;
  strategy->visit_parameters([&](size_t, const at::Tensor& tensor) { append_bytes(bytes, tensor); });
  return bytes;
}

std::string bytes_of(int stage, Use use) {
  std::vector<std::string> bytes(kUsers);
  on_ranks(kUsers, [&](ProcessGroup& group) {
    bytes[static_cast<size_t>(group.rank())] = train_small(group, stage, use);
  });
  return bytes[0];
}

std::string refusal_of(int stage, Use use) {
  return message_of<UsageError>([&] { bytes_of(stage, use); });
}

}  // namespace

TEST_CASE("a weight that its unit reads detached as well is there for all of its backward") {
  const std::string reference = bytes_of(0, kDetached);
  for (const int stage : {1, 2, 3}) CHECK(bytes_of(stage, kDetached) == reference);
}

TEST_CASE("a function that returns no gradient for a parameter counts as one that returns zeros") {
  const std::string reference = bytes_of(0, kAsZeros);
  for (const int stage : {0, 1, 2, 3}) CHECK(bytes_of(stage, kNoGradient) == reference);
}

TEST_CASE("a gradient that comes after its bucket was handed over is refused, and the parameter named") {
  for (const int stage : {0, 1, 2, 3}) {
    CAPTURE(stage);
    CHECK(lacks(refusal_of(stage, kTwoBackwards), {"a gradient of out.", "handed over", "backward once"}) ==
          "");
  }
}

TEST_CASE("ZeRO-3 names the parameter that another unit reads; other stages have it") {
  const std::string reference = bytes_of(0, kOfAnotherUnit);
  for (const int stage : {1, 2}) CHECK(bytes_of(stage, kOfAnotherUnit) == reference);
  CHECK(lacks(refusal_of(3, kOfAnotherUnit), {"in.weight is read outside its unit 'in'"}) == "");
}

TEST_CASE(
    "a parameter that is used in another forward on each rank, or beside one that is not, has its sum") {
  for (const Use use : {kInTurns, kBesideUnusedForward}) {
    const std::string reference = bytes_of(0, use);
    for (const int stage : {1, 2, 3}) CHECK(bytes_of(stage, use) == reference);
  }
}

TEST_CASE(
    "a recomputed unit that runs twice reaches its weight twice: ZeRO-3 waits, other stages refuse it") {
  CHECK(bytes_of(3, kTwiceRecomputed) == bytes_of(0, kTwice));
  for (const int stage : {0, 1, 2})
    CHECK(lacks(refusal_of(stage, kTwiceRecomputed), {"a gradient of in.weight", "its own micro-batch"}) ==
          "");
}
