// The predicted side of the ledger. Each row is the formula of an evenly divisible
// model, rounded down to a whole byte; what the real layout adds is a reason of its
// own: the elements that padding adds, or the elements by which a rank's chunk of an
// all-reduce differs from n / N. A reason also carries the fraction of a byte that
// the formula lost in rounding down.
#include <algorithm>
#include <limits>
#include <string>

#include "ringside/base/check.h"
#include "ringside/collectives/cost.h"
#include "ringside/ledger/ledger.h"
#include "ringside/planner/norm.h"
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
  Extent below;  // of the frozen: units below the first trainable one, which no gradient reaches
};

RunLayout lay_out(const ZeroRunSetup& setup) {
  BucketOptions options;
  options.bucket_elements = setup.naive ? 1 : setup.bucket_elements;  // naive: every parameter alone
  options.multiple_of = setup.stage == 0 ? 1 : setup.ranks;
  options.keep_units = setup.stage == 3;
  RunLayout layout{make_buckets(setup.shapes, options), {}, {}, {}};
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

// ideal / N whole bytes predicted; `extra` more N-ths of a byte are the reason's.
void explain(LedgerRow& row, int64_t ideal, int64_t extra, int64_t N, const char* reason) {
  row.predicted = ideal / N;
  const int64_t rest = extra + ideal % N;
  RINGSIDE_CHECK_EQ(rest % N, 0);
  if (rest != 0) row.reasons.push_back({reason, rest / N});
}

// ---- Memory -----------------------------------------------------------------

void predict_memory(const ZeroRunSetup& setup, const RunLayout& layout, int rank,
                    std::vector<LedgerRow>& rows) {
  const int64_t N = setup.ranks;
  const StateWidths width = state_widths(setup.precision);
  const int64_t master = setup.precision == Precision::kBFloat16 ? 4 : 0;
  const StateParts parts = state_parts(setup.stage, N);
  const auto add = [&](Category category, const char* at, const Extent& extent, int64_t bytes,
                       int64_t of_ranks) {
    LedgerRow row;
    row.what = "memory";
    row.rank = rank;
    row.category = to_string(category);
    row.at = at;
    explain(row, extent.numel * bytes * of_ranks, extent.padding * bytes * of_ranks, N, "padding");
    rows.push_back(std::move(row));
  };
  for (const char* at : {kAfterConstruction, kStepEntry, kAfterStep}) {
    add(Category::kParameters, at, layout.trainable + layout.frozen, width.parameter, parts.parameters);
    add(Category::kGradients, at, layout.trainable, width.gradient, parts.gradients);
    add(Category::kOptimizer, at, layout.trainable, 4 * setup.optimizer_slots + master, parts.optimizer);
    if (setup.steps == 0) break;  // the other moments belong to a step
  }
}

// ---- Traffic ----------------------------------------------------------------

// N c_r - n, by which N chunks of rank r's size would differ from n.
int64_t uneven_elements(int64_t n, int64_t rank, int64_t N) { return rank * n % N - (rank + 1) * n % N; }

class TrafficRows {
 public:
  TrafficRows(const ZeroRunSetup& setup, const RunLayout& layout, int rank, std::vector<LedgerRow>& rows)
      : setup_(setup),
        layout_(layout),
        rank_(rank),
        N_(setup.ranks),
        width_(state_widths(setup.precision)),
        times_(transfers_per_step(setup)),
        rows_(rows) {}

  void predict() {
    const int64_t all = layout_.trainable.numel + layout_.frozen.numel;
    add("initial", Op::kBroadcast).predicted = from_root(4 * all);
    add("control", Op::kBroadcast).predicted = from_root(8 * setup_.control_decisions);
    gradients();
    parameters();
    if (setup_.stage > 0 && setup_.clip_norm > 0) scalars("norm", setup_.steps, kNormLimbs, Dtype::kInt64);
    scalars("metrics", setup_.steps, 2, Dtype::kFloat64);  // loss sum and samples
    evaluation();
    if (setup_.stage == 3) gather("export", layout_.trainable + layout_.frozen, setup_.exports);
    add("close", Op::kBarrier).predicted = 0;
  }

 private:
  LedgerRow& add(const char* tag, Op op) {
    LedgerRow row;
    row.what = "traffic";
    row.rank = rank_;
    row.category = tag;
    row.op = to_string(op);
    rows_.push_back(std::move(row));
    return rows_.back();
  }

  int64_t from_root(int64_t bytes) const { return rank_ == 0 ? (N_ - 1) * bytes : 0; }

  // So few elements that no even formula fits: the chunks themselves are the prediction.
  void scalars(const char* tag, int64_t times, int64_t count, Dtype dtype) {
    const Cost cost =
        direct::all_reduce({.elements = count, .dtype = dtype, .size = setup_.ranks, .rank = rank_});
    add(tag, Op::kAllReduce).predicted = times * cost.bytes_sent;
  }

  void gradients() {
    const int64_t bytes = width_.gradient * setup_.steps;
    const int64_t ideal = times_.gradients * (N_ - 1) * layout_.trainable.numel * bytes;
    const bool all_reduce = reduces_by_all_reduce(setup_);
    LedgerRow& row = add("gradients", all_reduce ? Op::kAllReduce : Op::kReduceScatter);
    if (setup_.stage > 0) {  // padded, so that every chunk is even
      explain(row, ideal, times_.gradients * (N_ - 1) * layout_.trainable.padding * bytes, N_, "padding");
      return;
    }
    int64_t uneven = 0;
    for (const Bucket& bucket : layout_.buckets)
      if (bucket.trainable) uneven += uneven_elements(bucket.numel, rank_, N_);
    explain(row, ideal, (N_ - 2) * uneven * bytes, N_, "uneven chunks");
  }

  void parameters() {
    if (setup_.stage == 0) return;
    Extent moved = layout_.trainable * times_.parameters;
    if (setup_.stage == 3) {
      moved = (layout_.trainable + layout_.frozen) * times_.parameters;
      if (setup_.reshard)  // no backward below the first trainable unit
        moved = moved + layout_.below * -setup_.accumulate;
    }
    gather("parameters", moved, setup_.steps);
  }

  // Stage 3's parameters and the gathered logits are one row: the same operation with the same tag.
  void evaluation() {
    const GatheredOutputs& gathered = setup_.gathered;
    if (!gathered.logits)
      scalars("evaluation", setup_.evaluations, 3, Dtype::kFloat64);  // loss, correct, count
    if (setup_.stage < 3 && !gathered.logits) return;
    const Extent whole = setup_.stage == 3 ? layout_.trainable + layout_.frozen : Extent{};
    const ContributionBytes own = contribution_bytes(gathered);
    const int64_t times = (N_ - 1) * setup_.evaluation_batches;
    *gather("evaluation", whole, setup_.evaluation_batches).predicted += times * own.logits;
    if (gathered.hidden_states)
      add("evaluation hidden states", Op::kAllGather).predicted = times * own.hidden_states;
    if (gathered.attentions) add("evaluation attentions", Op::kAllGather).predicted = times * own.attentions;
  }

  LedgerRow& gather(const char* tag, const Extent& extent, int64_t times) {
    const int64_t factor = (N_ - 1) * width_.parameter * times;
    LedgerRow& row = add(tag, Op::kAllGather);
    explain(row, factor * extent.numel, factor * extent.padding, N_, "padding");
    return row;
  }

  const ZeroRunSetup& setup_;
  const RunLayout& layout_;
  int rank_;
  int64_t N_;
  StateWidths width_;
  TransfersPerStep times_;
  std::vector<LedgerRow>& rows_;
};

}  // namespace

std::vector<LedgerRow> predict_zero_run(const ZeroRunSetup& setup) {
  check_zero(setup.ranks, setup);
  RINGSIDE_CHECK(!setup.naive || setup.stage == 0,
                 "one all-reduce a parameter is stage 0's, not stage " << setup.stage << "'s");
  const RunLayout layout = lay_out(setup);
  std::vector<LedgerRow> rows;
  for (int rank = 0; rank < setup.ranks; ++rank) {
    predict_memory(setup, layout, rank, rows);
    TrafficRows(setup, layout, rank, rows).predict();
  }
  return rows;
}

}  // namespace ringside
