#include "ringside/libtorch/overlap.h"

#include <random>
#include <set>

#include "catch.h"

using namespace ringside;

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

TEST_CASE("Random windows of one storage: the strides tell what the bytes tell") {
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
}

TEST_CASE("Long interleaved slices are told apart without walking through them") {
  const at::Tensor x = at::zeros({1 << 22});
  CHECK_FALSE(share_bytes(x.slice(0, 0, {}, 2), x.slice(0, 1, {}, 2)));
  CHECK(share_bytes(x.slice(0, 1, {}, 2), x.slice(0, 0, {}, 3)));
  CHECK_FALSE(share_bytes(x.slice(0, 0, 0), x));
}
