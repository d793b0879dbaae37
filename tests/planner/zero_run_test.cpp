// The predicted rows against a simulation that shares no formula with them: it walks
// the schedule collective by collective and counts elements one by one.
#include <map>
#include <tuple>

#include "catch.h"
#include "ringside/base/random.h"
#include "ringside/ledger/ledger.h"
#include "ringside/optim/exact_square_sum.h"
#include "ringside/planner/zero_plan.h"

using namespace ringside;

namespace {

const OptimizerConfig kOptimizers[] = {{"sgd", {{"momentum", 0}}, {}}, {"sgd", {}, {}}, {"adamw", {}, {}}};

// fp32 values an element, counted by hand.
int64_t state_of(const OptimizerConfig& optimizer) {
  return optimizer.name == "adamw" ? 2 : optimizer.values.empty() ? 1 : 0;
}

class Simulation {
 public:
  explicit Simulation(const ZeroRunSetup& setup)
      : setup_(setup), N_(setup.ranks), n_(setup.ranks / static_cast<int>(setup.replicas)) {
    for (int rank = 0; rank < N_; ++rank) {
      all_.resize(1);
      inside_.resize(static_cast<size_t>(setup.replicas));
      between_.resize(static_cast<size_t>(n_));
      all_[0].push_back(rank);
      inside_[static_cast<size_t>(rank / n_)].push_back(rank);
      between_[static_cast<size_t>(rank % n_)].push_back(rank);
    }
    if (setup.naive) {
      for (const ParameterShape& shape : setup.shapes) add_bucket(shape.numel(), shape.trainable, shape.unit);
    } else {
      for (const Bucket& bucket : make_buckets(setup.shapes, setup, static_cast<int>(setup.replicas)))
        add_bucket(bucket.numel, bucket.trainable, bucket.unit);
    }
  }

  std::vector<LedgerRow> count() {
    traffic();
    memory();
    std::vector<LedgerRow> rows;
    for (const auto& [key, bytes] : counted_) {
      LedgerRow row;
      row.section = "section";
      std::tie(row.what, row.rank, row.category, row.at, row.op) = key;
      row.counted = bytes;
      rows.push_back(row);
    }
    return rows;
  }

 private:
  struct Flat {
    int64_t size;  // with padding
    bool trainable;
    int unit;
  };
  void add_bucket(int64_t numel, bool trainable, int unit) {
    while (setup_.stage > 0 && numel % n_ != 0) ++numel;
    flats_.push_back({numel, trainable, unit});
  }

  using Groups = std::vector<std::vector<int>>;  // of ranks

  // Elements that each of `ranks` owns of n, when they are cut at floor(r n / ranks).
  static std::vector<int64_t> owned(int64_t n, int64_t ranks) {
    std::vector<int64_t> owned(static_cast<size_t>(ranks), 0);
    int rank = 0;
    for (int64_t i = 0; i < n; ++i) {
      while (i >= (rank + 1) * n / ranks) ++rank;
      ++owned[static_cast<size_t>(rank)];
    }
    return owned;
  }

  void send(int rank, const char* tag, const char* op, int64_t bytes) {
    counted_[{"traffic", rank, tag, "", op}] += bytes;
  }
  // Every rank of a group hands the others there their chunks.
  void scatter(const Groups& groups, const char* tag, const char* op, int64_t n, int64_t width) {
    for (const std::vector<int>& ranks : groups) {
      const auto chunks = owned(n, std::ssize(ranks));
      for (size_t from = 0; from < ranks.size(); ++from)
        for (size_t to = 0; to < ranks.size(); ++to)
          if (from != to) send(ranks[from], tag, op, width * chunks[to]);
    }
  }
  // Every rank of a group hands its own chunk to the others there.
  void gather(const Groups& groups, const char* tag, const char* op, int64_t n, int64_t width) {
    for (const std::vector<int>& ranks : groups) {
      const auto chunks = owned(n, std::ssize(ranks));
      for (size_t from = 0; from < ranks.size(); ++from)
        for (size_t to = 0; to < ranks.size(); ++to)
          if (from != to) send(ranks[from], tag, op, width * chunks[from]);
    }
  }
  void all_reduce(const Groups& groups, const char* tag, int64_t n, int64_t width) {
    scatter(groups, tag, "all_reduce", n, width);
    gather(groups, tag, "all_reduce", n, width);
  }
  void gather_buckets(const char* tag, bool with_frozen) {
    for (const Flat& flat : flats_)
      if (flat.trainable || with_frozen) gather(inside_, tag, "all_gather", flat.size, width_);
  }
  // Down to the lowest unit with something to train; no gradient goes below it.
  void gather_for_backward() {
    int lowest = 1000;
    for (const Flat& flat : flats_)
      if (flat.trainable && flat.unit < lowest) lowest = flat.unit;
    for (const Flat& flat : flats_)
      if (flat.unit >= lowest) gather(inside_, "parameters", "all_gather", flat.size, width_);
  }
  void reduce_buckets() {
    const bool full = setup_.stage == 0 || (setup_.stage < 3 && setup_.reduce == ReduceMode::kAllReduce);
    for (const Flat& flat : flats_) {
      if (!flat.trainable) continue;
      if (full)
        all_reduce(inside_, "gradients", flat.size, width_);
      else
        scatter(inside_, "gradients", "reduce_scatter", flat.size, width_);
    }
  }

