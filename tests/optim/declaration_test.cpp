// What optimizers declare, and what is made of it.
#include "catch.h"
#include "optimizer_state.h"
#include "ringside/base/error.h"
#include "without_decay.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// Three parameters one after the other: 4 x 3, 5, 3 x 2, and two elements of padding.
constexpr int64_t kCount = 25;
const std::vector<int64_t> kFirst = {4, 3}, kSecond = {5}, kThird = {3, 2};

// Those parts of them that lie in [begin, ...).
std::vector<ParameterPlace> places(int64_t begin) {
  return {{"first.weight", kFirst, -begin, 12},
          {"bias", kSecond, 12 - begin, 5},
          {"last.weight", kThird, 17 - begin, 6}};
}

OptimizerState train(const Optimizer& optimizer, int64_t cut) {
  OptimizerState state(kCount, optimizer);
  for (int64_t step = 1; step <= 3; ++step) {
    const std::vector<float> gradient = noise(kCount, 10 + static_cast<uint64_t>(step));
    const UpdateOptions options{.learning_rate = 0.1, .step = step};
    optimizer.update(state.piece(gradient, 0, cut), places(0), options);
    optimizer.update(state.piece(gradient, cut, kCount - cut), places(cut), options);
  }
  return state;
}

std::vector<float> weights(const OptimizerConfig& config) {
  return train(make_optimizer(config), kCount).weights;
}

std::vector<float> between(const std::vector<float>& all, int begin, int end) {
  return {all.begin() + begin, all.begin() + end};
}

// Weights of a parameter become its number of elements, as far as the update can know it.
OptimizerSpec counting(Granularity granularity) {
  return {.name = "counting",
          .title = "Counting",
          .granularity = granularity,
          .state = {},
          .hyperparameters = {},
          .update = [](const Elements& e, const Values&, const UpdateOptions&) {
            for (int64_t i = 0; i < e.count; ++i)
              e.weights[i] = static_cast<float>(e.shape.empty() ? -1 : e.count);
          }};
}

}  // namespace

TEST_CASE("every optimizer declares names once, standard values in range, and state that is used") {
  std::set<std::string> names;
  for (const OptimizerSpec& spec : optimizer_specs()) {
    INFO(spec.name);
    CHECK(names.insert(spec.name).second);
    CHECK(&find_optimizer(spec.name) == &spec);
    std::set<std::string> own;
    const OptimizerConfig config;  // its settings stand in one list with those
    visit_fields(config, [&](const auto& field, const auto&) { own.insert(std::string(field.name)); });
    for (const StateSpec& state : spec.state) {
      CHECK(own.insert(state.name).second);
      CHECK(!state.meaning.empty());
    }
    for (const HyperparameterSpec& one : spec.hyperparameters) {
      CHECK(own.insert(one.name).second);
      CHECK(!one.meaning.empty());
    }
    CHECK_NOTHROW(Optimizer(spec, {}));
  }
  CHECK(names.contains("adamw"));
  CHECK(names.contains("sgd"));
  for (const OptimizerSpec& spec : optimizer_specs()) {
    if (spec.granularity != Granularity::kElement) continue;
    const OptimizerState after = train(Optimizer(spec, {}), kCount);
    for (size_t i = 0; i < after.state.size(); ++i) {
      INFO(spec.name << " " << spec.state[i].name);
      CHECK(after.state[i] != std::vector<float>(kCount));
    }
  }
}

TEST_CASE("names that are not declared and values out of range are refused with what is allowed") {
  CHECK_THROWS_WITH(make_optimizer({.name = "sophia"}),
                    Catch::Matchers::StartsWith("optimizer=sophia: there are adadelta"));
  CHECK_THROWS_WITH(make_optimizer({.name = "sgd", .values = {{"beta1", 0.5}}}),
                    "optimizer=sgd has no hyperparameter 'beta1': it has momentum weight_decay nesterov");
  CHECK_THROWS_WITH(make_optimizer({.values = {{"beta2", 1}}}),
                    "beta2=1 of optimizer=adamw: allowed are 0 <= beta2 < 1");
  CHECK_THROWS_AS(make_optimizer({.values = {{"eps", std::nan("")}}}), UsageError);
  ParameterGroup group = without_decay();
  group.values = {{"decay", 0}};
  CHECK_THROWS_AS(make_optimizer({.groups = {group}}), UsageError);
}

