// Every norm against LibTorch's own, forward and backward, and against finite differences.
#include <ATen/Functions.h>

#include "catch.h"
#include "ringside/nn/norm.h"
#include "ringside/nn/set_norm.h"
#include "ringside/tensor/torch_adapter.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

using Tensors = std::vector<at::Tensor>;
constexpr double kEps = 1e-5;
constexpr int64_t kGroups = 4;

struct Weighted {
  at::Tensor x, weight, bias;  // (B, T, H), (H), (H)
  at::Tensor real{};           // (B, T), or undefined
};
using Norm = at::Tensor (*)(const Weighted&);

struct Both {
  const char* name;
  Norm ours, torchs;
};

at::Tensor features_second(const at::Tensor& x) { return x.transpose(1, 2); }

at::Tensor batch_norm(const Weighted& in) {
  BatchStatistics unused;
  return train_batch_norm(in.x, in.weight, in.bias, kEps, in.real, nullptr, "norm", unused);
}
at::Tensor torchs_batch_norm(const Weighted& in) {
  const at::Tensor rows = in.x.reshape({-1, in.x.size(-1)});
  return at::batch_norm(rows, in.weight, in.bias, {}, {}, true, 0.1, kEps, false).reshape(in.x.sizes());
}
at::Tensor torchs_group_norm(const Weighted& in) {
  return features_second(at::group_norm(features_second(in.x), kGroups, in.weight, in.bias, kEps));
}
at::Tensor torchs_instance_norm(const Weighted& in) {
  return features_second(
      at::instance_norm(features_second(in.x), in.weight, in.bias, {}, {}, true, 0.1, kEps, false));
}

const Both kNorms[] = {
    {"layer", [](const Weighted& in) { return layer_norm(in.x, in.weight, in.bias, kEps); },
     [](const Weighted& in) { return at::layer_norm(in.x, {in.x.size(-1)}, in.weight, in.bias, kEps); }},
    {"rms", [](const Weighted& in) { return fused_rms_norm(in.x, in.weight, kEps) + 0 * in.bias; },
     [](const Weighted& in) {
       return in.weight * (in.x * at::rsqrt(in.x.pow(2).mean(-1, true) + kEps)) + 0 * in.bias;
     }},
    {"batch", batch_norm, torchs_batch_norm},
    {"group", [](const Weighted& in) { return group_norm(in.x, in.weight, in.bias, kGroups, kEps, in.real); },
     torchs_group_norm},
    {"instance",
     [](const Weighted& in) { return group_norm(in.x, in.weight, in.bias, in.x.size(-1), kEps, in.real); },
     torchs_instance_norm}};

at::Tensor noise(at::IntArrayRef shape, uint64_t seed) {
  return random_tensor(shape, seed, 1.0, at::kDouble);
}

Weighted input_of(const at::Tensor& x) { return {x, noise({x.size(-1)}, 2) + 1, noise({x.size(-1)}, 3)}; }

// Odd shapes, a batch of one, one token, huge and tiny scales, an offset, constants.
Tensors values() {
  return {noise({2, 3, 8}, 1),         noise({1, 5, 12}, 1),        noise({3, 2, 260}, 1),
          noise({7, 1, 4}, 1),         noise({4, 3, 4}, 1) * 1e6,   noise({4, 3, 4}, 1) * 1e-6,
          noise({4, 3, 4}, 1) + 100,   noise({33, 5, 68}, 1) + 10,  at::full({2, 3, 8}, 3.0, at::kDouble),
          noise({3, 4, 72}, 1) * 1e20, noise({3, 4, 72}, 1) * 1e-20};
}

// How much each element of y counts in the loss, the same number in fp32 and fp64.
at::Tensor counts(const at::Tensor& y) { return noise(y.sizes(), 4).to(at::kFloat).to(y.scalar_type()); }

// y, dx, dw, db of a loss in which every element counts differently.
Tensors run(Norm norm, const Weighted& input, at::ScalarType type) {
  const auto leaf = [&](const at::Tensor& t) {
    return t.to(type, false, /*copy=*/true).set_requires_grad(true);
  };
  const Weighted in{leaf(input.x), leaf(input.weight), leaf(input.bias), input.real};
  const at::Tensor y = norm(in);
  run_backward((y * counts(y)).sum());
  return {y.detach(), in.x.grad(), in.weight.grad(), in.bias.grad()};
}

constexpr const char* kWhat[] = {"y", "dx", "dw", "db"};

// Largest distance, relative to the largest entry of what it is compared with.
double distance(const at::Tensor& a, const at::Tensor& b, double least = 1e-300) {
  CHECK(a.sizes() == b.sizes());
  return max_distance(a.to(at::kDouble), b) / std::max(largest(b), least);
}

// What the loss above is with one element of one input moved.
double loss_of(Norm norm, const Weighted& in) {
  const at::Tensor y = norm(in);
  return (y * counts(y)).sum().item<double>();
}

at::Tensor finite_differences(Norm norm, const Weighted& in, at::Tensor moved) {
  constexpr double kShift = 1e-5;
  at::Tensor gradient = at::empty_like(moved);
  double* const values = moved.data_ptr<double>();
  for (int64_t i = 0; i < moved.numel(); ++i) {
    const double before = values[i];
    values[i] = before + kShift;
    const double above = loss_of(norm, in);
    values[i] = before - kShift;
    gradient.data_ptr<double>()[i] = (above - loss_of(norm, in)) / (2 * kShift);
    values[i] = before;
  }
  return gradient;
}

