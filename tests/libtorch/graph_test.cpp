#include "ringside/libtorch/graph.h"

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/tensor/torch_adapter.h"

using namespace ringside;

TEST_CASE("A chain goes from the result to the leaf, and tells what its nodes keep") {
  const at::Tensor x = at::randn({2, 3}).set_requires_grad(true);
  const at::Tensor p = at::softmax(x, 1), log = at::log(p);
  const auto chain = chain_behind(log);
  REQUIRE(chain.size() == 3);
  CHECK(chain[0]->name() == "LogBackward0");
  CHECK(chain[1]->name() == "SoftmaxBackward0");
  CHECK(saved_by(chain[0]).front().value.is_alias_of(p));
  CHECK(saved_by(chain[1]).front().value.is_alias_of(p));
  CHECK(saved_by(chain[2]).empty());
  CHECK(chain_behind(x).empty());
}

TEST_CASE("What is not known is not called empty") {
  const at::Tensor x = at::randn({2, 3}).set_requires_grad(true);
  CHECK_THROWS_AS(saved_by(chain_behind(at::exp(x)).front()), InvariantError);
  CHECK_THROWS_AS(chain_behind(x * x.exp()), InvariantError);
  run_backward(at::softmax(x, 1).sum());
}
