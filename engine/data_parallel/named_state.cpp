#include "ringside/data_parallel/named_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "ringside/base/error.h"
#include "ringside/nn/tensor_view.h"

namespace ringside::inline data_parallel {
namespace {

[[noreturn]] void refuse(const StatePiece& piece, const std::string& what) {
  throw InputError("state '{}' of {}: {}", piece.kind, piece.name, what);
}

void require_same(const StatePiece& piece, const std::vector<int64_t>& shape, Dtype dtype, Dtype own) {
  if (shape != piece.shape)
    refuse(piece, fmt::format("another shape, ({}), where ({}) is expected", fmt::join(shape, ", "),
                              fmt::join(piece.shape, ", ")));
  if (dtype != own) refuse(piece, "another element type");
}

}  // namespace

void StatePiece::for_each_run(const std::function<void(int64_t, int64_t, int64_t)>& take) const {
  if (part == nullptr) return take(0, begin, count);
  ringside::for_each_run(*part, begin, count, [&](int64_t in_part, int64_t in_whole, int64_t elements) {
    take(in_part - begin, in_whole, elements);
  });
}

void NamedState::Whole::cover(int64_t begin, int64_t end) {
  auto next = there.upper_bound(begin);
  if (next != there.begin() && std::prev(next)->second >= begin) --next, begin = next->first;
  while (next != there.end() && next->first <= end) {
    end = std::max(end, next->second);
    next = there.erase(next);
  }
  there.emplace_hint(next, begin, end);
}

int64_t NamedState::Whole::first_missing(int64_t begin, int64_t end) const {
  const auto next = there.upper_bound(begin);
  if (next == there.begin()) return begin;
  return std::clamp(std::prev(next)->second, begin, end);
}

void NamedState::add(const StatePiece& piece) {
  const at::Tensor read = on_host(piece.data);
  const MutableView view = view_of(read);
  const auto width = size_of(view.dtype);
  const auto [found, is_new] = tensors_.try_emplace({piece.name, piece.kind});
  Whole& whole = found->second;
  if (is_new) {
    const auto bytes = size_t(elements_in(piece.shape) * width);
    whole = {piece.shape, view.dtype, std::vector<char>(bytes), {}};
  }
  require_same(piece, whole.shape, whole.dtype, view.dtype);
  const auto* data = static_cast<const char*>(view.data);
  piece.for_each_run([&](int64_t at, int64_t in_whole, int64_t count) {
    std::memcpy(whole.bytes.data() + in_whole * width, data + at * width, size_t(count * width));
    whole.cover(in_whole, in_whole + count);
  });
}

void NamedState::fill(const StatePiece& piece) const {
  const at::Tensor filled = on_host(piece.data);
  const MutableView view = view_of(filled);
  const auto width = size_of(view.dtype);
  const auto found = tensors_.find({piece.name, piece.kind});
  if (found == tensors_.end()) refuse(piece, "not there");
  const Whole& whole = found->second;
  require_same(piece, whole.shape, whole.dtype, view.dtype);
  auto* data = static_cast<char*>(view.data);
  piece.for_each_run([&](int64_t at, int64_t in_whole, int64_t count) {
    const int64_t missing = whole.first_missing(in_whole, in_whole + count);
    if (missing < in_whole + count) refuse(piece, fmt::format("element {} is not there", missing));
    std::memcpy(data + at * width, whole.bytes.data() + in_whole * width, size_t(count * width));
  });
  if (!filled.is_same(piece.data)) piece.data.copy_(filled);
}

}  // namespace ringside::inline data_parallel