// Rows of 4, 2 and 0 real tokens.
at::Tensor uneven_mask() {
  at::Tensor real = at::zeros({3, 4}, at::kBool);
  real[0].fill_(true);
  real[1].narrow(0, 0, 2).fill_(true);
  return real;
}

// What LibTorch makes of the real tokens alone: of each sample, or of all as one batch.
at::Tensor torchs_of_real(const Both& norm, const Weighted& in) {
  at::Tensor y = at::zeros_like(in.x);
  if (norm.name == std::string("batch")) {
    const at::Tensor tokens = in.x.index({in.real}).unsqueeze(0);
    return y.index_put({in.real}, norm.torchs({tokens, in.weight, in.bias})[0]);
  }
  for (int64_t row = 0; row < in.x.size(0); ++row) {
    const int64_t count = in.real[row].sum().item<int64_t>();
    if (count == 0) continue;
    y = y.index_put({at::tensor({row}), at::arange(count)},
                    norm.torchs({in.x[row].narrow(0, 0, count).unsqueeze(0), in.weight, in.bias})[0]);
  }
  return y;
}

}  // namespace

TEST_CASE("in fp64 every norm is LibTorch's, forward and backward") {
  for (const Both& norm : kNorms)
    for (const at::Tensor& x : values()) {
      const Tensors ours = run(norm.ours, input_of(x), at::kDouble),
                    torchs = run(norm.torchs, input_of(x), at::kDouble);
      for (size_t i = 0; i < 4; ++i) {
        INFO(norm.name << " " << kWhat[i] << " of " << x.sizes() << ", largest " << largest(x));
        // A set of one cell has no dx, and one of equal cells no dw, but what LibTorch's rounding makes:
        // relative to dy.
        const bool can_vanish = kWhat[i] != std::string("dx") || x.size(1) == 1;
        CHECK(distance(ours[i], torchs[i], can_vanish ? 1 : 1e-300) < 1e-12);
      }
    }
}

TEST_CASE("in fp32 every norm is as near to the fp64 result as LibTorch's fp32, or nearer") {
  for (const Both& norm : kNorms)
    for (const at::Tensor& x : values()) {
      const Weighted input = input_of(x.to(at::kFloat).to(at::kDouble));
      Weighted rounded = input;
      rounded.weight = input.weight.to(at::kFloat).to(at::kDouble),
      rounded.bias = input.bias.to(at::kFloat).to(at::kDouble);
      const Tensors exact = run(norm.torchs, rounded, at::kDouble),
                    ours = run(norm.ours, rounded, at::kFloat),
                    torchs = run(norm.torchs, rounded, at::kFloat);
      for (size_t i = 0; i < 4; ++i) {
        INFO(norm.name << " " << kWhat[i] << " of " << x.sizes() << ", largest " << largest(x));
        const double its_error = max_distance(ours[i].to(at::kDouble), exact[i]),
                     torchs_error = max_distance(torchs[i].to(at::kDouble), exact[i]);
        CHECK(std::isfinite(its_error));  // LibTorch's is not, where squares of 1e20 do not fit into fp32
        CHECK(!(its_error > torchs_error));
      }
    }
}

TEST_CASE("gradients of every norm are those of finite differences, with a mask too") {
  for (const Both& norm : kNorms)
    for (const bool masked : {false, true}) {
      Weighted in = input_of(noise({3, 4, 8}, 1));
      if (masked) in.real = uneven_mask();
      const Tensors ours = run(norm.ours, in, at::kDouble);
      const at::Tensor inputs[] = {in.x, in.weight, in.bias};
      for (size_t i = 0; i < 3; ++i) {
        INFO(norm.name << (masked ? ", masked, " : ", ") << kWhat[i + 1]);
        CHECK(distance(ours[i + 1], finite_differences(norm.ours, in, inputs[i])) < 1e-8);
      }
    }
}

TEST_CASE(
    "with a mask norms that span tokens are LibTorch's of the real tokens alone; padding gives and gets 0") {
  for (const Both& norm : kNorms) {
    if (norm.name == std::string("layer") || norm.name == std::string("rms")) continue;
    INFO(norm.name);
    Weighted in = input_of(noise({3, 4, 8}, 1));
    in.real = uneven_mask();
    const Tensors ours = run(norm.ours, in, at::kDouble);
    CHECK(distance(ours[0], torchs_of_real(norm, in)) < 1e-12);
    const at::Tensor padding = in.real.logical_not().unsqueeze(-1);
    for (const size_t i : {0, 1}) CHECK(ours[i].masked_select(padding).eq(0).all().item<bool>());
    in.x = in.x.masked_fill(padding, std::nan(""));
    const Tensors odd = run(norm.ours, in, at::kDouble);
    for (size_t i = 0; i < 4; ++i) CHECK(odd[i].equal(ours[i]));
  }
}

TEST_CASE("bf16 stays bf16 with every norm") {
  const Weighted in = input_of(noise({3, 4, 8}, 1));
  for (const Both& norm : kNorms) {
    INFO(norm.name);
    const Tensors bf16 = run(norm.ours, in, at::kBFloat16), exact = run(norm.ours, in, at::kDouble);
    for (size_t i = 0; i < 4; ++i) {
      CHECK(bf16[i].scalar_type() == at::kBFloat16);
      CHECK(distance(bf16[i], exact[i]) < 0.05);
    }
  }
}
