// The predicted side of the ledger is a sum: each part of a run (its strategy, its evaluation, its norm, ...)
// adds the rows of what it sends and keeps, from its configuration alone. What no part has announced is
// unexplained.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ringside/trace/trace.h"

namespace ringside::inline planner {

// A rank's place in a group, for what it sends in it.
struct InGroup {
  int size = 1, place = 0;
};

// One rank's rows. N and place: of the ranks over which samples are spread, with the model's places apart;
// where no group is named a call is over those. The section is left empty: reconcile() takes it from the
// counted side.
class RankRows {
 public:
  RankRows(int rank, InGroup data) : rank_(rank), N_(data.size), place_(data.place) {}
  RankRows(int rank, int ranks) : RankRows(rank, {ranks, rank}) {}  // all ranks are one group
  int place() const { return place_; }

  // One a category and moment, or tag and operation, from 0 bytes on: parts that share it add to it.
  LedgerRow& memory(Category category, const char* at) { return row("memory", to_string(category), at, ""); }
  LedgerRow& traffic(const char* tag, Op op) { return row("traffic", tag, "", to_string(op)); }
  // Adds ideal / N whole bytes; `extra` more N-ths of a byte are the reason's, and so is the fraction of a
  // byte that rounding down loses.
  void add_even(LedgerRow& row, int64_t ideal, int64_t extra, const char* reason) const;

  InGroup data() const { return {static_cast<int>(N_), place_}; }
  // Without a group: over data().
  void broadcast(const char* tag, int64_t bytes,
                 std::optional<InGroup> in = {});  // from place 0 to the others
  // Of this rank's contribution, to all others.
  void all_gather(const char* tag, int64_t bytes, std::optional<InGroup> in = {});
  // bytes: of one chunk, one to each of the others.
  void reduce_scatter(const char* tag, int64_t bytes, InGroup in);
  // So few elements that no even formula fits: the chunks themselves are the prediction.
  void all_reduce(const char* tag, int64_t times, int64_t count, Dtype dtype, std::optional<InGroup> in = {});

  std::vector<LedgerRow> take() { return std::move(rows_); }

 private:
  LedgerRow& row(const char* what, std::string_view category, const char* at, std::string_view op);

  int rank_;
  int64_t N_;
  int place_;
  std::vector<LedgerRow> rows_;
};

// Of a section whose ranks are one group: what each is predicted to send against what was counted.
std::vector<LedgerRow> ledger_of(const Trace& trace, const std::string& section,
                                 const std::function<void(RankRows&)>& predict);

// How often a run evaluates that takes `steps` steps: after every `every`-th but the last, and once at its
// end; every 0: at the end alone, -1: never. A run that is cancelled before its last step (whole: false) is
// at its end too. first: steps that another run had taken, whose checkpoint this one resumed from.
inline int64_t count_evaluations(int64_t every, int64_t steps, bool whole, int64_t first = 0) {
  if (every < 0) return 0;
  const int64_t before_the_end = whole ? std::max<int64_t>(0, steps - 1) : steps;
  return 1 + (every == 0 ? 0 : before_the_end / every - std::min(first, before_the_end) / every);
}

// Forward passes of one evaluation: on every rank as many as the longest share of the samples needs.
inline int64_t count_evaluation_batches(int64_t samples, int64_t ranks, int64_t rows) {
  const int64_t longest = (samples + ranks - 1) / ranks;
  return std::max<int64_t>(1, (longest + rows - 1) / rows);
}

}  // namespace ringside::inline planner
