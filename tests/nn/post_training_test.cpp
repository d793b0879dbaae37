// Losses of post-training against loops over plain numbers in fp64, and gradients against written-out
// derivatives and finite differences.
#include <functional>

#include "catch.h"
#include "ringside/nn/joint_model.h"
#include "ringside/nn/language_tasks.h"
#include "ringside/nn/losses.h"
#include "ringside/tensor/torch_adapter.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr double kClose = 1e-10;

at::Tensor drawn(at::IntArrayRef shape, uint64_t seed, double deviation = 1) {
  return random_tensor(shape, seed, deviation, at::kDouble);
}
at::Tensor leaf(const at::Tensor& t) { return t.clone().set_requires_grad(true); }
double at_(const at::Tensor& t, int64_t b, int64_t a) { return t[b][a].item<double>(); }

// The gradient of f's sum, by central differences of order four.
at::Tensor by_differences(const std::function<at::Tensor(const at::Tensor&)>& f, const at::Tensor& x) {
  at::Tensor gradient = at::empty_like(x);
  const double h = 1e-3;
  for (int64_t i = 0; i < x.numel(); ++i) {
    const auto moved = [&](double by) {
      at::Tensor y = x.clone();
      y.view({-1})[i] += by;
      return f(y).sum().item<double>();
    };
    gradient.view({-1})[i] = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
  }
  return gradient;
}

}  // namespace

TEST_CASE("DPO: loss and gradients are the paper's formula in fp64, ln 2 where policy and reference agree") {
  const double beta = 0.3;
  const at::Tensor w = leaf(drawn({7}, 1, 4)), l = leaf(drawn({7}, 2, 4)), rw = drawn({7}, 3, 4),
                   rl = drawn({7}, 4, 4);
  const at::Tensor loss = dpo_loss({w, l, rw, rl}, beta);
  run_backward(loss.sum());
  for (int64_t i = 0; i < 7; ++i) {
    const double margin =
        beta * ((w[i].item<double>() - rw[i].item<double>()) - (l[i].item<double>() - rl[i].item<double>()));
    const double sigmoid = 1 / (1 + std::exp(margin));  // of -margin
    CHECK(loss[i].item<double>() == Approx(std::log1p(std::exp(-margin))).margin(kClose));
    CHECK(w.grad()[i].item<double>() == Approx(-beta * sigmoid).margin(kClose));
    CHECK(l.grad()[i].item<double>() == Approx(beta * sigmoid).margin(kClose));
  }
  CHECK(max_distance(dpo_loss({rw, rl, rw, rl}, beta), at::full({7}, std::log(2.0), at::kDouble)) < 1e-15);
  const at::Tensor far = at::full({1}, 1e4, at::kDouble), zero = at::zeros({1}, at::kDouble);
  CHECK(dpo_loss({zero, far, zero, zero}, 1).item<double>() == Approx(1e4));  // no overflow
}

TEST_CASE("a token's log-probability is its own logit's, given those before it") {
  const at::Tensor logits = drawn({2, 4, 5}, 1),
                   tokens = at::tensor({1, 2, 0, 4, 3, 3, 1, 0}, at::kLong).view({2, 4});
  const at::Tensor logp = token_log_probabilities(logits, tokens);
  REQUIRE(logp.sizes() == at::IntArrayRef({2, 3}));
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t t = 0; t < 3; ++t) {
      double sum = 0;
      for (int64_t v = 0; v < 5; ++v) sum += std::exp(logits[b][t][v].item<double>());
      const double own = logits[b][t][tokens[b][t + 1].item<int64_t>()].item<double>();
      CHECK(at_(logp, b, t) == Approx(own - std::log(sum)).margin(kClose));
    }
}