  void traffic() {
    for (int to = 1; to < N_; ++to) {
      for (const ParameterShape& shape : setup_.shapes) send(0, "initial", "broadcast", 4 * shape.numel());
      for (int64_t i = 0; i < setup_.buffers; ++i) send(0, "initial", "broadcast", 4);
      send(0, "control", "broadcast", 8 * setup_.control_decisions);
    }
    for (int64_t step = 0; step < setup_.steps; ++step) train_step();
    for (int64_t i = 0; i < setup_.evaluations; ++i) all_reduce(all_, "evaluation", 3, 8);
    if (setup_.stage < 3) return;
    for (int64_t i = 0; i < setup_.evaluation_batches; ++i) gather_buckets("evaluation", true);
    for (int64_t i = 0; i < setup_.exports; ++i) gather_buckets("export", true);
  }
  void train_step() {
    for (int64_t micro = 0; micro < setup_.accumulate; ++micro) {
      if (setup_.stage == 3) gather_buckets("parameters", true);  // forward
      if (setup_.stage == 3 && setup_.reshard) gather_for_backward();
      if (setup_.stage >= 2 && (!setup_.no_sync || micro + 1 == setup_.accumulate)) reduce_buckets();
    }
    if (setup_.stage < 2) reduce_buckets();
    for (const Flat& flat : flats_)
      if (flat.trainable && setup_.replicas > 1)
        all_reduce(between_, "gradients between", flat.size / n_, width_);
    if (setup_.stage > 0 && setup_.clip_norm > 0) all_reduce(inside_, "norm", kNormLimbs, 8);
    if (setup_.stage == 1 || setup_.stage == 2) gather_buckets("parameters", false);
    all_reduce(all_, "metrics", 2, 8);
  }

  void memory() {
    const int64_t kept = 4 * state_of(setup_.optimizer) + (width_ == 2 ? 4 : 0);
    std::vector<const char*> moments = {kAfterConstruction};
    if (setup_.steps > 0) moments.insert(moments.end(), {kStepEntry, kAfterStep});
    const bool keeps_whole = setup_.no_sync && setup_.stage >= 2 && setup_.accumulate > 1;
    if (setup_.steps > 0 && keeps_whole) moments.push_back(kBetweenMicroBatches);
    for (int rank = 0; rank < N_; ++rank) {
      for (const char* at : moments) {
        const auto keep = [&](const char* category, int64_t bytes) {
          counted_[{"memory", rank, category, at, ""}] += bytes;
        };
        for (const Flat& flat : flats_) {
          const auto size = [&](int sharded_from) {
            return setup_.stage >= sharded_from ? flat.size / n_ : flat.size;
          };
          keep("parameters", width_ * size(3));
          const int64_t staged = at == std::string(kBetweenMicroBatches) ? flat.size : 0;
          keep("gradients", flat.trainable ? width_ * (staged + size(2)) : 0);
          keep("optimizer", flat.trainable ? kept * size(1) : 0);
        }
      }
    }
  }

  const ZeroRunSetup& setup_;
  const int N_, n_;
  Groups all_, inside_, between_;
  const int64_t width_ = setup_.precision == Precision::kBFloat16 ? 2 : 4;
  std::vector<Flat> flats_;
  std::map<std::tuple<std::string, int, std::string, std::string, std::string>, int64_t> counted_;
};

std::vector<ParameterShape> uneven_shapes(RandomStream& random) {
  std::vector<ParameterShape> shapes(2 + random.below(6));
  for (size_t i = 0; i < shapes.size(); ++i) {
    shapes[i].unit = static_cast<int>(i / 3);
    shapes[i].shape = {1 + static_cast<int64_t>(random.below(37))};
    shapes[i].trainable = random.below(5) != 0;
  }
  shapes.back().trainable = true;
  return shapes;
}

ZeroRunSetup random_run(RandomStream& random, int ranks, int stage) {
  ZeroRunSetup setup;
  setup.shapes = uneven_shapes(random);
  setup.buffers = 3 * static_cast<int64_t>(setup.shapes.size() % 3);  // none, or a few elements
  setup.ranks = ranks;
  setup.stage = stage;
  setup.precision = random.below(2) == 0 ? Precision::kFloat32 : Precision::kBFloat16;
  setup.reduce = random.below(2) == 0 ? ReduceMode::kReduceScatter : ReduceMode::kAllReduce;
  setup.naive = stage == 0 && random.below(2) == 0;
  setup.bucket_elements = 1 + static_cast<int64_t>(random.below(90));
  setup.accumulate = 1 + static_cast<int64_t>(random.below(4));
  setup.clip_norm = random.below(2) == 0 ? 1 : 0;
  setup.optimizer = kOptimizers[random.below(3)];
  setup.steps = static_cast<int64_t>(random.below(4));
  setup.control_decisions = static_cast<int64_t>(random.below(4));
  setup.evaluations = static_cast<int64_t>(random.below(3));
  setup.evaluation_batches = 2 * setup.evaluations;
  setup.exports = static_cast<int64_t>(random.below(2));
  setup.reshard = random.below(2) == 0;
  setup.no_sync = random.below(2) == 0;
  do setup.replicas = stage == 0 ? 1 : 1 + static_cast<int64_t>(random.below(static_cast<uint64_t>(ranks)));
  while (ranks % setup.replicas != 0);
  return setup;
}

}  // namespace

