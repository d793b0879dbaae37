// A call of LibTorch seen from inside.
#include "ringside/libtorch/watch_call.h"

#include <ATen/ATen.h>

#include "catch.h"

using namespace ringside;

TEST_CASE("watch_call: operators, memory, and the stack from the operator on") {
  const at::Tensor a = at::ones({2, 3}), i = at::ones({2, 3}, at::kLong);
  const WatchedCall plain = watch_call([&] { at::add(a, a); });
  CHECK(plain.operators == std::vector<std::string>{"aten::add"});
  REQUIRE(plain.allocations.size() == 1);
  CHECK(plain.allocations[0].bytes == 24);
  CHECK(plain.allocations[0].below_autograd);
  REQUIRE(!plain.stack.empty());
  CHECK(plain.stack.front().function == "at::_ops::add_Tensor::call");
  CHECK(plain.stack.front().library == "libtorch_cpu");

  const WatchedCall mixed = watch_call([&] { at::add(i, a); });
  CHECK(mixed.operators.size() > 1);
  CHECK(mixed.allocations.size() == 2);
  CHECK(mixed.stack.front().function == "at::_ops::add_Tensor::call");  // the outermost operator
}

TEST_CASE("watch_call: what throws passes, and nothing is watched after it") {
  CHECK_THROWS(watch_call([] { at::add(at::ones({2}), at::ones({3})); }));
  CHECK(watch_call([] {}).operators.empty());
}
