// The predicted side of the ledger is a sum: each part of a run (its strategy, its evaluation, its norm, ...)
// adds the rows of what it sends and keeps, from its configuration alone. What no part has announced is
// unexplained.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "ringside/trace/events.h"

namespace ringside {

// One rank's rows. The section is left empty: reconcile() takes it from the counted side.
class RankRows {
 public:
  RankRows(int rank, int ranks) : rank_(rank), N_(ranks) {}
  int rank() const { return rank_; }

  // One a category and moment, or tag and operation, from 0 bytes on: parts that share it add to it.
  LedgerRow& memory(Category category, const char* at) { return row("memory", to_string(category), at, ""); }
  LedgerRow& traffic(const char* tag, Op op) { return row("traffic", tag, "", to_string(op)); }
  // Adds ideal / N whole bytes; `extra` more N-ths of a byte are the reason's, and so is the fraction of a
  // byte that rounding down loses.
  void add_even(LedgerRow& row, int64_t ideal, int64_t extra, const char* reason) const;

  void broadcast(const char* tag, int64_t bytes);   // from rank 0 to all others
  void all_gather(const char* tag, int64_t bytes);  // of this rank's contribution, to all others
  // So few elements that no even formula fits: the chunks themselves are the prediction.
  void all_reduce(const char* tag, int64_t times, int64_t count, Dtype dtype) {
    all_reduce(tag, times, count, dtype, static_cast<int>(N_), rank_);
  }
  void all_reduce(const char* tag, int64_t times, int64_t count, Dtype dtype, int size, int place);

  std::vector<LedgerRow> take() { return std::move(rows_); }

 private:
  LedgerRow& row(const char* what, std::string_view category, const char* at, std::string_view op);

  int rank_;
  int64_t N_;
  std::vector<LedgerRow> rows_;
};

}  // namespace ringside
