// The state of a classifier by name: out of one (mesh, stage, ranks), into another, without a bit lost.
#include <fmt/format.h>

#include <mutex>
#include <random>
#include <set>

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/base/sha256.h"
#include "ringside/nn/classifier.h"
#include "ringside/planner/run_mesh.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/world/world.h"
#include "ringside/zero/make_strategy.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

struct Layout {
  int dp = 1, tp = 1, stage = 0;
  Precision precision = Precision::kFloat32;
  int pp = 1;  // two stages have a layer each, with the embedding or the head
  std::string text() const { return fmt::format("dp{},pp{},tp{} stage {}", dp, pp, tp, stage); }
};

// Grouped heads for tp 1, 2, 3 and 6; a vocabulary and a width that 2 and 4 do not divide.
ClassifierConfig mesh_model(int stages = 1) {
  ClassifierConfig config;
  config.vocabulary = 13, config.hidden = 24, config.heads = 12, config.kv_heads = 6;
  config.intermediate = 17, config.layers = 2, config.classes = 3, config.head_bias = true;
  if (stages == 2) config.stage_of_unit = {0, 0, 1, 1};
  return config;
}

Batch random_batch(int64_t seed) {
  Batch batch;
  batch.tokens = (at::arange(10, at::kLong) * (seed + 3)).remainder(13).view({2, 5});
  batch.last = at::full({2}, 4, at::kLong);
  batch.labels = at::tensor({seed % 3, (seed + 1) % 3}, at::kLong);
  batch.weights = at::ones({2});
  return batch;
}

// One rank's training, as far as its state goes.
struct MeshRank {
  Mesh mesh;
  ProcessGroup& data;
  Classifier model;
  Optimizer optimizer = make_optimizer({});
  std::unique_ptr<Strategy> strategy;

  MeshRank(World& world, const Layout& layout)
      : mesh({{"dp", layout.dp}, {"pp", layout.pp}, {"tp", layout.tp}}),
        data(world.group(mesh, {"dp"})),
        model(mesh_model(layout.pp), 8, TensorParallel(&world.group(mesh, {"tp"}), false), at::kCPU,
              model_place(mesh, world.rank())) {
    Distribution distribution{.stage = layout.stage, .precision = layout.precision, .bucket_elements = 300};
    ProcessGroup* copy =
        layout.tp * layout.pp == 1 ? nullptr : &world.group(mesh, copy_dimensions(mesh, layout.stage));
    strategy =
        make_strategy({model.parameters(), data, optimizer, distribution, nullptr, nullptr, nullptr, copy});
  }

  void load() {
    const Declaration whole = declare_classifier(mesh_model());
    strategy->load([&](size_t p, const at::Tensor& out) {
      const Part* part = model.parameters().part_of(p);
      if (part != nullptr)
        initialize_part(out, whole.shapes()[p], *part, 3);
      else
        initialize(out, whole.shapes()[p], 3);
    });
  }

  void train(int64_t steps) {
    for (int64_t step = 0; step < steps; ++step) {
      const Batch batch = random_batch(step * 10 + data.rank());
      strategy->run_backward_of(step, [&] {
        return weighted_loss(model.forward(batch, {.mode = Mode::kTrain, .hooks = strategy.get()}).logits,
                             batch);
      });
      strategy->step({.learning_rate = 0.05, .step = step + 1, .samples = 2.0 * data.size()});
    }
  }
};

// The pieces of all ranks of a run.
struct OfRun {
  NamedState state;
  std::set<std::string> kinds;
  std::mutex mutex;
  void add(Strategy& strategy) {
    const std::lock_guard lock(mutex);
    strategy.export_state([&](const StatePiece& piece) { state.add(piece), kinds.insert(piece.kind); });
  }
};

// Of whole tensors: what every layout must agree in.
std::string whole_hash(const OfRun& run, Precision precision) {
  Sha256 hash;
  for (const ParameterShape& shape : classifier_shapes(mesh_model())) {
    for (const std::string& kind : run.kinds) {
      const bool narrow = kind == kParameterState && precision == Precision::kBFloat16;
      const at::Tensor data = at::empty({shape.numel()}, narrow ? at::kBFloat16 : at::kFloat);
      run.state.fill({shape.name, kind, shape.shape, 0, shape.numel(), data});
      add_to(hash, shape.name + kind, data);
    }
  }
  return hash.hex();
}

void on_mesh(const Layout& layout, const std::function<void(MeshRank&)>& body) {
  run_world({.ranks = layout.dp * layout.pp * layout.tp}, [&](World& world) {
    use_one_thread();
    body(world.make<MeshRank>(world, layout));
  });
}

Layout random_layout(std::mt19937& random) {
  const int tps[] = {1, 2, 3, 6};
  Layout layout;
  layout.tp = tps[random() % 4];
  layout.dp = 1 + static_cast<int>(random() % 3);
  layout.stage = static_cast<int>(random() % 4);
  return layout;
}

}  // namespace

TEST_CASE("16 random pairs of mesh and stage: what one exports another imports and exports, every bit") {
  // Passes of a pipeline are the trainer's: stages of one import alone.
  std::mt19937 random(11);
  std::set<std::string> hashes;
  for (int pair = 0; pair < 16; ++pair) {
    Layout from = random_layout(random), to = random_layout(random);
    to.pp = to.stage <= 1 ? 1 + pair % 2 : 1;
    from.precision = to.precision = pair % 2 == 0 ? Precision::kFloat32 : Precision::kBFloat16;
    INFO(from.text() << " into " << to.text());
    OfRun exported, again;
    on_mesh(from, [&](MeshRank& rank) {
      rank.load();
      rank.train(2);
      exported.add(*rank.strategy);
    });
    on_mesh(to, [&](MeshRank& rank) {
      rank.strategy->import_state([&](const StatePiece& piece) { exported.state.fill(piece); });
      again.add(*rank.strategy);
    });
    const std::string hash = whole_hash(exported, from.precision);
    CHECK(hash == whole_hash(again, to.precision));
    CHECK(exported.kinds == again.kinds);
    hashes.insert(hash);
  }
  CHECK(hashes.size() > 6);  // the runs differ: by dp's batches, tp's sums and the precision
}

TEST_CASE("a piece that is missing, or of another whole shape, is refused by name under tp too") {
  OfRun half;
  on_mesh({1, 2, 1}, [&](MeshRank& rank) {
    rank.load();
    const Part& embedding = rank.model.parameters().parts.front();
    if (embedding.stretches[0].front().in_whole == 0) half.add(*rank.strategy);  // place 0 alone
  });
  const auto refused = [&](const std::string& why, const NamedState& state) {
    std::string text;
    try {
      on_mesh({1, 1, 0}, [&](MeshRank& rank) {
        rank.strategy->import_state([&](const StatePiece& piece) { state.fill(piece); });
      });
    } catch (const InputError& error) {
      text = error.what();
    }
    CHECK(lacks(text, {"state 'parameter' of model.embed_tokens.weight", why}) == "");
  };
  refused("is not there", half.state);
  NamedState other;
  other.add({"model.embed_tokens.weight", kParameterState, {12, 24}, 0, 12 * 24, at::zeros({12 * 24})});
  refused("another shape", other);
}
