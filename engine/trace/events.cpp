#include "ringside/trace/events.h"

#include "ringside/base/check.h"

namespace ringside {
namespace {

// The text of each enumerator, in order of declaration.
constexpr std::array<std::string_view, 8> kOpNames = {
    "all_reduce", "reduce_scatter", "all_gather", "broadcast", "all_to_all", "send", "recv", "barrier"};
constexpr std::array<std::string_view, 9> kDtypeNames = {"float32", "bfloat16", "float64", "int64", "uint8",
                                                         "float16", "int32",    "int8",    "bool"};
constexpr std::array<int64_t, 9> kDtypeSizes = {4, 2, 8, 8, 1, 2, 4, 1, 1};
constexpr std::array<std::string_view, 4> kStateNames = {"scheduled", "started", "completed", "failed"};
constexpr std::array<std::string_view, kCategoryCount> kCategoryNames = {
    "parameters", "gradients", "optimizer", "activations", "buffers", "other"};
constexpr std::array<std::string_view, 4> kVerdictNames = {"holds", "fails", "partly", "not_testable"};

template <typename T, size_t n, typename E>
T entry_of(const std::array<T, n>& table, E value) {
  const auto index = static_cast<size_t>(value);
  RINGSIDE_CHECK_LT(index, n);
  return table[index];
}

template <typename E, size_t n>
std::optional<E> parse(const std::array<std::string_view, n>& names, std::string_view text) {
  for (size_t i = 0; i < n; ++i)
    if (names[i] == text) return static_cast<E>(i);
  return std::nullopt;
}

}  // namespace

std::span<const std::string_view> texts(MessageState) {
  static constexpr std::array<std::string_view, 4> kTexts = {"sent", "received", "received again", "lost"};
  return kTexts;
}

std::string_view to_string(Op op) { return entry_of(kOpNames, op); }
std::string_view to_string(Dtype dtype) { return entry_of(kDtypeNames, dtype); }
std::string_view to_string(CollectiveState state) { return entry_of(kStateNames, state); }
std::string_view to_string(Category category) { return entry_of(kCategoryNames, category); }
std::string_view to_string(Verdict verdict) { return entry_of(kVerdictNames, verdict); }

std::optional<Op> parse_op(std::string_view text) { return parse<Op>(kOpNames, text); }
std::optional<Dtype> parse_dtype(std::string_view text) { return parse<Dtype>(kDtypeNames, text); }
std::optional<CollectiveState> parse_collective_state(std::string_view text) {
  return parse<CollectiveState>(kStateNames, text);
}
std::optional<Category> parse_category(std::string_view text) {
  return parse<Category>(kCategoryNames, text);
}
std::optional<Verdict> parse_verdict(std::string_view text) { return parse<Verdict>(kVerdictNames, text); }

int64_t size_of(Dtype dtype) { return entry_of(kDtypeSizes, dtype); }

int64_t LedgerRow::unexplained() const {
  if (!predicted) return 0;
  int64_t rest = counted - *predicted;
  for (const LedgerReason& reason : reasons) rest -= reason.bytes;
  return rest;
}

}  // namespace ringside