TEST_CASE("PPO: the clipped loss and its gradient in fp64; a clipped token has none") {
  const double epsilon = 0.2;
  const at::Tensor logp = leaf(drawn({6, 5}, 1)), old = logp.detach() + drawn({6, 5}, 2, 0.4),
                   advantage = drawn({6, 5}, 3);
  const at::Tensor loss = clipped_policy_loss(logp, old, advantage, epsilon);
  run_backward(loss.sum());
  int clipped = 0;
  for (int64_t b = 0; b < 6; ++b)
    for (int64_t a = 0; a < 5; ++a) {
      const double r = std::exp(at_(logp, b, a) - at_(old, b, a)), A = at_(advantage, b, a);
      const double inside = std::min(std::max(r, 1 - epsilon), 1 + epsilon);
      const bool is_clipped = inside * A < r * A;
      clipped += is_clipped;
      CHECK(at_(loss, b, a) == Approx(-std::min(r * A, inside * A)).margin(kClose));
      CHECK(at_(logp.grad(), b, a) == Approx(is_clipped ? 0 : -r * A).margin(kClose));
    }
  CHECK((clipped > 3 && clipped < 27));
  const at::Tensor first = leaf(old);  // at the first update the ratio is 1
  run_backward(clipped_policy_loss(first, old, advantage, epsilon).sum());
  CHECK(max_distance(first.grad(), -advantage) < kClose);
}

TEST_CASE("PPO: a ratio that overflows has no gradient where it is clipped, and no NaN") {
  const at::Tensor logp = leaf(at::tensor({200.0F, 200.0F, -200.0F, 0.0F}).view({1, 4}));
  const at::Tensor advantage = at::tensor({1.0F, 0.0F, -1.0F, 2.0F}).view({1, 4});
  const at::Tensor loss = clipped_policy_loss(logp, at::zeros({1, 4}), advantage, 0.2);
  CHECK(max_distance(loss.detach(), at::tensor({-1.2F, 0.0F, 0.8F, -2.0F}).view({1, 4})) < 1e-6);
  run_backward(loss.sum());
  CHECK(max_distance(logp.grad(), at::tensor({0.0F, 0.0F, 0.0F, -2.0F}).view({1, 4})) < 1e-6);
  const at::Tensor worse = at::full({1, 1}, -1.0F);  // nothing is clipped: the loss is as large as it is
  CHECK(std::isinf(
      clipped_policy_loss(at::full({1, 1}, 200.0F), at::zeros({1, 1}), worse, 0.2).item<double>()));
}

TEST_CASE("GRPO: equal rewards have advantages of exactly 0, in fp32 too") {
  for (const double reward : {0.7, 9.1, 1000.1, 0.0})
    for (const int64_t n : {3, 8})
      CHECK(largest(group_advantages(at::full({2, n}, reward, at::kFloat))) == 0);
}

TEST_CASE("GRPO: advantages, the KL estimate and its gradient; its mean is the KL") {
  const at::Tensor rewards =
      at::tensor({1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0}, at::kDouble).view({3, 3});
  const at::Tensor advantages = group_advantages(rewards);
  CHECK(at_(advantages, 0, 0) == Approx(std::sqrt(2.0)).epsilon(1e-5));
  CHECK(at_(advantages, 0, 1) == Approx(-std::sqrt(0.5)).epsilon(1e-5));
  CHECK(largest(advantages[2]) < kClose);  // all alike: nothing to learn
  const at::Tensor logp = leaf(drawn({4, 3}, 1)), reference = drawn({4, 3}, 2);
  run_backward(kl_estimate(logp, reference).sum());
  CHECK(max_distance(logp.grad(), 1 - (reference - logp.detach()).exp()) < kClose);
  CHECK(
      max_distance(logp.grad(), by_differences([&](const at::Tensor& x) { return kl_estimate(x, reference); },
                                               logp.detach())) < kClose);
  const at::Tensor p = at::log_softmax(drawn({9}, 5), 0), q = at::log_softmax(drawn({9}, 6), 0);
  CHECK((p.exp() * kl_estimate(p, q)).sum().item<double>() ==
        Approx((p.exp() * (p - q)).sum().item<double>()).margin(kClose));
  CHECK(kl_estimate(p, q).min().item<double>() >= 0);
}

TEST_CASE("PPO: generalized advantages are their sums of discounted errors") {
  const at::Tensor rewards = drawn({3, 4}, 1), values = drawn({3, 4}, 2);
  const double gamma = 0.9, lambda = 0.7;
  const at::Tensor advantages = generalized_advantages(rewards, values, gamma, lambda),
                   plain = generalized_advantages(rewards, values, 1, 1);
  for (int64_t b = 0; b < 3; ++b)
    for (int64_t t = 0; t < 4; ++t) {
      double sum = 0, to_come = 0;
      for (int64_t s = t; s < 4; ++s) {
        const double next = s + 1 < 4 ? at_(values, b, s + 1) : 0;
        sum +=
            std::pow(gamma * lambda, double(s - t)) * (at_(rewards, b, s) + gamma * next - at_(values, b, s));
        to_come += at_(rewards, b, s);
      }
      CHECK(at_(advantages, b, t) == Approx(sum).margin(kClose));
      CHECK(at_(plain, b, t) == Approx(to_come - at_(values, b, t)).margin(kClose));
    }
}

