#include "ringside/tensor/torch_adapter.h"

#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <dlfcn.h>

#include "catch.h"
#include "ringside/base/check.h"
#include "ringside/tensor/memory_hook.h"

using namespace ringside;

namespace {

void refill(const at::Tensor& flat, double value) {
  at::NoGradGuard no_grad;
  flat.fill_(value);
}

}  // namespace

TEST_CASE("dtypes map both ways; a leaf is a window; a loss of nothing trained is refused") {
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kBFloat16, Dtype::kFloat64, Dtype::kInt64, Dtype::kUInt8,
                            Dtype::kFloat16, Dtype::kInt32, Dtype::kInt8, Dtype::kBool}) {
    const at::Tensor tensor = at::zeros({2}, scalar_type(dtype));
    CHECK(dtype_of(tensor) == dtype);
    CHECK(tensor.element_size() == size_of(dtype));
  }
  CHECK_THROWS_AS(dtype_of(at::zeros({1}, at::kComplexFloat)), InvariantError);
  const at::Tensor flat = at::arange(20, at::kFloat);
  const at::Tensor leaf = leaf_in(flat.narrow(0, 2, 18), 3, {2, 4}, true);
  CHECK(leaf.is_leaf());
  CHECK(leaf.requires_grad());
  CHECK(leaf.is_contiguous());
  CHECK(leaf.detach().equal(flat.narrow(0, 5, 8).view({2, 4})));
  refill(flat, 7);
  CHECK(leaf.detach().eq(7).all().item<bool>());
  CHECK_FALSE(leaf_in(flat, 0, {1}, false).requires_grad());
  CHECK_THROWS_WITH(
      run_backward(at::ones({3}).sum()),
      "the loss depends on no parameter that is trained: leave at least one that is not frozen");
}

TEST_CASE("filling the storage does not count as changing the leaf") {
  const at::Tensor flat = at::ones({6});
  const at::Tensor leaf = leaf_in(flat, 0, {6}, true);
  const auto version = leaf._version();
  const at::Tensor loss = (leaf * leaf).sum();
  refill(flat, 3);
  CHECK(leaf._version() == version);
  run_backward(loss);
  CHECK(leaf.grad().eq(6).all().item<bool>());  // 2 x the new value: backward reads what is there now

  const at::Tensor view = flat.detach().narrow(0, 0, 6);  // shares its base's version counter
  const at::Tensor weight = at::ones({6}).set_requires_grad(true);
  const at::Tensor product = (view * weight).sum();
  refill(flat, 4);
  CHECK_THROWS_AS(run_backward(product), c10::Error);  // "modified by an inplace operation"
}

TEST_CASE("parameters freed after forward and gathered again before backward give the same gradients") {
  const auto gradients = [](bool freed) {
    const at::Tensor values = at::arange(12, at::kFloat) / 7 - 1;
    const at::Tensor flat = values.clone();
    const at::Tensor leaf = leaf_in(flat, 0, {3, 4}, true);
    const at::Tensor x = (at::arange(8, at::kFloat) / 5).view({2, 4}).set_requires_grad(true);
    const at::Tensor loss = at::linear(x, leaf).pow(2).sum();
    if (freed) {
      free_storage(flat);
      allocate_storage(flat, 48);
      at::NoGradGuard no_grad;
      flat.copy_(values);
    }
    run_backward(loss);
    return std::vector<at::Tensor>{leaf.grad(), x.grad()};
  };
  const auto kept = gradients(false), gathered = gradients(true);
  CHECK(kept[0].equal(gathered[0]));
  CHECK(kept[1].equal(gathered[1]));
}

TEST_CASE("freeing gives back the bytes, keeps the shape and empties every window") {
  MemoryHook hook(nullptr);
  const at::Tensor flat = at::zeros({10});
  const at::Tensor leaf = leaf_in(flat, 4, {2, 3}, true);
  free_storage(flat);
  CHECK_FALSE(has_storage(flat));
  CHECK(hook.live_total() == 0);
  CHECK(flat.numel() == 10);
  CHECK(leaf.sizes() == at::IntArrayRef({2, 3}));
  CHECK(leaf.storage().nbytes() == 0);
  allocate_storage(flat, 40);
  CHECK(has_storage(flat));
  CHECK(hook.live_total() == 40);
  CHECK(leaf.data_ptr<float>() == flat.data_ptr<float>() + 4);
  CHECK_THROWS_AS(allocate_storage(flat, 40), InvariantError);
}

TEST_CASE("a gradient hook fires once a backward, when the gradient is whole") {
  at::Tensor leaf = at::ones({3}).set_requires_grad(true);
  int fired = 0;
  double seen = 0;
  GradientHook first(leaf, [&] {
    ++fired;
    seen = leaf.grad().sum().item<double>();
  });
  const GradientHook hook = std::move(first);
  run_backward((leaf * 2).sum() + (leaf * 3).sum());  // used twice
  CHECK(fired == 1);
  CHECK(seen == 15);
  run_backward(leaf.sum());  // another graph: the accumulator must still be the same
  CHECK(fired == 2);
  CHECK(seen == 18);
  run_backward((leaf.detach() * at::ones({3}).set_requires_grad(true)).sum());
  CHECK(fired == 2);
}

TEST_CASE("a hook dies with its handle; one thread is kept; the build names its LibTorch") {
  at::Tensor leaf = at::ones({3}).set_requires_grad(true);
  int fired = 0;
  auto hook = std::make_unique<GradientHook>(leaf, [&] { ++fired; });
  const at::Tensor loss = leaf.sum();
  hook.reset();
  run_backward(loss);
  CHECK(fired == 0);
  CHECK(leaf.grad().sum().item<double>() == 3);
  std::thread([] {
    use_one_thread();
    CHECK(at::get_num_threads() == 1);
  }).join();
  use_one_thread();
  CHECK(at::get_num_threads() == 1);
  if (auto* threads = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"))) {
    CHECK(threads() == 1);
    CHECK(blas_warning().empty());
  }
  CHECK_FALSE(torch_build().libtorch.empty());
  CHECK_FALSE(torch_build().blas.empty());
}
