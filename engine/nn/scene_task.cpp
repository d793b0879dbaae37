#include "ringside/nn/scene_task.h"

#include <cmath>

#include "ringside/base/error.h"
#include "ringside/base/random.h"
#include "ringside/data/class_metrics.h"
#include "ringside/nn/model.h"
#include "ringside/tensor/memory_hook.h"

namespace ringside::inline nn {
namespace {

// Of the Trainer's parameters, drawn with deviation 0.02: these have 1 / sqrt(D).
constexpr double kScale = 12.5;

class SceneModel final : public Model {
 public:
  SceneModel(const SceneTask& task, uint64_t rank)
      : task_(task), rank_(rank), set_(ParameterSet::of(task.declare())) {}
  ParameterSet& parameters() override { return set_; }
  Buffers& buffers() override { return buffers_; }

  ModelOutput forward(const Batch& batch, const Context& context) override {
    const MemoryScope scope(Category::kActivations, "grouping");
    if (context.hooks != nullptr) context.hooks->before_forward(0);
    AssignmentRule rule = task_.hard();
    if (context.mode == Mode::kTrain)
      rule = task_.rule(batch.tokens.size(0), "training", rank_ << 32 | nth_++);
    const SceneGrouper::Said said = task_.grouper().say(set_, batch.beside.at(0), rule);
    ModelOutput output;
    output.logits = said.second;
    output.attentions = {said.grouped.weights};
    if (context.hooks != nullptr) output.logits = context.hooks->after_forward(0, output.logits);
    return output;
  }

