// A call of LibTorch seen from inside.
#include "ringside/libtorch/watch_call.h"

#include <ATen/ATen.h>

#include <random>

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/libtorch/graph.h"
#include "ringside/libtorch/overlap.h"
#include "ringside/tensor/torch_adapter.h"

using namespace ringside;

TEST_CASE("watch_call: operators, memory, the stack from the operator on; what throws passes") {
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
  CHECK_THROWS(watch_call([] { at::add(at::ones({2}), at::ones({3})); }));
  CHECK(watch_call([] {}).operators.empty());
}

TEST_CASE("a chain goes from result to leaf and tells what it keeps; unknown is not empty") {
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
  CHECK_THROWS_AS(saved_by(chain_behind(at::exp(x)).front()), InvariantError);
  CHECK_THROWS_AS(chain_behind(x * x.exp()), InvariantError);
  const GraphBehind graph = graph_behind(x * x.exp());  // x is used twice
  CHECK(graph.edges == std::vector<std::pair<size_t, size_t>>{{0, 1}, {2, 1}, {0, 2}});
  CHECK(leaf_of(graph.nodes.at(1)).is_same(x));
  CHECK(!leaf_of(graph.nodes.at(2)).defined());
  run_backward(at::softmax(x, 1).sum());
}

namespace {

// Every byte of every element, one by one.
std::set<const char*> bytes_of(const at::Tensor& tensor) {
  std::set<const char*> bytes;
  const at::Tensor numbers =
      at::arange(static_cast<int64_t>(tensor.storage().nbytes()) / tensor.element_size());
  const at::Tensor seen =
      numbers.as_strided(tensor.sizes(), tensor.strides(), tensor.storage_offset()).contiguous();
  const char* storage =
      static_cast<const char*>(tensor.data_ptr()) - tensor.storage_offset() * tensor.element_size();
  for (int64_t i = 0; i < seen.numel(); ++i)
    for (int64_t byte = 0; byte < tensor.element_size(); ++byte)
      bytes.insert(storage + seen.flatten()[i].item<int64_t>() * tensor.element_size() + byte);
  return bytes;
}

bool share_by_bytes(const at::Tensor& a, const at::Tensor& b) {
  const std::set<const char*> of_b = bytes_of(b);
  for (const char* byte : bytes_of(a))
    if (of_b.contains(byte)) return true;
  return false;
}

}  // namespace

TEST_CASE("strides tell of overlaps what bytes tell, of long slices without walking them") {
  std::mt19937 random(7);
  const at::Tensor floats = at::zeros({60}), shorts = floats.view(at::kShort);
  const auto window = [&] {
    const at::Tensor& base = random() % 3 == 0 ? shorts : floats;
    std::vector<int64_t> sizes, strides;
    for (size_t dims = random() % 3, d = 0; d < dims; ++d) {
      sizes.push_back(1 + random() % 3);
      strides.push_back(random() % 12);
    }
    return base.as_strided(sizes, strides, random() % 12);
  };
  int shared = 0;
  for (int i = 0; i < 500; ++i) {
    const at::Tensor a = window(), b = window();
    const bool expected = share_by_bytes(a, b);
    shared += expected;
    INFO(a.sizes() << a.strides() << a.storage_offset() << " " << b.sizes() << b.strides()
                   << b.storage_offset());
    CHECK(share_bytes(a, b) == expected);
    CHECK(share_bytes(b, a) == expected);
  }
  CHECK(shared > 50);
  CHECK(shared < 450);
  const at::Tensor x = at::zeros({1 << 22});
  CHECK_FALSE(share_bytes(x.slice(0, 0, {}, 2), x.slice(0, 1, {}, 2)));
  CHECK(share_bytes(x.slice(0, 1, {}, 2), x.slice(0, 0, {}, 3)));
  CHECK_FALSE(share_bytes(x.slice(0, 0, 0), x));
}
