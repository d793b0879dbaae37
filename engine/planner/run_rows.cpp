#include "ringside/planner/run_rows.h"

#include "ringside/base/check.h"
#include "ringside/collectives/cost.h"
#include "ringside/ledger/ledger.h"

namespace ringside::inline planner {

LedgerRow& RankRows::row(const char* what, std::string_view category, const char* at, std::string_view op) {
  for (LedgerRow& row : rows_)
    if (row.what == what && row.category == category && row.at == at && row.op == op) return row;
  LedgerRow& row = rows_.emplace_back();
  row.what = what;
  row.rank = rank_;
  row.category = category;
  row.at = at;
  row.op = op;
  row.predicted = 0;
  return row;
}

void RankRows::add_even(LedgerRow& row, int64_t ideal, int64_t extra, const char* reason) const {
  *row.predicted += ideal / N_;
  const int64_t rest = extra + ideal % N_;
  RINGSIDE_CHECK_EQ(rest % N_, 0);
  if (rest != 0) row.reasons.push_back({reason, rest / N_});
}

void RankRows::broadcast(const char* tag, int64_t bytes, std::optional<InGroup> in) {
  const InGroup over = in.value_or(data());
  *traffic(tag, Op::kBroadcast).predicted += over.place == 0 ? (over.size - 1) * bytes : 0;
}

void RankRows::all_gather(const char* tag, int64_t bytes, std::optional<InGroup> in) {
  *traffic(tag, Op::kAllGather).predicted += (in.value_or(data()).size - 1) * bytes;
}

void RankRows::reduce_scatter(const char* tag, int64_t bytes, InGroup in) {
  *traffic(tag, Op::kReduceScatter).predicted += (in.size - 1) * bytes;
}

void RankRows::all_reduce(const char* tag, int64_t times, int64_t count, Dtype dtype,
                          std::optional<InGroup> in) {
  const auto [size, place] = in.value_or(data());
  const int64_t sent = direct::all_reduce({.elements = count, .dtype = dtype, .size = size, .rank = place});
  *traffic(tag, Op::kAllReduce).predicted += times * sent;
}

std::vector<LedgerRow> ledger_of(const Trace& trace, const std::string& section,
                                 const std::function<void(RankRows&)>& predict) {
  const SectionView& view = *trace.find(section);
  std::vector<LedgerRow> predicted;
  for (int rank = 0; rank < view.ranks(); ++rank) {
    RankRows rows(rank, view.ranks());
    predict(rows);
    for (LedgerRow& row : rows.take()) predicted.push_back(std::move(row));
  }
  return reconcile(std::move(predicted), count_rows(trace, view));
}

}  // namespace ringside::inline planner
