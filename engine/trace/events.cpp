#include "ringside/trace/events.h"

#include "ringside/base/check.h"

namespace ringside::inline trace {
namespace {

// The text of each enumerator, in order of declaration.
constexpr std::array<std::string_view, 8> kOps = {"all_reduce", "reduce_scatter", "all_gather", "broadcast",
                                                  "all_to_all", "send",           "recv",       "barrier"};
constexpr std::array<std::string_view, 9> kDtypes = {"float32", "bfloat16", "float64", "int64", "uint8",
                                                     "float16", "int32",    "int8",    "bool"};
constexpr std::array<int64_t, kDtypes.size()> kDtypeSizes = {4, 2, 8, 8, 1, 2, 4, 1, 1};
constexpr std::array<std::string_view, 4> kStates = {"scheduled", "started", "completed", "failed"};
constexpr std::array<std::string_view, kCategoryCount> kCategoryTexts = {
    "parameters", "gradients", "optimizer", "activations", "buffers", "other"};
constexpr std::array<std::string_view, 4> kMessageStates = {"sent", "received", "received again", "lost"};
constexpr std::array<std::string_view, 4> kVerdicts = {"holds", "fails", "partly", "not_testable"};

}  // namespace

std::span<const std::string_view> texts(Op) { return kOps; }
std::span<const std::string_view> texts(Dtype) { return kDtypes; }
std::span<const std::string_view> texts(CollectiveState) { return kStates; }
std::span<const std::string_view> texts(Category) { return kCategoryTexts; }
std::span<const std::string_view> texts(MessageState) { return kMessageStates; }
std::span<const std::string_view> texts(Verdict) { return kVerdicts; }

int64_t size_of(Dtype dtype) {
  RINGSIDE_CHECK_LT(size_t(dtype), kDtypeSizes.size());
  return kDtypeSizes[size_t(dtype)];
}

int64_t LedgerRow::unexplained() const {
  if (!predicted) return 0;
  int64_t rest = counted - *predicted;
  for (const LedgerReason& reason : reasons) rest -= reason.bytes;
  return rest;
}

}  // namespace ringside::inline trace
