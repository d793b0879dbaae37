// Scenes as a task for the grouping block, and k-means on the same tokens.
#include "ringside/nn/scene_task.h"

#include <set>

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/data/class_metrics.h"
#include "ringside/nn/model.h"
#include "small_classifier.h"

using namespace ringside;
using namespace ringside::testing;

TEST_CASE("a scene has three shapes before a background, in colours that add up to 0, under two lights") {
  CHECK_THROWS_AS(Scenes::draw(1, 7, 0, 1), UsageError);
  const Scenes dark = Scenes::draw(2, 12, 0, 1), lit = Scenes::draw(1, 12, 2, 1);
  CHECK((dark.kinds[0] == lit.kinds[0] && dark.kinds[0] != dark.kinds[1]));
  CHECK(std::set(dark.kinds[0].begin(), dark.kinds[0].end()).size() == size_t(Scenes::kKinds));
  CHECK(largest(dark.colours.sum(2)) < 1e-6);
  const at::Tensor light = lit.first[0] - dark.first[0], other = lit.second[0] - dark.second[0];  // (N, 3)
  CHECK(max_distance(light, light.narrow(1, 0, 1)) < 1e-5);  // the same in all colours
  CHECK((largest(light) > 1.9 && largest(light) < 2 * std::sqrt(2.0)));
  CHECK(max_distance(light, other) > 0.1);
}

TEST_CASE("k-means finds the shapes of scenes without light, and not with much of it") {
  const auto found = [](double light) {
    const Scenes scenes = Scenes::draw(8, 12, light, 0);
    double right = 0;
    for (int64_t i = 0; i < 8; ++i)
      right += name_groups(k_means(scenes.first[i], Scenes::kKinds, 0), scenes.kinds[size_t(i)]).accuracy / 8;
    return right;
  };
  CHECK(found(0) > 0.9);
  CHECK(found(1.2) < 0.65);
  for (const int64_t k : {0, 4}) CHECK_THROWS_AS(k_means(at::zeros({3, 2}), k, 1), UsageError);
  for (const double value : {double(NAN), HUGE_VAL, 1e30})  // of which the square overflows
    CHECK_THROWS_AS(k_means(at::full({3, 2}, value, at::kFloat), 2, 1), InputError);
}

TEST_CASE("scene task: what is said of the second view, its loss, and what is held out") {
  const Scenes scenes = Scenes::draw(3, 8, 0.6, 1);
  const SceneTask task({.groups = 4, .tau = 0.5, .noise = true, .seed = 1}, scenes, 1);
  const Batch batch = task.batch(Split::kHeldOut, {0}, {2, 1});
  CHECK(batch.beside[0][0].equal(scenes.first[2]));
  CHECK(batch.weights.equal(at::tensor({1.0F, 0.0F})));

  const auto weights = initial_values(task.declare().shapes(), 1);
  const Leaves leaf = leaves_of(weights);
  const auto said = task.grouper().say(leaf, scenes.first, {.tau = 0.5});
  const at::Tensor A = said.grouped.weights[2], groups = said.grouped.groups[2],
                   values = task.grouper().values(leaf, said.x[2]);
  CHECK(max_distance(said.second[2], at::matmul(A.t(), task.grouper().colours(leaf, groups))) < 1e-5);
  CHECK(max_distance(groups, said.tokens + at::matmul(A, values) / (1 + A.sum(1, true))) < 1e-5);

  const SceneLook look = task.look_at_held_out(leaf, {.tau = 0.5});  // the third scene
  REQUIRE(look.groups.size() == 1);
  CHECK(look.groups[0] == groups_of(A));
  CHECK(task.errors_of(look)[0].item<double>() ==
        Approx((said.second[2] - scenes.colours[2]).pow(2).sum(1).mean().item<double>()));

  ModelOutput output;
  output.logits = batch.beside[0];
  output.attentions = {at::one_hot(at::tensor(scenes.kinds[2]), 4).t().unsqueeze(0).repeat({2, 1, 1})};
  const at::Tensor error = (scenes.first[2] - scenes.second[2]).pow(2).sum(1).mean();
  CHECK(task.loss(output, batch).item<double>() == Approx(error.item<double>()));
  CHECK((task.score(output, batch).correct == 1 && task.score(output, batch).samples == 1));

  const auto model = task.make({});
  model->parameters().leaves = weights;
  const auto weights_of = [&](Mode mode) { return model->forward(batch, {.mode = mode}).attentions[0]; };
  CHECK(weights_of(Mode::kEvaluate).amax(1).eq(1).all().item<bool>());
  CHECK(max_distance(weights_of(Mode::kTrain), weights_of(Mode::kTrain)) > 0.01);  // each with its own noise
}
