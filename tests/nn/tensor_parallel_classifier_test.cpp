// The classifier cut over "tp": the same bits as one process that computes every part, and the whole model's
// values within rounding.
#include "catch.h"
#include "parallel_mlp.h"
#include "ringside/base/error.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/world/world.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

struct CutCase {
  int places = 2;
  bool sequence = false, recompute = false;
  at::ScalarType type = at::kFloat;
  NormPlace where = NormPlace::kPre;
};

struct OfPlace {
  at::Tensor logits;
  std::vector<at::Tensor> gradients;  // of what the place has
  ParameterSet set{};
};

ClassifierConfig config_of_cut(const CutCase& c) {
  ClassifierConfig config = small_config();
  config.hidden = 24, config.heads = config.kv_heads = 6;  // of 2, 3 and 6 places
  if (c.places == 4) config.heads = config.kv_heads = 4;
  config.where = c.where;
  return config;
}

OfPlace run_cut(const CutCase& c, const TensorParallel& tp) {
  const Batch batch = small_batch();
  Classifier model(config_of_cut(c), 12, tp);
  ParameterSet& set = model.parameters();
  ParameterSet whole = ParameterSet::of(declare_classifier(config_of_cut(c)));
  fill_with_noise(whole, 5, c.type);
  for (size_t p = 0; p < set.leaves.size(); ++p)
    set.leaves[p] = part_of_value(whole.leaves[p].detach(), set, p).set_requires_grad(true);
  const ModelOutput output = model.forward(batch, {.mode = Mode::kTrain, .recompute = c.recompute});
  run_backward(weighted_loss(output.logits, batch));
  return {output.logits.detach(), gradients_in(set.leaves), set};
}

std::vector<OfPlace> on_ranks(const CutCase& c) {
  std::vector<OfPlace> results(static_cast<size_t>(c.places));
  run_world({.ranks = c.places}, [&](World& world) {
    use_one_thread();
    results[static_cast<size_t>(world.rank())] = run_cut(c, TensorParallel(&world.group("tp"), c.sequence));
  });
  return results;
}

void check_place(const OfPlace& place, const OfPlace& emulated, const OfPlace& alone, double eps) {
  CHECK(place.logits.equal(emulated.logits));
  for (size_t p = 0; p < place.gradients.size(); ++p) {
    INFO(place.set.shapes[p].name);
    const at::Tensor& own = place.gradients[p];
    CHECK(own.equal(part_of_value(emulated.gradients[p], place.set, p)));
    const at::Tensor of_alone = part_of_value(alone.gradients[p], place.set, p);
    CHECK(max_distance(own.to(at::kDouble), of_alone.to(at::kDouble)) <=
          100 * eps * largest(alone.gradients[p].to(at::kDouble)));
  }
}

}  // namespace

TEST_CASE("places of tp compute the bits of one process that computes every part") {
  const std::vector<CutCase> cases = {{2},
                                      {3},
                                      {4},
                                      {6},
                                      {2, true},
                                      {3, true},
                                      {4, true, true},
                                      {2, false, true},
                                      {2, false, false, at::kBFloat16},
                                      {3, true, false, at::kBFloat16},
                                      {2, false, false, at::kFloat, NormPlace::kPost},
                                      {2, true, false, at::kFloat, NormPlace::kPost}};
  for (const CutCase& c : cases) {
    INFO(c.places << " places, sequence " << c.sequence << ", recompute " << c.recompute << ", "
                  << (c.where == NormPlace::kPost ? "post, " : "pre, ") << c.type);
    use_one_thread();
    const OfPlace emulated = run_cut(c, TensorParallel::emulated(c.places, c.sequence));
    const OfPlace alone = run_cut(c, {});
    for (const OfPlace& place : on_ranks(c))
      check_place(place, emulated, alone, c.type == at::kFloat ? 1e-6 : 1e-2);
  }
}

TEST_CASE("heads that places cannot share are refused with what would fit") {
  try {
    run_world({.ranks = 4}, [&](World& world) {
      Classifier(small_config(), 12, TensorParallel(&world.group("tp"), false));
    });
    FAIL("2 key and value heads over 4 places");
  } catch (const UsageError& error) {
    CHECK(std::string(error.what()).find("k_proj.weight: its 8 rows in groups of 4") != std::string::npos);
    CHECK(std::string(error.what()).find("1, 2 would fit") != std::string::npos);
  }
}
