#include "ringside/ledger/ledger.h"

#include <cstdlib>
#include <map>
#include <tuple>

#include "ringside/base/check.h"

namespace ringside::inline ledger {
namespace {

using Key = std::tuple<std::string, int, std::string, std::string, std::string>;
Key key_of(const LedgerRow& row) { return {row.what, row.rank, row.category, row.at, row.op}; }

std::string describe(const LedgerRow& row) {
  return row.what + " rank " + std::to_string(row.rank) + " " + row.category + " " + row.at + row.op;
}

using Rows = std::map<Key, LedgerRow>;
Rows index_rows(const std::vector<LedgerRow>& rows) {
  Rows index;
  for (const LedgerRow& row : rows)
    RINGSIDE_CHECK(index.emplace(key_of(row), row).second, "two ledger rows for " << describe(row));
  return index;
}

}  // namespace

bool counted_only(const LedgerRow& row) {
  if (row.what != "memory") return row.op == kMessageOp;
  const bool is_state = row.category == to_string(Category::kParameters) ||
                        row.category == to_string(Category::kGradients) ||
                        row.category == to_string(Category::kOptimizer);
  return !is_state || row.at == kPeak;
}

std::vector<LedgerRow> reconcile(std::vector<LedgerRow> predicted, const std::vector<LedgerRow>& counted) {
  const Rows predictions = index_rows(predicted);
  const Rows counts = index_rows(counted);
  std::vector<LedgerRow> rows = std::move(predicted);
  for (LedgerRow& row : rows) {
    const auto found = counts.find(key_of(row));
    row.counted = found == counts.end() ? 0 : found->second.counted;
    if (found != counts.end() && !found->second.reasons.empty())
      row.reasons.push_back({kHiddenBytes, row.unexplained()});
    if (!counted.empty()) row.section = counted.front().section;
  }
  for (const LedgerRow& row : counted) {
    RINGSIDE_CHECK_EQ(row.section, counted.front().section);
    if (predictions.contains(key_of(row))) continue;
    rows.push_back(row);
    if (!counted_only(row)) rows.back().predicted = 0;
  }
  return rows;
}

int64_t unexplained_bytes(const std::vector<LedgerRow>& rows) {
  int64_t bytes = 0;
  for (const LedgerRow& row : rows) bytes += std::abs(row.unexplained());
  return bytes;
}

}  // namespace ringside::inline ledger