TEST_CASE("predicted rows and their reasons equal a simulated run to the byte") {
  for (int ranks = 1; ranks <= 8; ++ranks) {
    for (int stage = 0; stage <= 3; ++stage) {
      for (uint64_t seed = 0; seed < 40; ++seed) {
        RandomStream random(seed, "run", static_cast<uint64_t>(10 * ranks + stage));
        const ZeroRunSetup setup = random_run(random, ranks, stage);
        const auto rows = reconcile(predict_zero_run(setup), Simulation(setup).count());
        for (const LedgerRow& row : rows) {
          INFO("N " << ranks << " stage " << stage << " seed " << seed << ": rank " << row.rank << " "
                    << row.category << " " << row.at << row.op);
          REQUIRE(row.unexplained() == 0);
        }
      }
    }
  }
}

TEST_CASE("where everything divides there is no reason, and the formulas of the plan are the rows") {
  struct Case {
    int stage = 0;
    int64_t replicas = 1;
    bool no_sync = false;
  };
  const Case cases[] = {{0}, {1}, {2}, {3}, {1, 2}, {2, 4}, {3, 2}, {3, 4}, {2, 1, true}, {3, 2, true}};
  for (const auto& [stage, replicas, no_sync] : cases) {
    ZeroRunSetup run;
    run.replicas = replicas;
    run.no_sync = no_sync;
    run.shapes = classifier_shapes({});
    run.ranks = 4;
    run.stage = stage;
    run.accumulate = 2;
    run.steps = 5;
    ZeroSetup plan;
    plan.parameters = static_cast<double>(count_parameters(run.shapes));
    plan.ranks = run.ranks;
    plan.stage = stage;
    plan.accumulate = run.accumulate;
    plan.replicas = replicas;
    plan.no_sync = no_sync;
    plan.precision = run.precision = Precision::kFloat32;
    int64_t state = 0;
    int64_t sent = 0;
    for (const LedgerRow& row : predict_zero_run(run)) {
      INFO("stage " << stage << ", " << replicas << " replicas, " << row.category);
      CHECK(row.reasons.empty());
      const bool of_state = row.category.starts_with("gradients") || row.category == "parameters";
      if (row.rank == 1 && row.at == (no_sync ? kBetweenMicroBatches : kStepEntry)) state += *row.predicted;
      if (row.rank == 1 && of_state && !row.op.empty()) sent += *row.predicted;
    }
    CHECK(static_cast<double>(state) == zero_state(plan).total());
    CHECK(static_cast<double>(sent) == 4 * 5 * zero_traffic(plan).total());
  }
}

TEST_CASE("padding is a reason with bytes of its own, not part of the prediction") {
  ZeroRunSetup setup;
  setup.shapes = {{"a", 0, {10}, true}};  // padded to 12 at N=4
  setup.ranks = 4;
  setup.stage = 3;
  setup.precision = Precision::kFloat32;
  setup.steps = 1;
  for (const LedgerRow& row : predict_zero_run(setup)) {
    if (row.at == kAfterStep && row.category == "gradients") {
      CHECK(*row.predicted == 10);  // 4 bytes x 10 / 4
      REQUIRE(row.reasons.size() == 1);
      CHECK(row.reasons[0].name == "padding");
      CHECK(row.reasons[0].bytes == 2);
    }
    if (row.category == "parameters" && row.op == "all_gather") {
      CHECK(*row.predicted == 60);  // 2 gathers x 3/4 x 40 bytes
      REQUIRE(row.reasons.size() == 1);
      CHECK(row.reasons[0].bytes == 12);
    }
  }
}

TEST_CASE("an all-reduce that does not divide is uneven, not padded") {
  ZeroRunSetup setup;
  setup.shapes = {{"a", 0, {10}, true}};  // chunks of 2, 3, 2, 3
  setup.ranks = 4;
  setup.precision = Precision::kFloat32;
  setup.steps = 1;
  const int64_t uneven[] = {-4, 4, -4, 4};  // 2 (c_r - 2.5) elements of 4 bytes
  for (const LedgerRow& row : predict_zero_run(setup)) {
    if (row.category != "gradients" || row.op != "all_reduce") continue;
    CHECK(*row.predicted == 60);
    REQUIRE(row.reasons.size() == 1);
    CHECK(row.reasons[0].name == "uneven chunks");
    CHECK(row.reasons[0].bytes == uneven[row.rank]);
  }
}