TEST_CASE("a joint model has its members' parameters by name, and the trainable ones' logits") {
  ClassifierConfig critic = small_config();
  critic.classes = 1;
  JointModel model({{"policy", small_config()}, {"critic", critic}, {"reference", small_config(), false}},
                   12);
  ParameterSet& set = model.parameters();
  fill_with_noise(set, 3);
  const size_t each = classifier_shapes(small_config()).size();
  REQUIRE(set.shapes.size() == 3 * each);
  CHECK(set.units == 12);
  CHECK(set.unit_names[4] == "critic embedding");
  CHECK(set.shapes[2 * each].name == "reference.model.embed_tokens.weight");
  for (size_t p = 0; p < set.shapes.size(); ++p) CHECK(set.shapes[p].trainable == (p < 2 * each));
  const Batch batch = small_batch();
  const at::Tensor logits = model.forward(batch, {}).logits;  // (3, 3 + 1)
  for (size_t member = 0; member < 3; ++member) {
    Classifier alone(model.member(member).config, 12);
    std::copy_n(set.leaves.begin() + std::ptrdiff_t(member * each), each, alone.parameters().leaves.begin());
    CHECK(model.logits_of(member, batch).equal(logits_of(alone, batch)));
    if (member < 2)
      CHECK(logits.narrow(1, member == 0 ? 0 : 3, member == 0 ? 3 : 1).equal(logits_of(alone, batch)));
  }
  struct Units : UnitHooks {
    void before_forward(int unit) override { seen.push_back(unit); }
    std::vector<int> seen;
  } units;
  model.forward(batch, {.hooks = &units});
  CHECK(units.seen == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  ClassifierConfig buffered = small_config();
  buffered.norm = NormKind::kBatch;
  CHECK_THROWS_AS(declare_members({{"policy", buffered}}), UsageError);
}

TEST_CASE("a masked language model's loss is over the tokens that were hidden, the same ones in every pass") {
  ClassifierConfig model = byte_language_model(16, 1);
  model.causal = false;
  std::vector<Sample> samples(3);
  for (int32_t i = 0; i < 3; ++i)
    for (int32_t t = 0; t <= 40; ++t) samples[size_t(i)].tokens.push_back(40 * i + t);
  const std::vector<TokenExample> windows = windows_of(samples, 20);
  REQUIRE(windows.size() == 6);
  CHECK(windows[3].tokens.front() == 60);
  const HiddenTextTask task(model, windows, 0.3, kPadToken);
  const Batch batch = task.batch(Split::kTrain, {3, 0}, {});
  CHECK(batch.tokens.equal(task.batch(Split::kTrain, {3, 0}, {}).tokens));
  const at::Tensor is_hidden = batch.beside[0].ne(0);
  CHECK(batch.tokens.eq(kPadToken).equal(is_hidden));
  CHECK(batch.beside[1].equal(batch_of({windows[3], windows[0]}).tokens));
  const double share = task.batch(Split::kTrain, {0, 1, 2, 3, 4, 5}, {}).beside[0].mean().item<double>();
  CHECK(share == Approx(0.3).margin(0.12));
  const at::Tensor logits = random_tensor({2, 20, kByteVocabulary}, 1);
  double expected = 0;
  for (int64_t row = 0; row < 2; ++row) {
    double sum = 0, count = 0;
    for (int64_t t = 0; t < 20; ++t)
      if (is_hidden[row][t].item<bool>())
        count += 1,
            sum -= at::log_softmax(logits[row][t], 0)[batch.beside[1][row][t].item<int64_t>()].item<double>();
    expected += sum / count;
  }
  ModelOutput output{logits, {}, {}};
  CHECK(task.loss(output, batch).item<double>() == Approx(expected).epsilon(1e-5));
}
