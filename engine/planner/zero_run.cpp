// What a strategy sends and keeps, and a whole run as the sum of its parts. Each row is the formula of an
// evenly divisible model, rounded down to a whole byte; what the real layout adds is a reason of its own: the
// elements that padding adds, or those by which a rank's chunk of an all-reduce differs from n / N.
#include <algorithm>
#include <limits>
#include <map>

#include "ringside/base/check.h"
#include "ringside/ledger/ledger.h"
#include "ringside/optim/exact_square_sum.h"
#include "ringside/planner/tensor_parallel_rows.h"
#include "ringside/planner/update_plan.h"
#include "ringside/planner/zero_plan.h"
#include "zero_formula.h"

namespace ringside::inline planner {
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

// Of the parts that a place has.
RunLayout lay_out(const ZeroRunSetup& setup, const std::vector<ParameterShape>& shapes, int data_ranks) {
  RunLayout layout;
  layout.buckets = make_buckets(shapes, setup, data_ranks);
  int first_trainable = std::numeric_limits<int>::max();
  for (const ParameterShape& shape : shapes)
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
struct StrategyRows {
  const ZeroRunSetup& setup;
  const RunLayout& layout;
  const UpdatePlan& update;
  RankRows& rows;
  const InGroup copy;  // of the ranks whose owned elements make up one copy
  const int64_t N = rows.data().size, M = setup.replicas, n = shard_ranks(N, setup);
  const StateWidths width = state_widths(setup.precision, setup.optimizer);
  const TransfersPerStep times = transfers_per_step(setup);

  void memory() {
    const StateParts parts = state_parts(setup, N);
    memory_at(kAfterConstruction, parts);
    if (setup.steps == 0) return;  // the other moments belong to a step
    memory_at(kStepEntry, parts);
    memory_at(kAfterStep, parts);
    if (keeps_whole_gradients(setup))
      memory_at(kBetweenMicroBatches, {parts.parameters, N + parts.gradients, parts.optimizer});
  }

  void gradients() {
    const int64_t bytes = width.gradient * setup.steps;
    const int64_t ideal = times.gradients * (N - M) * layout.trainable.numel * bytes;
    LedgerRow& row =
        rows.traffic("gradients", reduces_by_all_reduce(setup) ? Op::kAllReduce : Op::kReduceScatter);
    if (setup.stage > 0) {  // padded, so that every chunk is even
      const int64_t padding = times.gradients * (N - M) * layout.trainable.padding * bytes;
      return rows.add_even(row, ideal, padding, "padding");
    }
    int64_t uneven = 0;
    for (const Bucket& bucket : layout.buckets)
      if (bucket.trainable) uneven += uneven_elements(bucket.numel, rows.place(), N);
    rows.add_even(row, ideal, (N - 2) * uneven * bytes, "uneven chunks");
  }

  // An all-reduce of each bucket's shard, not padded again: 2 (M-1)/M of 1/n of the gradients.
  void between_groups() {
    if (M == 1) return;
    const int64_t bytes = width.gradient * setup.steps, place = rows.place() / n;
    int64_t uneven = 0;
    for (const Bucket& bucket : layout.buckets)
      if (bucket.trainable) uneven += uneven_elements(bucket.padded / n, place, M);
    const int64_t padding = 2 * (M - 1) * layout.trainable.padding;
    rows.add_even(rows.traffic(kGradientsBetween, Op::kAllReduce),
                  2 * (M - 1) * layout.trainable.numel * bytes, (padding + (M - 2) * uneven * n) * bytes,
                  "padding and uneven chunks");
  }

  void norm() {
    if (setup.clip_norm > 0 && (setup.stage > 0 || copy.size > 1))
      rows.all_reduce("norm", setup.steps, kNormLimbs, Dtype::kInt64, copy);
  }

  void parameters() {
    if (setup.stage == 0) return;
    Extent moved = layout.trainable * times.parameters;
    if (setup.stage == 3) {
      moved = layout.whole() * times.parameters;
      if (setup.reshard)  // no backward below the first trainable unit
        moved = moved + layout.below * -setup.accumulate;
    }
    gather("parameters", moved, setup.steps);
  }

  // Each place of a tied parameter sends what it updates of it.
  void tied(InGroup in) {
    if (in.size == 1) return;
    for (const Bucket& bucket : layout.buckets)
      if (bucket.tied && bucket.trainable)
        rows.all_reduce(kTiedGradients, setup.steps, setup.stage == 0 ? bucket.padded : bucket.padded / n,
                        dtype_of(setup.precision), in);
  }

  // Stage 3 gathers for code that needs whole parameters.
  void gathers_for(const char* tag, int64_t gathers) {
    if (setup.stage == 3) gather(tag, layout.whole(), gathers);
  }

  void memory_at(const char* at, const StateParts& parts) {
    keep(Category::kParameters, at, layout.whole(), width.parameter, parts.parameters);
    keep(Category::kGradients, at, layout.trainable, width.gradient, parts.gradients);
    keep(Category::kOptimizer, at, layout.trainable, width.optimizer, parts.optimizer);
    // By rows, columns and vectors: a matrix' are kept by every rank that has a part of it.
    const int64_t ideal = update.state_bytes() * parts.optimizer;
    if (ideal > 0)
      rows.add_even(rows.memory(Category::kOptimizer, at), ideal,
                    update.state_bytes(rows.place()) * N - ideal, "rows and columns of parts");
  }
  void keep(Category category, const char* at, const Extent& extent, int64_t bytes, int64_t of_ranks) {
    rows.add_even(rows.memory(category, at), extent.numel * bytes * of_ranks,
                  extent.padding * bytes * of_ranks, "padding");
  }
  void gather(const char* tag, const Extent& extent, int64_t gathers) {
    const int64_t factor = (N - M) * width.parameter * gathers;
    rows.add_even(rows.traffic(tag, Op::kAllGather), factor * extent.numel, factor * extent.padding,
                  "padding");
  }
};

// A training forward adds up n and sum x, then the squares; a backward sum dy and sum dy u. All fp64.
void norm_statistics(const ZeroRunSetup& setup, RankRows& rows) {
  const int64_t times = setup.steps * setup.accumulate;
  for (const int64_t width : setup.statistics) {
    rows.all_reduce("norm statistics", times, width + 1, Dtype::kFloat64);
    rows.all_reduce("norm statistics", times, width, Dtype::kFloat64);
    rows.all_reduce("norm statistics backward", times, 2 * width, Dtype::kFloat64);
  }
}

// What every rank of a place of the model has, whatever its samples.
struct AtPlace {
  std::vector<ParameterShape> shapes;
  RunLayout layout;
  UpdatePlan update;
  AtPlace(const ZeroRunSetup& setup, const ModelPlace& place, int data_ranks)
      : shapes(shapes_at(setup.shapes, place)),
        layout(lay_out(setup, shapes, data_ranks)),
        update(setup, data_ranks, setup.optimizer, shapes) {}
};

// The whole parameters that a hash or an observer is shown: all places get all parts, as long as the longest.
void whole_parameters(const ZeroRunSetup& setup, const Mesh& mesh, int rank, RankRows& rows) {
  const InGroup in{mesh.size(model_dimensions(mesh)), mesh.place(rank, model_dimensions(mesh))};
  const int64_t width = state_widths(setup.precision, setup.optimizer).parameter;
  for (const ParameterShape& shape : setup.shapes)
    if (is_cut_over(shape, mesh))
      rows.all_gather(kWholeParameters, setup.exports * width * longest_part(shape, mesh), in);
}

// State goes to the disk and comes from there; of ranks to each other goes which step, and what each needs.
void checkpoints(const ZeroRunSetup& setup, InGroup all, RankRows& rows) {
  if (setup.resumes) rows.all_gather(kCheckpointTag, kCheckpointBytes, all);
  if (setup.saves) rows.traffic(kCheckpointTag, Op::kBarrier);
}

std::vector<LedgerRow> rows_of_rank(const ZeroRunSetup& setup, const Mesh& mesh, int rank,
                                    const AtPlace& at) {
  const auto in = [&](const Dimensions& dimensions) {
    return InGroup{mesh.size(dimensions), mesh.place(rank, dimensions)};
  };
  RankRows rows(rank, in(data_dimensions()));
  StrategyRows strategy{setup, at.layout, at.update, rows, in(copy_dimensions(mesh, setup.stage))};
  strategy.memory();
  rows.broadcast("initial", setup.resumed ? 0 : 4 * (at.layout.whole().numel + setup.buffers));
  checkpoints(setup, {setup.ranks, rank}, rows);
  rows.broadcast("control", 8 * setup.control_decisions, InGroup{setup.ranks, rank});
  if (setup.predict_strategy)
    setup.predict_strategy(at.shapes, rows);
  else
    strategy.gradients(), strategy.between_groups(), strategy.parameters();
  strategy.norm();
  const std::vector<int> ties = ranks_that_tie(mesh, rank, setup.shapes);
  if (!ties.empty())
    strategy.tied({static_cast<int>(ties.size()), int(std::ranges::find(ties, rank) - ties.begin())});
  norm_statistics(setup, rows);
  at.update.add_rows(rows, setup.steps);
  const InGroup results = in(result_dimensions());
  rows.all_reduce("metrics", setup.steps, 2, Dtype::kFloat64, results);  // loss, samples of a step
  if (setup.predict_evaluation)
    setup.predict_evaluation(rows);
  else
    rows.all_reduce("evaluation", setup.evaluations, 3, Dtype::kFloat64, results);  // loss, correct, samples
  if (setup.predict_model) setup.predict_model(rank, mesh, rows);
  strategy.gathers_for("evaluation", setup.evaluation_batches);
  strategy.gathers_for("export", setup.exports);
  if (mesh.size(model_dimensions(mesh)) > 1) whole_parameters(setup, mesh, rank, rows);
  rows.traffic("close", Op::kBarrier);
  return rows.take();
}

}  // namespace

std::vector<LedgerRow> predict_zero_run(const ZeroRunSetup& setup) {
  const Mesh mesh = mesh_of_run(setup.ranks, setup, setup.shapes);
  const int data_ranks = mesh.size(data_dimensions());
  check_zero(data_ranks, setup);
  RINGSIDE_CHECK(!setup.naive || setup.stage == 0,
                 "one all-reduce a parameter is stage 0's, not stage " << setup.stage << "'s");
  std::map<int, AtPlace> places;  // by the place among those that hold one copy
  std::vector<LedgerRow> all;
  for (int rank = 0; rank < setup.ranks; ++rank) {
    const int place = mesh.place(rank, model_dimensions(mesh));
    const AtPlace& at = places.try_emplace(place, setup, model_place(mesh, rank), data_ranks).first->second;
    for (LedgerRow& row : rows_of_rank(setup, mesh, rank, at)) all.push_back(std::move(row));
  }
  return all;
}

}  // namespace ringside::inline planner
