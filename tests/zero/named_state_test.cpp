// The state of a run by name: out of one stage and number of ranks, into another, without a bit lost.
#include <map>
#include <mutex>
#include <set>

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/zero/make_strategy.h"
#include "toy_model.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr int64_t kStepsBefore = 3, kStepsInAll = 6;

ToyRun toy_run(int ranks, int stage, Precision precision) {
  ToyRun run;
  run.ranks = ranks;
  run.options = {.stage = stage, .precision = precision, .bucket_elements = 20, .clip_norm = 0.5};
  return run;
}

struct Rank {
  ToyModel model;
  Optimizer optimizer;
  std::unique_ptr<Strategy> strategy;
  Rank(const ToyRun& run, ProcessGroup& group)
      : optimizer(make_optimizer(run.optimizer)),
        strategy(make_strategy({model.parameters, group, optimizer, run.options, nullptr})) {}
};

// The pieces of all ranks together.
class AllRanks {
 public:
  void add(Strategy& strategy) {
    const std::lock_guard lock(mutex_);
    strategy.export_state([&](const StatePiece& piece) { state.add(piece); });
  }
  NamedState state;

 private:
  std::mutex mutex_;
};

void train_steps(const ToyRun& run, Rank& rank, int which, int64_t first, int64_t end) {
  for (int64_t step = first; step < end; ++step) {
    rank.strategy->run_backward_of(
        step, [&] { return rank.model.loss(ToyModel::input(step, 0, which), *rank.strategy, true); });
    rank.strategy->step(run.step_options(step));
  }
}

// What the ranks of a training keep after its first steps.
NamedState first_steps(const ToyRun& run) {
  AllRanks all;
  on_ranks(run.ranks, [&](ProcessGroup& group) {
    use_one_thread();
    Rank rank(run, group);
    rank.strategy->load([](size_t p, const at::Tensor& out) { ToyModel::initial(p, out); });
    train_steps(run, rank, group.rank(), 0, kStepsBefore);
    all.add(*rank.strategy);
  });
  return all.state;
}

std::vector<std::string> kinds_of(const ToyRun& run, bool trainable) {
  std::vector<std::string> kinds = {kParameterState};
  if (!trainable) return kinds;
  if (run.options.precision == Precision::kBFloat16) kinds.push_back(kMasterState);
  kinds.insert(kinds.end(), {"m", "v"});
  return kinds;
}

at::ScalarType type_of(const ToyRun& run, const std::string& kind) {
  const bool bf16 = kind == kParameterState && run.options.precision == Precision::kBFloat16;
  return bf16 ? at::kBFloat16 : at::kFloat;
}

// Every tensor of a run whole, in the order of the parameters: what no sharding has touched.
std::vector<StatePiece> whole_tensors(const ToyRun& run, const NamedState& state) {
  std::vector<StatePiece> whole;
  for (const ParameterShape& shape : ToyModel().parameters.shapes) {
    for (const std::string& kind : kinds_of(run, shape.trainable)) {
      const at::Tensor data = at::empty({shape.numel()}, type_of(run, kind));
      whole.push_back({shape.name, kind, shape.shape, 0, shape.numel(), data});
      state.fill(whole.back());
    }
  }
  return whole;
}

std::string bytes_of(const std::vector<StatePiece>& whole) {
  std::string bytes;
  for (const StatePiece& piece : whole) append_bytes(bytes, piece.data);
  return bytes;
}

// Of whole tensors the parameters alone.
std::string parameters_of(const std::vector<StatePiece>& whole) {
  std::string bytes;
  for (const StatePiece& piece : whole)
    if (piece.kind == kParameterState) append_bytes(bytes, piece.data);
  return bytes;
}

struct Continued {
  std::vector<std::string> seen;  // by each rank's model, right after the import
  std::vector<StatePiece> right_after_import, at_the_end;
};

Continued go_on(const ToyRun& run, const NamedState& from) {
  AllRanks imported, trained;
  std::vector<std::string> seen(static_cast<size_t>(run.ranks));
  on_ranks(run.ranks, [&](ProcessGroup& group) {
    use_one_thread();
    Rank rank(run, group);
    rank.strategy->import_state([&](const StatePiece& piece) { from.fill(piece); });
    imported.add(*rank.strategy);
    rank.strategy->visit_parameters([&](size_t, const at::Tensor& tensor) {
      append_bytes(seen[static_cast<size_t>(group.rank())], tensor);
    });
    train_steps(run, rank, group.rank(), kStepsBefore, kStepsInAll);
    trained.add(*rank.strategy);
  });
  return {seen, whole_tensors(run, imported.state), whole_tensors(run, trained.state)};
}

// Ten elements in two pieces.
NamedState two_halves() {
  NamedState state;
  const at::Tensor data = at::arange(10, at::kFloat);
  for (const int64_t begin : {0, 5}) state.add({"w", "m", {2, 5}, begin, 5, data.narrow(0, begin, 5)});
  return state;
}

}  // namespace

