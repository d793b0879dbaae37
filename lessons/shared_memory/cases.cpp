#include "cases.h"

#include <cstring>
#include <memory>

#include "ringside/libtorch/overlap.h"

namespace ringside::shared_memory {
namespace {

// from_blob gives each tensor a storage of its own, over one buffer.
Case over_one_buffer(std::string name, int64_t count, int64_t first_of_b, bool a_is_gone = false) {
  const auto buffer = std::make_shared<std::vector<float>>(static_cast<size_t>(count), 1.0f);
  const auto keep = [buffer](void*) {};
  return {std::move(name), at::from_blob(buffer->data(), {count}, keep),
          at::from_blob(buffer->data() + first_of_b, {count - first_of_b}, keep), a_is_gone};
}

bool extents_overlap(const at::Tensor& a, const at::Tensor& b) {  // strides are never negative
  if (a.numel() == 0 || b.numel() == 0) return false;
  const auto begin = [](const at::Tensor& t) { return storage_of(t) + places(t).front() * t.element_size(); };
  const auto end = [](const at::Tensor& t) {
    return storage_of(t) + (places(t).back() + 1) * t.element_size();
  };
  return begin(a) < end(b) && begin(b) < end(a);
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

at::Tensor first_of(const at::Tensor& t) {
  return t.numel() == 0 ? t : t.as_strided({1}, {1}, t.storage_offset());
}
at::TensorBase base_of(const at::Tensor& t) { return t.is_view() ? t._base() : t; }

}  // namespace

std::vector<Case> make_cases(int64_t columns) {
  const int64_t n = 3 * columns;
  const at::Tensor x = at::arange(n, at::kFloat), m = x.view({3, columns}), t = m.t();
  return {{"x & x", x, x},
          {"x & x.view(3, -1)", x, m},
          {"x & x[1:]", x, x.slice(0, 1)},
          {"x & x[1].expand(4)", x, x[1].expand({4})},
          {"m & t", m, t},
          {"m & m.reshape(-1)", m, m.reshape({-1})},
          {"t & t.reshape(-1)", t, t.reshape({-1})},
          {"m & m.contiguous()", m, m.contiguous()},
          {"t & t.contiguous()", t, t.contiguous()},
          {"x & x.clone()", x, x.clone()},
          {"x & x.detach()", x, x.detach()},
          {"x & x.to(float32)", x, x.to(at::kFloat)},
          {"x & x.to(float64)", x, x.to(at::kDouble)},
          {"x[1:] & x as int16", x.slice(0, 1), x.view(at::kShort)},
          over_one_buffer("from_blob p & p", n, 0),
          over_one_buffer("from_blob p & p + 2", n, 2),
          {"empty(0) & empty(0)", at::empty({0}), at::empty({0})},
          {"x & x[:0]", x, x.slice(0, 0, 0)},
          // Allocators hand out again what was freed; one buffer makes it certain.
          over_one_buffer("freed a & next b", n, 0, true),
          {"x[:n/2] & x[n/2:]", x.slice(0, 0, n / 2), x.slice(0, n / 2)},
          {"m[:, :1] & m[:, 1:]", m.slice(1, 0, 1), m.slice(1, 1)},
          {"x[2:] & x[:4]", x.slice(0, 2), x.slice(0, 0, 4)},
          {"x[1::2] & x[::3]", x.slice(0, 1, n, 2), x.slice(0, 0, n, 3)},
          {"x[::2] & x[1::2]", x.slice(0, 0, n, 2), x.slice(0, 1, n, 2)}};
}

const std::vector<Test>& all_tests() {
  static const std::vector<Test> tests = {
      {"is", [](const Case& c) { return c.a.is_same(c.b); }},
      {"data_ptr", [](const Case& c) { return c.a.data_ptr() == c.b.data_ptr(); }, true},
      {"storage", [](const Case& c) { return storage_of(c.a) == storage_of(c.b); }, true},
      {"is_alias_of", [](const Case& c) { return c.a.is_alias_of(c.b); }},
      {"_base", [](const Case& c) { return base_of(c.a).is_same(base_of(c.b)); }},
      {"write 1", [](const Case& c) { return write_shows(c, first_of(c.b)); }},
      {"write all", [](const Case& c) { return write_shows(c, c.b); }},
      {"extent", [](const Case& c) { return extents_overlap(c.a, c.b); }},
      {"exact", [](const Case& c) { return share_bytes(c.a, c.b); }}};
  return tests;
}

const char* storage_of(const at::Tensor& tensor) { return static_cast<const char*>(tensor.storage().data()); }

// Numbers the elements of the storage, and looks at them as the tensor does.
std::vector<int64_t> places(const at::Tensor& tensor) {
  const auto elements = static_cast<int64_t>(tensor.storage().nbytes()) / tensor.element_size();
  const at::Tensor numbers = at::arange(elements, at::kLong);
  const at::Tensor seen =
      numbers.as_strided(tensor.sizes(), tensor.strides(), tensor.storage_offset()).contiguous();
  return {seen.data_ptr<int64_t>(), seen.data_ptr<int64_t>() + seen.numel()};
}

Names cases_where(const Trace& trace, const std::string& test, bool (AnswerRow::*holds)() const) {
  Names names;
  for (const AnswerRow& answer : rows_in<AnswerRow>(trace))
    if (answer.test == test && (answer.*holds)()) names.push_back(answer.name);
  return names;
}

}  // namespace ringside::shared_memory
