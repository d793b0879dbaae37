#include "cases.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace ringside::shared_memory {
namespace {

// Two tensors over one buffer: from_blob gives each of them a storage of its own.
Case over_one_buffer(std::string name, int64_t count, int64_t first_of_b) {
  const auto buffer = std::make_shared<std::vector<float>>(static_cast<size_t>(count), 1.0f);
  const auto keep = [buffer](void*) {};
  return {std::move(name), at::from_blob(buffer->data(), {count}, keep),
          at::from_blob(buffer->data() + first_of_b, {count - first_of_b}, keep)};
}

// Allocators hand out again what was freed; one buffer makes it certain.
Case reused_address(int64_t count) {
  Case one = over_one_buffer("freed a and the next b", count, 0);
  one.a_is_gone = true;
  return one;
}

bool intervals_overlap(const at::Tensor& a, const at::Tensor& b) {  // strides are never negative
  if (a.numel() == 0 || b.numel() == 0) return false;
  const auto end_of = [](const at::Tensor& t) {
    return storage_of(t) + (places(t).back() + 1) * t.element_size();
  };
  return begin_of(a) < end_of(b) && begin_of(b) < end_of(a);
}

// Writes into `written`, which is b or a part of it, and looks at a. Then the bytes are put back.
bool write_shows(const Case& one, const at::Tensor& written) {
  if (written.numel() == 0) return false;
  char* storage = const_cast<char*>(storage_of(one.b));
  const std::vector<char> kept(storage, storage + one.b.storage().nbytes());
  const at::Tensor before = one.a.clone();
  written.fill_(-1);
  const bool shows = !at::equal(one.a, before);
  std::memcpy(storage, kept.data(), kept.size());
  return shows;
}

at::Tensor first_element(const at::Tensor& tensor) {
  return tensor.numel() == 0 ? tensor : tensor.as_strided({1}, {1}, tensor.storage_offset());
}

const at::Tensor& base_of(const at::Tensor& tensor) { return tensor.is_view() ? tensor._base() : tensor; }

// i * step with 0 <= i <= most: one loop over a tensor. Steps are positive and fall from loop to loop. Each
// tries those i from which the others still reach [low, high]. NP-hard in general, easy for most strides.
struct Loop {
  int64_t step, most;
};
bool reaches(const std::vector<Loop>& loops, size_t from, int64_t low, int64_t high) {
  int64_t others = 0;
  for (size_t i = from + 1; i < loops.size(); ++i) others += loops[i].step * loops[i].most;
  if (from == loops.size()) return low <= 0 && 0 <= high;
  const auto [step, most] = loops[from];
  for (int64_t i = std::max<int64_t>(0, (low - others + step - 1) / step); i <= most && i * step <= high; ++i)
    if (reaches(loops, from + 1, low - i * step, high - i * step)) return true;
  return false;
}

// Elements overlap where their distance, start a - start b + sum of i * step of a - sum of j * step of b, is
// less than their own bytes. With j counted from its end, every term of the sum is positive.
bool overlap_exactly(const at::Tensor& a, const at::Tensor& b) {
  if (a.numel() == 0 || b.numel() == 0) return false;
  std::vector<Loop> loops;
  int64_t start = reinterpret_cast<intptr_t>(begin_of(a)) - reinterpret_cast<intptr_t>(begin_of(b));
  for (const bool of_b : {false, true}) {
    const at::Tensor& tensor = of_b ? b : a;
    for (int64_t d = 0; d < tensor.dim(); ++d) {
      const Loop loop{tensor.stride(d) * tensor.element_size(), tensor.size(d) - 1};
      if (of_b) start -= loop.step * loop.most;
      if (loop.step > 0) loops.push_back(loop);
    }
  }
  std::sort(loops.begin(), loops.end(), [](const Loop& x, const Loop& y) { return x.step > y.step; });
  return reaches(loops, 0, 1 - a.element_size() - start, b.element_size() - 1 - start);
}

}  // namespace

const char* begin_of(const at::Tensor& tensor) { return static_cast<const char*>(tensor.data_ptr()); }
const char* storage_of(const at::Tensor& tensor) { return static_cast<const char*>(tensor.storage().data()); }

std::vector<Case> make_cases(int64_t columns) {
  const int64_t n = 3 * columns;
  const at::Tensor x = at::arange(n, at::kFloat), m = x.view({3, columns}), t = m.t();
  return {{"x and x", x, x},
          {"x and x.view(3, -1)", x, m},
          {"x and x[1:]", x, x.slice(0, 1)},
          {"x and x[1:2].expand(4)", x, x.slice(0, 1, 2).expand({4})},
          {"m and m.t()", m, t},
          {"m and m.reshape(-1)", m, m.reshape({-1})},
          {"m.t() and its reshape(-1)", t, t.reshape({-1})},
          {"m and m.contiguous()", m, m.contiguous()},
          {"m.t() and its contiguous()", t, t.contiguous()},
          {"x and x.clone()", x, x.clone()},
          {"x and x.detach()", x, x.detach()},
          {"x and x.to(float32)", x, x.to(at::kFloat)},
          {"x and x.to(float64)", x, x.to(at::kDouble)},
          {"x[1:] and x.view(int16)", x.slice(0, 1), x.view(at::kShort)},
          over_one_buffer("from_blob(p) twice", n, 0),
          over_one_buffer("from_blob of p and p + 2", n, 2),
          {"empty(0) and empty(0)", at::empty({0}), at::empty({0})},
          {"x and x[:0]", x, x.slice(0, 0, 0)},
          reused_address(n),
          {"x[:n/2] and x[n/2:]", x.slice(0, 0, n / 2), x.slice(0, n / 2)},
          {"m[:, :1] and m[:, 1:]", m.slice(1, 0, 1), m.slice(1, 1)},
          {"x[2:] and x[:4]", x.slice(0, 2), x.slice(0, 0, 4)},
          {"x[1::2] and x[::3]", x.slice(0, 1, n, 2), x.slice(0, 0, n, 3)},
          {"x[::2] and x[1::2]", x.slice(0, 0, n, 2), x.slice(0, 1, n, 2)}};
}

const std::vector<Test>& all_tests() {
  static const std::vector<Test> tests = {
      {"is", [](const Case& c) { return c.a.is_same(c.b); }},
      {"data_ptr", [](const Case& c) { return begin_of(c.a) == begin_of(c.b); }, true},
      {"storage ptr", [](const Case& c) { return storage_of(c.a) == storage_of(c.b); }, true},
      {"is_alias_of", [](const Case& c) { return c.a.is_alias_of(c.b); }},
      {"_base", [](const Case& c) { return base_of(c.a).is_same(base_of(c.b)); }},
      {"write one", [](const Case& c) { return write_shows(c, first_element(c.b)); }},
      {"write all", [](const Case& c) { return write_shows(c, c.b); }},
      {"intervals", [](const Case& c) { return intervals_overlap(c.a, c.b); }},
      {"exact", [](const Case& c) { return overlap_exactly(c.a, c.b); }}};
  return tests;
}

std::vector<int64_t> places(const at::Tensor& tensor) {
  const auto elements = static_cast<int64_t>(tensor.storage().nbytes()) / tensor.element_size();
  const at::Tensor seen = at::arange(elements, at::kLong)
                              .as_strided(tensor.sizes(), tensor.strides(), tensor.storage_offset())
                              .contiguous();
  return {seen.data_ptr<int64_t>(), seen.data_ptr<int64_t>() + seen.numel()};
}

}  // namespace ringside::shared_memory