 private:
  const SceneTask& task_;
  const uint64_t rank_;
  uint64_t nth_ = 0;
  ParameterSet set_;
  Buffers buffers_;
};

// ---- The scenes of a SceneTask

constexpr double kSceneNoise = 0.1;
constexpr float kColourOf[Scenes::kKinds][Scenes::kColours] = {
    {-0.2F, -0.2F, 0.4F}, {0.43F, -0.22F, -0.21F}, {-0.2F, 0.4F, -0.2F}, {0.22F, 0.12F, -0.34F}};

bool covers(int64_t kind, double x, double y) {  // from the shape's centre, in twelfths of the side
  if (kind == 1) return x * x + y * y <= 3.2 * 3.2;
  if (kind == 2) return std::abs(x) < 3 && std::abs(y) < 3;
  return std::abs(y) < 3 && std::abs(x) <= (y + 3) / 2 + 0.6;
}

// Three of the four quarters have a shape each.
std::vector<int64_t> draw_kinds(int64_t side, RandomStream& stream, uint64_t seed) {
  const std::vector<int64_t> quarters = permutation(4, RandomStream(seed, "quarters", stream.next()));
  std::vector<int64_t> kinds(size_t(side * side), 0);
  const double step = 12.0 / double(side);
  for (int64_t kind = 1; kind < Scenes::kKinds; ++kind) {
    const double cx = 2.5 + 6 * double(quarters[size_t(kind)] % 2) + stream.uniform(),
                 cy = 2.5 + 6 * double(quarters[size_t(kind)] / 2) + stream.uniform();
    for (int64_t token = 0; token < side * side; ++token)
      if (covers(kind, double(token % side) * step - cx, double(token / side) * step - cy))
        kinds[size_t(token)] = kind;
  }
  return kinds;
}

at::Tensor colours_of(const std::vector<int64_t>& kinds) {  // (N, 3)
  std::vector<float> colours;
  for (const int64_t kind : kinds)
    colours.insert(colours.end(), std::begin(kColourOf[kind]), std::end(kColourOf[kind]));
  return at::tensor(colours).view({-1, Scenes::kColours});
}

at::Tensor draw_view(const at::Tensor& colours, int64_t side, double light, RandomStream& stream) {  // (N, 3)
  const at::Tensor view = colours.clone();
  double dx = 0, dy = 0, length = 0;
  for (; length < 0.1 || length > 1; length = std::hypot(dx, dy))
    dx = 2 * stream.uniform() - 1, dy = 2 * stream.uniform() - 1;
  const double half = double(side - 1) / 2;
  auto values = view.accessor<float, 2>();
  for (int64_t token = 0; token < side * side; ++token) {
    const double x = double(token % side) / half - 1, y = double(token / side) / half - 1;
    for (int64_t colour = 0; colour < Scenes::kColours; ++colour)
      values[token][colour] += float(light * (x * dx + y * dy) / length + kSceneNoise * stream.normal());
  }
  return view;
}

}  // namespace

SceneGrouper::SceneGrouper(int64_t groups) {
  declared_.begin_unit("grouping", "");
  embed_ = declared_.add("embed.weight", {kWidth, Scenes::kColours});
  groups_ = declared_.add("group_tokens", {groups, kWidth});
  for (const auto& [name, handle] : {std::pair{"q", &q_}, {"k", &k_}, {"v", &v_}, {"o", &o_}})
    *handle = declared_.add(std::string(name) + ".weight", {kWidth, kWidth});
  colour_ = declared_.add("colour.weight", {Scenes::kColours, kWidth});
}

SceneGrouper::Said SceneGrouper::say(const Leaves& leaf, const at::Tensor& first,
                                     const AssignmentRule& rule) const {
  const auto scaled = [&](Parameter p) { return leaf(p) * kScale; };
  const double unit = std::sqrt(double(kWidth) / double(Scenes::kColours));
  Said said;
  said.x = at::linear(first, scaled(embed_)) * unit;        // (B, N, D)
  said.tokens = at::layer_norm(scaled(groups_), {kWidth});  // (M, D)
  said.grouped = group_tokens(said.tokens, said.x, {scaled(q_), scaled(k_), scaled(v_), scaled(o_)}, rule);
  said.second = at::matmul(said.grouped.weights.transpose(1, 2), colours(leaf, said.grouped.groups));
  return said;
}

at::Tensor SceneGrouper::colours(const Leaves& leaf, const at::Tensor& of) const {
  return at::linear(of, leaf(colour_) * kScale);
}
at::Tensor SceneGrouper::values(const Leaves& leaf, const at::Tensor& x) const {
  return at::linear(at::linear(x, leaf(v_) * kScale), leaf(o_) * kScale);
}

std::vector<int64_t> groups_of(const at::Tensor& weights) {
  const at::Tensor groups = weights.argmax(0).contiguous();
  return {groups.data_ptr<int64_t>(), groups.data_ptr<int64_t>() + groups.numel()};
}

SceneTask::SceneTask(const SceneSetup& setup, Scenes scenes, int64_t held_out)
    : setup_(setup),
      grouper_(setup.groups),
      scenes_(std::move(scenes)),
      held_out_(scenes_.from(scenes_.count() - held_out)) {}

SceneLook SceneTask::look_at_held_out(const Leaves& leaf, const AssignmentRule& rule) const {
  SceneLook look{grouper_.say(leaf, held_out_.first, rule), {}};
  for (int64_t i = 0; i < held_out_.count(); ++i)
    look.groups.push_back(groups_of(look.said.grouped.weights[i]));
  return look;
}

at::Tensor SceneTask::errors_of(const SceneLook& held_out) const {
  return (held_out.said.second - held_out_.colours).pow(2).sum(2).mean(1);
}

std::unique_ptr<Model> SceneTask::make(const ModelSite& site) const {
  return std::make_unique<SceneModel>(*this, uint64_t(site.rank));
}

AssignmentRule SceneTask::rule(int64_t scenes, const char* purpose, uint64_t nth) const {
  AssignmentRule rule{.tau = setup_.tau, .hard = setup_.hard};
  if (setup_.noise)
    rule.noise = gumbel_noise({scenes, setup_.groups, scenes_.first.size(1)}, setup_.seed, purpose, nth);
  return rule;
}

// The one token of a batch's row is the scene's index. beside: {first, second}, each (B, N, 3)
Batch SceneTask::batch(Split split, const std::vector<int64_t>& samples, BatchShape at_least) const {
  const int64_t first = split == Split::kTrain ? 0 : count(Split::kTrain);
  const int64_t rows = std::max({int64_t{1}, at_least.rows, std::ssize(samples)});
  const at::Tensor scenes = at::zeros({rows}, at::kLong), weights = at::zeros({rows});
  for (int64_t row = 0; row < std::ssize(samples); ++row)
    scenes[row] = samples[size_t(row)] + first, weights[row] = 1;
  Batch batch{scenes.unsqueeze(1), at::zeros_like(scenes), at::zeros_like(scenes), weights};
  batch.beside = {scenes_.first.index_select(0, scenes), scenes_.second.index_select(0, scenes)};
  return batch;
}

at::Tensor SceneTask::loss(ModelOutput& output, const Batch& batch) const {
  return ((output.logits - batch.beside.at(1)).pow(2).sum(2).mean(1) * batch.weights).sum();
}

Score SceneTask::score(const ModelOutput& output, const Batch& batch) const {
  ModelOutput same = output;
  Score score{loss(same, batch).item<double>(), 0, batch.weights.sum().item<double>()};
  for (int64_t row = 0; row < batch.tokens.size(0); ++row) {
    const auto& kinds = scenes_.kinds.at(size_t(batch.tokens[row][0].item<int64_t>()));
    score.correct += batch.weights[row].item<double>() *
                     name_groups(groups_of(output.attentions.at(0)[row]), kinds).accuracy;
  }
  return score;
}

Scenes Scenes::draw(int64_t count, int64_t side, double light, uint64_t seed) {
  if (side < 8) throw UsageError("scenes of {0} x {0} tokens: the side is 8 at least", side);
  Scenes scenes;
  std::vector<at::Tensor> first, second, colours;
  for (int64_t i = 0; i < count; ++i) {
    RandomStream stream(seed, "scene", uint64_t(i));
    scenes.kinds.push_back(draw_kinds(side, stream, seed));
    colours.push_back(colours_of(scenes.kinds.back()));
    for (std::vector<at::Tensor>* views : {&first, &second})
      views->push_back(draw_view(colours.back(), side, light, stream));
  }
  scenes.first = at::stack(first), scenes.second = at::stack(second), scenes.colours = at::stack(colours);
  return scenes;
}

Scenes Scenes::from(int64_t scene) const {
  const auto behind = [&](const at::Tensor& of) { return of.slice(0, scene); };
  return {behind(first), behind(second), behind(colours), {kinds.begin() + scene, kinds.end()}};
}

}  // namespace ringside::inline nn