TEST_CASE(
    "out of stage 2 with four ranks, into any stage and number of ranks: every bit, and as from a plain "
    "state") {
  for (const Precision precision : {Precision::kBFloat16, Precision::kFloat32}) {
    const ToyRun before = toy_run(4, 2, precision);
    const NamedState shards = first_steps(before);
    const std::vector<StatePiece> whole = whole_tensors(before, shards);
    NamedState plain;
    for (const StatePiece& piece : whole) plain.add(piece);
    const std::pair<int, int> targets[] = {{3, 2}, {0, 1}, {1, 3}, {2, 4}, {0, 2}};
    for (const auto& [stage, ranks] : targets) {
      INFO("stage " << stage << ", " << ranks << " ranks, " << to_string(precision));
      const ToyRun after = toy_run(ranks, stage, precision);
      const Continued from_shards = go_on(after, shards), from_plain = go_on(after, plain);
      CHECK((from_shards.seen == std::vector<std::string>(static_cast<size_t>(ranks), parameters_of(whole))));
      CHECK((bytes_of(from_shards.right_after_import) == bytes_of(whole)));
      CHECK((bytes_of(from_shards.at_the_end) == bytes_of(from_plain.at_the_end)));
      CHECK((bytes_of(from_shards.at_the_end) != bytes_of(whole)));
    }
  }
}

TEST_CASE("a run that is exported and imported goes on as if it had not stopped") {
  for (int stage = 0; stage <= 3; ++stage) {
    INFO("stage " << stage);
    ToyRun run = toy_run(3, stage, Precision::kFloat32);
    run.steps = kStepsInAll;
    const ToyResult whole = train_toy(run, make_strategy).front();
    const Continued parts = go_on(run, first_steps(run));
    CHECK((parameters_of(parts.at_the_end) == whole.bytes));  // in parentheses: no bytes on the screen
  }
}

TEST_CASE("state by rows, columns and vectors, or many times over, goes into any stage and number of ranks") {
  const std::map<std::string, std::set<std::string>> kinds = {
      {"adafactor", {"parameter", "R", "C", "V"}},
      {"lbfgs", {"parameter", "s 1", "s 2", "y 1", "y 2", "step", "gradient"}},
      {"muon", {"parameter", "m", "v"}}};
  for (const auto& [name, expected] : kinds) {
    ToyRun before = toy_run(4, 2, Precision::kFloat32);
    before.optimizer = {.name = name};
    if (name == "lbfgs") before.optimizer.values = {{"history", 2}}, before.options.clip_norm = 0;
    const NamedState shards = first_steps(before);
    for (const auto& [stage, ranks] : {std::pair{3, 2}, {0, 1}, {1, 3}, {2, 4}}) {
      INFO(name << " into stage " << stage << ", " << ranks << " ranks");
      ToyRun after = before;
      after.ranks = ranks;
      after.options.stage = stage;
      std::mutex mutex;
      std::set<std::string> seen;
      int other = 0, zero = 0;
      on_ranks(ranks, [&](ProcessGroup& group) {
        use_one_thread();
        Rank rank(after, group);
        rank.strategy->import_state([&](const StatePiece& piece) { shards.fill(piece); });
        rank.strategy->export_state([&](const StatePiece& piece) {
          StatePiece there = piece;
          there.data = at::empty_like(piece.data);
          shards.fill(there);
          const std::lock_guard lock(mutex);
          seen.insert(piece.kind);
          other += !there.data.equal(piece.data);
          zero += piece.kind != kParameterState && piece.name == "mid.weight" && piece.kind != "v" &&
                  piece.data.count_nonzero().item<int64_t>() == 0;
        });
        train_steps(after, rank, group.rank(), kStepsBefore, kStepsInAll);
      });
      CHECK(seen == expected);
      CHECK(other == 0);
      CHECK(zero == 0);  // it was trained
    }
  }
}

TEST_CASE("what the ranks export overlaps nowhere once state is sharded, and misses nothing") {
  int64_t every_state = 0;
  const ToyRun alone = toy_run(1, 0, Precision::kBFloat16);
  for (const ParameterShape& shape : ToyModel().parameters.shapes)
    every_state += shape.numel() * static_cast<int64_t>(kinds_of(alone, shape.trainable).size());
  for (int stage = 0; stage <= 3; ++stage) {
    const ToyRun run = toy_run(3, stage, Precision::kBFloat16);
    std::vector<int64_t> counts(3);
    on_ranks(3, [&](ProcessGroup& group) {
      Rank rank(run, group);
      rank.strategy->export_state(
          [&](const StatePiece& piece) { counts[static_cast<size_t>(group.rank())] += piece.count; });
    });
    INFO("stage " << stage);
    CHECK(counts[0] + counts[1] + counts[2] == (stage == 0 ? 3 : 1) * every_state);
  }
}

TEST_CASE("a piece is filled across the borders of what was added; what cannot fill it is refused by name") {
  const NamedState state = two_halves();
  const at::Tensor data = at::zeros({4});
  state.fill({"w", "m", {2, 5}, 3, 4, data});
  CHECK(data.equal(at::arange(3, 7, at::kFloat)));
  const auto refused = [&](const StatePiece& piece, const std::string& why) {
    try {
      state.fill(piece);
      FAIL("it was filled");
    } catch (const InputError& error) {
      CHECK(lacks(error.what(), {"state '" + piece.kind + "' of " + piece.name, why}) == "");
    }
  };
  refused({"w", "v", {2, 5}, 3, 4, data}, "not there");
  refused({"w", "m", {5, 2}, 3, 4, data}, "another shape");
  refused({"w", "m", {2, 5}, 8, 4, data}, "element 10 is not there");
  refused({"w", "m", {2, 5}, 3, 4, at::zeros({4}, at::kBFloat16)}, "another element type");
}