TEST_CASE("superfluous state is not kept; a group's parameters have its values and its rate") {
  const OptimizerConfig config{.name = "sgd", .values = {{"momentum", 0}}};
  CHECK(kept_state(config).empty());
  CHECK(kept_state({.name = "sgd"}).size() == 1);
  ParameterGroup group = without_decay();
  group.values = {{"momentum", 0.5}};
  CHECK(kept_state({.name = "sgd", .values = {{"momentum", 0}}, .groups = {group}}).size() == 1);
  for (const OptimizerSpec& spec : optimizer_specs()) {
    if (spec.granularity != Granularity::kElement || !spec.groups.empty()) continue;
    const Optimizer optimizer(spec, {});
    OptimizerState plain(kCount, optimizer), placed = plain;
    const std::vector<float> gradient = noise(kCount, 3);
    optimizer.update(plain.piece(gradient, 0, kCount), {.learning_rate = 0.1});
    optimizer.update(placed.piece(gradient, 0, kCount), places(0), {.learning_rate = 0.1});
    CHECK((plain == placed));
  }
  const OptimizerConfig decayed{.values = {{"weight_decay", 0.5}}}, kept{.values = {{"weight_decay", 0}}};
  OptimizerConfig grouped = decayed;
  grouped.groups = {without_decay()};
  const std::vector<float> all = weights(decayed), none = weights(kept), mixed = weights(grouped);
  CHECK(between(mixed, 0, 12) == between(all, 0, 12));
  CHECK(between(mixed, 12, 17) == between(none, 12, 17));
  CHECK(between(mixed, 12, 17) != between(all, 12, 17));
  CHECK(between(mixed, 17, 23) == between(all, 17, 23));
  CHECK(between(mixed, 23, 25) == between(noise(kCount, 1), 23, 25));  // padding
  grouped.groups = {{"the last", [](const std::string& name, auto) { return name == "last.weight"; }, {}, 0}};
  const std::vector<float> frozen = weights(grouped);
  CHECK(between(frozen, 0, 17) == between(all, 0, 17));
  CHECK(between(frozen, 17, 23) == between(noise(kCount, 1), 17, 23));
}

TEST_CASE("decay=matrices takes norms and biases out of decay; of two groups the later wins") {
  for (const OptimizerSpec& spec : optimizer_specs()) {
    const auto& declared = spec.hyperparameters;
    const bool decays = std::any_of(declared.begin(), declared.end(),
                                    [](const HyperparameterSpec& one) { return one.name == "weight_decay"; });
    if (!decays || spec.granularity == Granularity::kGlobal) continue;
    INFO(spec.name);
    const OptimizerConfig all{.name = spec.name, .values = {{"weight_decay", 0.5}}};
    OptimizerConfig matrices = all, none = all, by_hand = all;
    matrices.decay = Decay::kMatrices;
    none.values = {{"weight_decay", 0}};
    by_hand.groups = {without_decay()};
    CHECK(weights(matrices) == weights(by_hand));
    CHECK(between(weights(matrices), 0, 12) == between(weights(all), 0, 12));
    CHECK(between(weights(matrices), 12, 17) == between(weights(none), 12, 17));
    CHECK(between(weights(matrices), 12, 17) != between(weights(all), 12, 17));
  }
  CHECK_NOTHROW(make_optimizer({.name = "lbfgs", .decay = Decay::kMatrices}));  // which has no decay
  const auto bias = [](const std::string& name, auto) { return name == "bias"; };
  const OptimizerConfig twice{.groups = {{"a", bias, {{"weight_decay", 0.1}, {"beta1", 0.5}}, 0.5},
                                         {"b", bias, {{"weight_decay", 0.3}}, 0.5}}};
  const OptimizerConfig once{.groups = {{"c", bias, {{"weight_decay", 0.3}, {"beta1", 0.5}}, 0.25}}};
  CHECK(weights(twice) == weights(once));
  CHECK(weights(twice) != weights({}));
  const Optimizer optimizer = make_optimizer({.groups = {without_decay()}});
  const OptimizerState whole = train(optimizer, kCount);
  for (int64_t cut = 0; cut < kCount; ++cut) CHECK((train(optimizer, cut) == whole));
}

TEST_CASE("above granularity element an update sees whole parameters, and is not cut into shards") {
  for (const Granularity granularity : {Granularity::kTensor, Granularity::kMatrix}) {
    const Optimizer optimizer(counting(granularity), {});
    const std::vector<float> after = train(optimizer, kCount).weights;
    CHECK(between(after, 0, 12) == std::vector<float>(12, 12));
    CHECK(between(after, 12, 17) == std::vector<float>(5, 5));
    CHECK(between(after, 17, 23) == std::vector<float>(6, 6));
    CHECK_NOTHROW(train(optimizer, 12));
    CHECK_THROWS_WITH(train(optimizer, 11), ContainsSubstring("of first.weight there are 11 of 12 elements"));
    OptimizerState state(kCount, optimizer);
    CHECK_THROWS_AS(optimizer.update(state.piece(noise(kCount, 2), 0, kCount), {}), InvariantError);
  }
  const Optimizer whole(counting(Granularity::kTensor), {});
  CHECK_THROWS_WITH(require_shards(whole, 2, 4),
                    "optimizer=counting updates whole parameters, and stage 2 cuts them into shards: "
                    "take stage=0, or ranks=1");
  CHECK_NOTHROW(require_shards(whole, 2, 1));
  CHECK_NOTHROW(require_shards(make_optimizer({}), 3, 8));
}

TEST_CASE("an optimizer that compares gradients of two steps refuses clipping, by name") {
  for (const OptimizerSpec& spec : optimizer_specs()) {
    INFO(spec.name);
    CHECK(spec.compares_gradients == (spec.name == "lbfgs"));
    CHECK_NOTHROW(require_clipping(spec, 0));
    if (!spec.compares_gradients) CHECK_NOTHROW(require_clipping(spec, 1));
  }
  CHECK_THROWS_WITH(
      require_clipping(find_optimizer("lbfgs"), 1),
      ContainsSubstring("clip_norm=1 with optimizer=lbfgs") && ContainsSubstring("take clip_norm=0"));
}
