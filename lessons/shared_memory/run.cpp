// Pairs of tensors, the tests that people give, and the truth, found byte by byte.
#include <ATen/ATen.h>

#include <cstring>

#include "ringside/libtorch/overlap.h"
#include "rows.h"

namespace ringside::lessons::shared_memory {
namespace {

constexpr double kWritten = -1;  // what the tests write

struct Case {
  std::string name;  // "x & x[1:]"
  at::Tensor a, b;
  bool a_is_gone = false;  // a was freed before b was made: its addresses are all that is left of it
};

const char* storage_of(const at::Tensor& tensor) { return static_cast<const char*>(tensor.storage().data()); }

// Which elements lie at each byte: the truth is found byte by byte.
using Bytes = std::map<const char*, std::vector<int64_t>>;
Bytes bytes_of(const at::Tensor& t) {
  // Numbers the elements of the storage, and looks at them as the tensor does.
  const at::Tensor numbers = at::arange(int64_t(t.storage().nbytes()) / t.element_size(), at::kLong),
                   seen = numbers.as_strided(t.sizes(), t.strides(), t.storage_offset()).contiguous();
  Bytes bytes;
  for (int64_t i = 0; i < seen.numel(); ++i)
    for (int64_t byte = 0; byte < t.element_size(); ++byte)
      bytes[storage_of(t) + seen.data_ptr<int64_t>()[i] * t.element_size() + byte].push_back(i);
  return bytes;
}

// from_blob gives each tensor a storage of its own, over one buffer.
Case over_one_buffer(std::string name, int64_t count, int64_t first_of_b, bool a_is_gone = false) {
  const auto buffer = std::make_shared<std::vector<float>>(size_t(count), 1.0f);
  const auto keep = [buffer](void*) {};
  return {std::move(name), at::from_blob(buffer->data(), {count}, keep),
          at::from_blob(buffer->data() + first_of_b, {count - first_of_b}, keep), a_is_gone};
}

bool extents_overlap(const Bytes& a, const Bytes& b) {
  return !a.empty() && !b.empty() && a.begin()->first <= b.rbegin()->first &&
         b.begin()->first <= a.rbegin()->first;
}

// Writes into b, into all of it or its first element, and looks at a. Then the bytes are put back.
bool write_shows(const Case& one, bool all) {
  if (one.b.numel() == 0) return false;
  char* storage = const_cast<char*>(storage_of(one.b));
  const std::vector<char> kept(storage, storage + one.b.storage().nbytes());
  const at::Tensor before = one.a.clone();
  (all ? one.b : one.b.as_strided({1}, {1}, one.b.storage_offset())).fill_(kWritten);
  const bool shows = !at::equal(one.a, before);
  std::memcpy(storage, kept.data(), kept.size());
  return shows;
}

at::TensorBase base_of(const at::Tensor& t) { return t.is_view() ? t._base() : t; }

// x has 3 * columns elements in fp32; m is x as 3 rows, t its transpose. The figures open with the last one.
std::vector<Case> make_cases(int64_t columns) {
  const int64_t n = 3 * columns;
  const at::Tensor x = at::arange(n, at::kFloat), m = x.view({3, columns}), t = m.t();
  const at::Tensor nan = at::full({n}, NAN), written = at::full({n}, kWritten);
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
          {"-1s & itself", written, written},
          {"NaNs & their clone", nan, nan.clone()},
          {"x[:n/2] & x[n/2:]", x.slice(0, 0, n / 2), x.slice(0, n / 2)},
          {"m[:, :1] & m[:, 1:]", m.slice(1, 0, 1), m.slice(1, 1)},
          {"x[2:] & x[:4]", x.slice(0, 2), x.slice(0, 0, 4)},
          {"x[1::2] & x[::3]", x.slice(0, 1, n, 2), x.slice(0, 0, n, 3)},
          {"x[::2] & x[1::2]", x.slice(0, 0, n, 2), x.slice(0, 1, n, 2)}};
}

struct Test {
  std::string name;
  bool (*says)(const Case&);  // that they share memory
  bool of_pointers = false;   // it compares two numbers, and does not need both tensors
};
const std::vector<Test> kTests = {
    {"is", [](const Case& c) { return c.a.is_same(c.b); }},
    {"data_ptr", [](const Case& c) { return c.a.data_ptr() == c.b.data_ptr(); }, true},
    {"storage", [](const Case& c) { return storage_of(c.a) == storage_of(c.b); }, true},
    {"is_alias_of", [](const Case& c) { return c.a.is_alias_of(c.b); }},
    {"_base", [](const Case& c) { return base_of(c.a).is_same(base_of(c.b)); }},
    {"write 1", [](const Case& c) { return write_shows(c, false); }},
    {"write all", [](const Case& c) { return write_shows(c, true); }},
    {"extent", [](const Case& c) { return extents_overlap(bytes_of(c.a), bytes_of(c.b)); }},
    {"exact", [](const Case& c) { return share_bytes(c.a, c.b); }}};

std::string layout(const at::Tensor& t) {
  return fmt::format("[{}] by [{}] at {}", fmt::join(t.sizes(), ","), fmt::join(t.strides(), ","),
                     t.storage_offset());
}

// Both are seen over one piece of memory where their storages lie in one, each over its own otherwise.
CaseRow look_at(const Case& one, Recorder& recorder) {
  const auto& [name, a, b, a_is_gone] = one;
  const auto end_of = [](const at::Tensor& t) { return storage_of(t) + t.storage().nbytes(); };
  CaseRow row{.name = name, .a = layout(a), .b = layout(b), .apart = tr("elsewhere")};
  row.one_memory = !a_is_gone && storage_of(a) < end_of(b) && storage_of(b) < end_of(a);
  row.one_storage = row.one_memory && a.is_alias_of(b);
  if (row.one_memory && b.numel() > 0)
    row.apart =
        fmt::format("{:+} bytes", static_cast<char*>(b.data_ptr()) - static_cast<char*>(a.data_ptr()));
  Bytes in_a = bytes_of(a), in_b = bytes_of(b);
  for (const auto& [byte, elements] : in_a) row.shared += row.one_memory && in_b.contains(byte);
  for (const auto& [which, tensor, elements] : {std::tuple("a", &a, &in_a), {"b", &b, &in_b}}) {
    const char* end = row.one_memory ? std::max(end_of(a), end_of(b)) : end_of(*tensor);
    const char* cell = row.one_memory ? std::min(storage_of(a), storage_of(b)) : storage_of(*tensor);
    for (; cell < end; cell += std::min(a.element_size(), b.element_size()))
      record_row<CellRow>(recorder, {name, which, fmt::format("{}", fmt::join((*elements)[cell], " "))});
  }
  record_row(recorder, row);
  return row;
}

}  // namespace

void run(const Config& config, const RunContext& context) {
  Recorder& recorder = *context.store.add_section("pairs", {}, 1).front();
  const std::vector<Case> cases = make_cases(config.integer("columns"));
  int64_t done = 0;
  for (const Case& one : cases) {
    context.control.pass_step();
    const SpanScope span(recorder, "pair", done, one.name);
    const CaseRow row = look_at(one, recorder);
    const bool truth = config.text("truth") == "storage" ? row.one_storage : row.shared > 0;
    for (const Test& test : kTests) {
      const bool asked = !one.a_is_gone || test.of_pointers;
      record_row<AnswerRow>(recorder, {one.name, test.name, asked, asked && test.says(one), truth});
    }
    context.progress({one.name, ++done, int64_t(cases.size())});
  }
}

}  // namespace ringside::lessons::shared_memory
