// A contrastive loss over the rows of all ranks, with four ways to gather them, and what follows for
// training.
#include <numeric>

#include "ringside/base/random.h"
#include "ringside/nn/collective_gradients.h"
#include "ringside/nn/contrastive_loss.h"
#include "ringside/nn/tensor_view.h"
#include "sections.h"

namespace ringside::lessons::autograd {
namespace {

constexpr int64_t kInputs = 16, kHidden = 32, kRows = 8;  // kRows: of a rank
constexpr int64_t kParameters = 2 * kHidden * kInputs;
constexpr double kTemperature = 0.2;

struct Encoder {
  ParameterSet parameters;
  Encoder() {
    parameters.shapes = {{"W1", 0, {kHidden, kInputs}}, {"W2", 0, {kInputs, kHidden}}};
    parameters.leaves.resize(2);
    parameters.units = 1, parameters.unit_names = {"encoder"};
  }
  at::Tensor features(const at::Tensor& x) const {  // (n, kInputs) -> (n, kInputs)
    const auto& W = parameters.leaves;
    return normalized_rows(at::linear(at::tanh(at::linear(x, W[0])), W[1]));
  }
};

// Two views of each row: what both have, and noise of their own. Row i is the same on any number of ranks.
at::Tensor view(int which, int64_t first, int64_t rows, uint64_t seed) {  // (rows, kInputs)
  const at::Tensor x = at::empty({rows, kInputs});
  for (int64_t i = 0; i < rows; ++i) {
    RandomStream shared(seed, "rows", first + i), own(seed, which == 0 ? "view a" : "view b", first + i);
    for (int64_t j = 0; j < kInputs; ++j)
      x.data_ptr<float>()[i * kInputs + j] = float(shared.normal() + 0.5 * own.normal());
  }
  return x;
}

struct Way {
  const char* section;
  GatherBackward backward;
  bool all_rows = false;  // each rank has the loss of all rows, else of its own
  enum class Logged { kNo, kInPlace, kWithBackward } logged = Logged::kNo;
};
const Way kWays[] = {{kConstants, GatherBackward::kNone},
                     {kPutBack, GatherBackward::kOwnRows, true},
                     {kScattered, GatherBackward::kReduceScatter},
                     {kInPlace, GatherBackward::kReduceScatter, false, Way::Logged::kInPlace},
                     {kSummed, GatherBackward::kReduceScatter, false, Way::Logged::kWithBackward}};

struct Training {
  const Way& way;
  const char* optimizer = kSgd;
  int64_t steps = 1, rows = kRows;  // rows: of a rank
  uint64_t seed = 0;
};

at::Tensor loss_of(const Encoder& encoder, World& world, const Training& of, const at::Tensor& x,
                   const at::Tensor& y) {
  ProcessGroup& group = world.group("dp");
  const Tag tag{"features", ""};
  const at::Tensor a = encoder.features(x), b = encoder.features(y),
                   all_b = gather_rows(b, group, of.way.backward, tag);
  const at::Tensor loss =
      of.way.all_rows ? contrastive_loss(gather_rows(a, group, of.way.backward, tag), all_b, 0, kTemperature)
                      : contrastive_loss(a, all_b, group.rank() * of.rows, kTemperature);
  if (of.way.logged == Way::Logged::kWithBackward) return sum_over_ranks(loss, group, {"loss", ""});
  if (of.way.logged == Way::Logged::kInPlace)
    group.all_reduce(view_of(loss.detach()), {"loss", ""})->wait();  // the memory of `loss` itself
  return loss;
}

// Of all parameters, behind each other.
std::vector<double> flat(const std::vector<at::Tensor>& tensors) {
  std::vector<double> all;
  for (const at::Tensor& tensor : tensors) {
    const float* const values = tensor.data_ptr<float>();
    all.insert(all.end(), values, values + tensor.numel());
  }
  return all;
}
double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
double distance(std::vector<double> a, const std::vector<double>& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return std::sqrt(dot(a, a));
}

struct Trained {
  std::vector<double> gradient, before, after;  // the ranks' mean in the first step; parameters
};

// On one rank; all ranks have the same.
Trained train(World& world, const Training& of) {
  ProcessGroup& group = world.group("dp");
  auto& encoder = world.make<Encoder>();
  Strategy& strategy = data_parallel(world, encoder.parameters, of.optimizer, kParameters);
  strategy.load([&](size_t p, const at::Tensor& out) {
    initialize(out, encoder.parameters.shapes[p], of.seed);
    out.mul_(10);  // a standard deviation of 0.2
  });
  const int64_t first = group.rank() * of.rows;
  const at::Tensor x = view(0, first, of.rows, of.seed), y = view(1, first, of.rows, of.seed);
  Trained result{{}, flat(encoder.parameters.leaves), {}};
  for (int64_t step = 0; step < of.steps; ++step) {
    const SpanScope span(*world.recorder(), "step", step);
    const MemoryScope scope(Category::kActivations);
    strategy.begin_step(step);
    strategy.begin_micro_batch(true);
    const at::Tensor loss = loss_of(encoder, world, of, x, y);
    world.recorder()->scalar("loss", step, loss.item<double>());
    {
      const SpanScope backward(*world.recorder(), "backward", step);
      run_backward(loss);
    }
    strategy.end_micro_batch();
    if (step == 0) {
      std::vector<at::Tensor> gradients;
      for (const at::Tensor& leaf : encoder.parameters.leaves) gradients.push_back(leaf.grad());
      result.gradient = flat(gradients);
      for (double& g : result.gradient) g /= group.size();
    }
    strategy.step({.learning_rate = of.optimizer == std::string_view(kSgd) ? 0.5 : 0.02,
                   .step = step + 1,
                   .samples = double(group.size())});
  }
  result.after = flat(encoder.parameters.leaves);
  return result;
}

// What a rank sends for it.
void predict(const Training& of, RankRows& rows) {
  const int64_t features = 4 * of.rows * kInputs;  // bytes of a rank's rows
  rows.broadcast("initial", 4 * kParameters);
  for (int64_t step = 0; step < of.steps; ++step) {
    for (int gather = 0; gather < (of.way.all_rows ? 2 : 1); ++gather) rows.all_gather("features", features);
    if (of.way.backward == GatherBackward::kReduceScatter)
      rows.reduce_scatter("features gradients", features, rows.data());
    if (of.way.logged != Way::Logged::kNo) rows.all_reduce("loss", 1, 1, Dtype::kFloat32);
    if (of.way.logged == Way::Logged::kWithBackward) rows.all_reduce("loss gradients", 1, 1, Dtype::kFloat32);
    rows.all_reduce("gradients", 1, kParameters, Dtype::kFloat32);
  }
}

// The result of rank 0. `one`: of one process, whose gradient the ranks' is compared with.
Trained run_section(Sections& sections, const std::string& name, int ranks, const Training& of,
                    const Trained* one = nullptr) {
  Trained result;
  sections.run(
      name, ranks,
      [&](World& world) {
        Trained mine = train(world, of);
        if (world.rank() != 0) return;
        result = std::move(mine);
        if (one == nullptr) return;
        const double product = dot(result.gradient, one->gradient),
                     mine_2 = dot(result.gradient, result.gradient),
                     one_2 = dot(one->gradient, one->gradient);
        record_row(*world.recorder(),
                   GradientRow{name, ranks, product / std::sqrt(mine_2 * one_2), std::sqrt(mine_2 / one_2)});
      },
      [&](RankRows& rows) { predict(of, rows); });
  return result;
}

}  // namespace

void run_ways(const Config& config, Sections& sections) {
  const int ranks = int(config.integer("ranks"));
  const auto seed = uint64_t(config.integer("seed"));
  const Training alone{.way = kWays[2], .rows = ranks * kRows, .seed = seed};
  const Trained one = run_section(sections, kOne, 1, alone);
  for (const Way& way : kWays) run_section(sections, way.section, ranks, {.way = way, .seed = seed}, &one);
  for (const char* optimizer : {kSgd, kAdam}) {
    std::vector<Trained> trained;
    std::string section;
    for (const Way& way : {kWays[2], kWays[1]}) {
      section = tr("{}, {}", optimizer, way.section);
      trained.push_back(
          run_section(sections, section, ranks, {way, optimizer, config.integer("steps"), kRows, seed}));
    }
    const double moved = distance(trained[0].after, trained[0].before),
                 apart = distance(trained[1].after, trained[0].after);
    sections.record(section, TrainedRow{optimizer, ranks, apart / moved});
  }
}

}  // namespace ringside::lessons::autograd
