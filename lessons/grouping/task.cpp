// The model and its Task: a scene is said by a few group tokens, which are trained over the ranks.
#include "ringside/nn/model.h"
#include "ringside/tensor/memory_hook.h"
#include "scenes.h"

namespace ringside::lessons::grouping {

// Of the Task's parameters, drawn with deviation 0.02: these have 1 / sqrt(D).
constexpr double kScale = 12.5;

Declaration Grouper::declare(int64_t count) {
  Declaration model;
  model.begin_unit("grouping", "");
  embed = model.add("embed.weight", {kWidth, kColours});
  groups = model.add("group_tokens", {count, kWidth});
  for (const auto& [name, handle] : {std::pair{"q", &q}, {"k", &k}, {"v", &v}, {"o", &o}})
    *handle = model.add(std::string(name) + ".weight", {kWidth, kWidth});
  colour = model.add("colour.weight", {kColours, kWidth});
  return model;
}

Grouper::Said Grouper::say(const Leaves& leaf, const at::Tensor& first, const AssignmentRule& rule) const {
  const auto scaled = [&](Parameter p) { return leaf(p) * kScale; };
  const double unit = std::sqrt(double(kWidth) / double(kColours));
  Said said;
  said.x = at::linear(first, scaled(embed)) * unit;        // (B, N, D)
  said.tokens = at::layer_norm(scaled(groups), {kWidth});  // (M, D)
  const GroupingWeights weights{scaled(q), scaled(k), scaled(v), scaled(o)};
  said.grouped = group_tokens(said.tokens, said.x, weights, rule);
  said.second = at::matmul(said.grouped.weights.transpose(1, 2), colours(leaf, said.grouped.groups));
  return said;
}

at::Tensor Grouper::colours(const Leaves& leaf, const at::Tensor& of) const {
  return at::linear(of, leaf(colour) * kScale);
}
at::Tensor Grouper::values(const Leaves& leaf, const at::Tensor& x) const {
  return at::linear(at::linear(x, leaf(v) * kScale), leaf(o) * kScale);
}

class GrouperModel final : public Model {
 public:
  GrouperModel(const ShapesTask& task, uint64_t rank)
      : task_(task), rank_(rank), set_(ParameterSet::of(grouper_.declare(task.groups()))) {}
  ParameterSet& parameters() override { return set_; }
  Buffers& buffers() override { return buffers_; }

  ModelOutput forward(const Batch& batch, const Context& context) override {
    const MemoryScope scope(Category::kActivations, "grouping");
    if (context.hooks != nullptr) context.hooks->before_forward(0);
    const at::Tensor first = task_.view(batch, &Scenes::first);
    AssignmentRule rule = task_.hard();
    if (context.mode == Mode::kTrain)
      rule = task_.rule({first.size(0), task_.groups(), first.size(1)}, "training", rank_ << 32 | nth_++);
    const Grouper::Said said = grouper_.say([&](Parameter p) { return set_[p]; }, first, rule);
    ModelOutput output;
    output.logits = said.second;
    output.attentions = {said.grouped.weights};
    if (context.hooks != nullptr) output.logits = context.hooks->after_forward(0, output.logits);
    return output;
  }

 private:
  const ShapesTask& task_;
  const uint64_t rank_;
  uint64_t nth_ = 0;
  Grouper grouper_;
  ParameterSet set_;
  Buffers buffers_;
};

ShapesTask::ShapesTask(const Config& config, Scenes scenes, std::string way)
    : scenes_(std::move(scenes)),
      way_(std::move(way)),
      groups_(config.integer("groups")),
      tau_(config.real("tau")),
      seed_(uint64_t(config.integer("seed"))) {}

std::unique_ptr<Model> ShapesTask::make(const ModelSite& site) const {
  return std::make_unique<GrouperModel>(*this, uint64_t(site.rank));
}

AssignmentRule ShapesTask::rule(at::IntArrayRef shape, const char* purpose, uint64_t nth) const {
  AssignmentRule rule{.tau = tau_, .hard = way_ == kStraight};
  if (way_ != kSoft) rule.noise = gumbel_noise(shape, seed_, purpose, nth);
  return rule;
}

// The one token of a batch's row is the scene's index.
Batch ShapesTask::batch(Split split, const std::vector<int64_t>& samples, BatchShape at_least) const {
  const int64_t count = std::max({int64_t{1}, at_least.rows, std::ssize(samples)});
  Batch batch{at::zeros({count, 1}, at::kLong), at::zeros({count}, at::kLong), at::zeros({count}, at::kLong),
              at::zeros({count})};
  for (int64_t row = 0; row < std::ssize(samples); ++row) {
    batch.tokens[row][0] = samples[size_t(row)] + (split == Split::kTrain ? 0 : kTrained);
    batch.weights[row] = 1;
  }
  return batch;
}

at::Tensor ShapesTask::loss(const at::Tensor& second, const Batch& batch, at::Tensor Scenes::*from) const {
  const at::Tensor wrong = second - view(batch, from);
  return (wrong.pow(2).sum(2).mean(1) * batch.weights).sum();
}

double ShapesTask::correct(const at::Tensor& weights, const Batch& batch) const {
  const at::Tensor groups = weights.argmax(1).contiguous();  // (B, N)
  double correct = 0;
  for (int64_t row = 0; row < groups.size(0); ++row) {
    const int64_t* mine = groups[row].data_ptr<int64_t>();
    const auto& kinds = scenes_.kinds[size_t(batch.tokens[row][0].item<int64_t>())];
    correct += batch.weights[row].item<double>() * fit({mine, mine + groups.size(1)}, kinds).accuracy;
  }
  return correct;
}

at::Tensor ShapesTask::loss(ModelOutput& output, const Batch& batch) const {
  return loss(output.logits, batch, &Scenes::second);
}
Score ShapesTask::score(const ModelOutput& output, const Batch& batch) const {
  return {loss(output.logits, batch, &Scenes::second).item<double>(), correct(output.attentions.at(0), batch),
          batch.weights.sum().item<double>()};
}

}  // namespace ringside::lessons::grouping
