// What a strategy sends and keeps, and a whole run as the sum of its parts. Each row is the formula of an
// evenly divisible model, rounded down to a whole byte; what the real layout adds is a reason of its own: the
// elements that padding adds, or those by which a rank's chunk of an all-reduce differs from n / N.
#include <algorithm>
#include <limits>
#include <string>

#include "ringside/base/check.h"
#include "ringside/ledger/ledger.h"
#include "ringside/planner/run_rows.h"
#include "ringside/planner/zero_plan.h"
#include "zero_formula.h"

namespace ringside {
namespace {

// Elements of the buckets of one kind.
struct Extent {
  int64_t numel = 0;
  int64_t padding = 0;
};
Extent operator+(const Extent& a, const Extent& b) { return {a.numel + b.numel, a.padding + b.padding}; }
Extent operator*(const Extent& a, int64_t times) { return {a.numel * times, a.padding * times}; }

struct RunLayout {
  std::vector<Bucket> buckets;
  Extent trainable, frozen;
  Extent whole() const { return trainable + frozen; }
  Extent below;  // of the frozen: units below the first trainable one, which no gradient reaches
};

RunLayout lay_out(const ZeroRunSetup& setup) {
  RunLayout layout;
  layout.buckets = make_buckets(setup.shapes, bucket_options(setup, setup.ranks));
  int first_trainable = std::numeric_limits<int>::max();
  for (const ParameterShape& shape : setup.shapes)
    if (shape.trainable) first_trainable = std::min(first_trainable, shape.unit);
  for (const Bucket& bucket : layout.buckets) {
    const Extent own{bucket.numel, bucket.padding()};
    Extent& extent = bucket.trainable ? layout.trainable : layout.frozen;
    extent = extent + own;
    if (bucket.unit < first_trainable) layout.below = layout.below + own;
  }
  return layout;
}

// N c_r - n, by which N chunks of rank r's size would differ from n.
int64_t uneven_elements(int64_t n, int64_t rank, int64_t N) { return rank * n % N - (rank + 1) * n % N; }

// What a strategy keeps and sends. Reductions, gathers and their shards follow from the stage.
class StrategyRows {
 public:
  StrategyRows(const ZeroRunSetup& setup, const RunLayout& layout, RankRows& rows)
      : setup_(setup),
        layout_(layout),
        rows_(rows),
        N_(setup.ranks),
        width_(state_widths(setup.precision, setup.optimizer)),
        times_(transfers_per_step(setup)) {}

  void memory() {
    const StateParts parts = state_parts(setup_.stage, N_);
    for (const char* at : {kAfterConstruction, kStepEntry, kAfterStep}) {
      keep(Category::kParameters, at, layout_.whole(), width_.parameter, parts.parameters);
      keep(Category::kGradients, at, layout_.trainable, width_.gradient, parts.gradients);
      keep(Category::kOptimizer, at, layout_.trainable, width_.optimizer, parts.optimizer);
      if (setup_.steps == 0) break;  // the other moments belong to a step
    }
  }

  void load() { rows_.broadcast("initial", 4 * layout_.whole().numel); }

  void gradients() {
    const int64_t bytes = width_.gradient * setup_.steps;
    const int64_t ideal = times_.gradients * (N_ - 1) * layout_.trainable.numel * bytes;
    LedgerRow& row =
        rows_.traffic("gradients", reduces_by_all_reduce(setup_) ? Op::kAllReduce : Op::kReduceScatter);
    if (setup_.stage > 0) {  // padded, so that every chunk is even
      const int64_t padding = times_.gradients * (N_ - 1) * layout_.trainable.padding * bytes;
      return rows_.add_even(row, ideal, padding, "padding");
    }
    int64_t uneven = 0;
    for (const Bucket& bucket : layout_.buckets)
      if (bucket.trainable) uneven += uneven_elements(bucket.numel, rows_.rank(), N_);
    rows_.add_even(row, ideal, (N_ - 2) * uneven * bytes, "uneven chunks");
  }

  void parameters() {
    if (setup_.stage == 0) return;
    Extent moved = layout_.trainable * times_.parameters;
    if (setup_.stage == 3) {
      moved = layout_.whole() * times_.parameters;
      if (setup_.reshard)  // no backward below the first trainable unit
        moved = moved + layout_.below * -setup_.accumulate;
    }
    gather("parameters", moved, setup_.steps);
  }

  // Stage 3 gathers for whoever wants whole parameters.
  void gathers_for(const char* tag, int64_t times) {
    if (setup_.stage == 3) gather(tag, layout_.whole(), times);
  }

 private:
  void keep(Category category, const char* at, const Extent& extent, int64_t bytes, int64_t of_ranks) {
    rows_.add_even(rows_.memory(category, at), extent.numel * bytes * of_ranks,
                   extent.padding * bytes * of_ranks, "padding");
  }
  void gather(const char* tag, const Extent& extent, int64_t times) {
    const int64_t factor = (N_ - 1) * width_.parameter * times;
    rows_.add_even(rows_.traffic(tag, Op::kAllGather), factor * extent.numel, factor * extent.padding,
                   "padding");
  }

  const ZeroRunSetup& setup_;
  const RunLayout& layout_;
  RankRows& rows_;
  int64_t N_;
  StateWidths width_;
  TransfersPerStep times_;
};

}  // namespace

std::vector<LedgerRow> predict_zero_run(const ZeroRunSetup& setup) {
  check_zero(setup.ranks, setup);
  RINGSIDE_CHECK(!setup.naive || setup.stage == 0,
                 "one all-reduce a parameter is stage 0's, not stage " << setup.stage << "'s");
  const RunLayout layout = lay_out(setup);
  std::vector<LedgerRow> all;
  for (int rank = 0; rank < setup.ranks; ++rank) {
    RankRows rows(rank, setup.ranks);
    StrategyRows strategy(setup, layout, rows);
    strategy.memory();
    strategy.load();
    predict_control(setup.control_decisions, rows);
    strategy.gradients();
    strategy.parameters();
    if (setup.stage > 0 && setup.clip_norm > 0) predict_norm(setup.steps, rows);
    predict_metrics(setup.steps, rows);
    if (setup.predict_evaluation)
      setup.predict_evaluation(rows);
    else
      predict_evaluation(setup.evaluations, rows);
    strategy.gathers_for("evaluation", setup.evaluation_batches);
    strategy.gathers_for("export", setup.exports);
    predict_close(rows);
    for (LedgerRow& row : rows.take()) all.push_back(std::move(row));
  }
  return all;
}

}  // namespace ringside
