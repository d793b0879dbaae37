#include "ringside/planner/run_rows.h"

#include "ringside/base/check.h"
#include "ringside/collectives/cost.h"
#include "ringside/optim/exact_square_sum.h"

namespace ringside {

LedgerRow& RankRows::memory(Category category, const char* at) {
  LedgerRow row;
  row.what = "memory";
  row.rank = rank_;
  row.category = to_string(category);
  row.at = at;
  row.predicted = 0;
  return rows_.emplace_back(std::move(row));
}

LedgerRow& RankRows::traffic(const char* tag, Op op) {
  for (LedgerRow& row : rows_)
    if (row.what == "traffic" && row.category == tag && row.op == to_string(op)) return row;
  LedgerRow row;
  row.what = "traffic";
  row.rank = rank_;
  row.category = tag;
  row.op = to_string(op);
  row.predicted = 0;
  return rows_.emplace_back(std::move(row));
}

void RankRows::add_even(LedgerRow& row, int64_t ideal, int64_t extra, const char* reason) const {
  *row.predicted += ideal / N_;
  const int64_t rest = extra + ideal % N_;
  RINGSIDE_CHECK_EQ(rest % N_, 0);
  if (rest != 0) row.reasons.push_back({reason, rest / N_});
}

void RankRows::broadcast(const char* tag, int64_t bytes) {
  *traffic(tag, Op::kBroadcast).predicted += rank_ == 0 ? (N_ - 1) * bytes : 0;
}

void RankRows::all_gather(const char* tag, int64_t bytes) {
  *traffic(tag, Op::kAllGather).predicted += (N_ - 1) * bytes;
}

void RankRows::all_reduce(const char* tag, int64_t times, int64_t count, Dtype dtype) {
  const Cost cost =
      direct::all_reduce({.elements = count, .dtype = dtype, .size = static_cast<int>(N_), .rank = rank_});
  *traffic(tag, Op::kAllReduce).predicted += times * cost.bytes_sent;
}

void predict_control(int64_t decisions, RankRows& rows) { rows.broadcast("control", 8 * decisions); }

void predict_metrics(int64_t steps, RankRows& rows) { rows.all_reduce("metrics", steps, 2, Dtype::kFloat64); }

void predict_norm(int64_t steps, RankRows& rows) {
  rows.all_reduce("norm", steps, kNormLimbs, Dtype::kInt64);
}

void predict_evaluation(int64_t evaluations, RankRows& rows) {
  rows.all_reduce("evaluation", evaluations, 3, Dtype::kFloat64);
}

void predict_close(RankRows& rows) { rows.traffic("close", Op::kBarrier); }

}  // namespace ringside
