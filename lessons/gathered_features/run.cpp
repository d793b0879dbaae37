// A contrastive loss over the rows of all ranks, with five ways to gather them, and what follows for
// training.
#include "parts.h"
#include "ringside/data_parallel/strategy.h"
#include "ringside/libtorch/numbers.h"
#include "ringside/nn/collective_gradients.h"
#include "ringside/nn/losses.h"
#include "ringside/nn/parameters.h"
#include "ringside/nn/tensor_view.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/train/in_world.h"

namespace ringside::lessons::gathered_features {
namespace {

constexpr int64_t kInputs = 16, kHidden = 32, kRows = 8;  // kRows: of a rank
constexpr int64_t kParameters = 2 * kHidden * kInputs;
constexpr double kTemperature = 0.2;

struct Encoder {
  ParameterSet parameters{{{"W1", 0, {kHidden, kInputs}}, {"W2", 0, {kInputs, kHidden}}},
                          std::vector<at::Tensor>(2),
                          1,
                          {"encoder"}};
  at::Tensor features(const at::Tensor& x) const {  // (n, kInputs) -> (n, kInputs)
    const auto& W = parameters.leaves;
    return normalized_rows(at::linear(at::tanh(at::linear(x, W[0])), W[1]));
  }
};

// A view of each row: what both views have, and noise of its own. Row i is the same on any number of ranks.
at::Tensor view(const char* noise, int64_t first, int64_t rows, uint64_t seed) {  // (rows, kInputs)
  std::vector<at::Tensor> x;
  for (int64_t i = first; i < first + rows; ++i) {
    const auto drawn = [&](const char* of) { return normal_numbers({kInputs}, seed, of, at::kDouble, i); };
    x.push_back(drawn("rows") + 0.5 * drawn(noise));
  }
  return at::stack(x).to(at::kFloat);
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

const Way &kRight = kWays[2], &kFactor = kWays[1];  // what training is compared with, and what is trained

struct Training {
  const Way& way;
  const char* optimizer = kSgd;
  int64_t steps = 1, rows = kRows;  // rows: of a rank
  uint64_t seed = 0;
};

at::Tensor loss_of(const Encoder& encoder, ProcessGroup& group, const Training& of, const at::Tensor& x,
                   const at::Tensor& y) {
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

struct Trained {
  at::Tensor gradient, before, after;  // of all parameters: the ranks' mean in the first step; values
};

// On one rank; all ranks have the same.
Trained train(World& world, const Training& of) {
  ProcessGroup& group = world.group("dp");
  Recorder& pen = *world.recorder();
  auto& encoder = world.make<Encoder>();
  const auto& leaves = encoder.parameters.leaves;
  Strategy& strategy = plain_data_parallel(world, encoder.parameters, of.optimizer, kParameters);
  strategy.load([&](size_t p, const at::Tensor& out) {
    initialize(out, encoder.parameters.shapes[p], of.seed);
    out.mul_(10);  // a standard deviation of 0.2
  });
  const int64_t first = group.rank() * of.rows;
  const at::Tensor x = view("view a", first, of.rows, of.seed), y = view("view b", first, of.rows, of.seed);
  const auto values = [](const std::vector<at::Tensor>& parts) { return joined(parts).to(at::kDouble); };
  Trained result{{}, values(leaves), {}};
  for (int64_t step = 0; step < of.steps; ++step) {
    const SpanScope span(pen, "step", step);
    const MemoryScope scope(Category::kActivations);
    strategy.run_backward_of(step, [&] {
      const at::Tensor loss = loss_of(encoder, group, of, x, y);
      pen.scalar("loss", step, loss.item<double>());
      return loss;
    });
    if (step == 0) result.gradient = values(gradients_in(leaves)) / group.size();
    strategy.step({.learning_rate = of.optimizer == std::string_view(kSgd) ? 0.5 : 0.02,
                   .step = step + 1,
                   .samples = double(group.size())});
  }
  result.after = values(leaves);
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

double length(const at::Tensor& x) { return x.norm().item<double>(); }

struct Run {
  const Config& config;
  const RunContext& context;
  const int64_t ranks = config.integer("ranks");
  RunParts parts{context, 10};
  TraceRows rows = {};

  void gather_each_way() {
    const at::Tensor one = section(kOne, 1, {.way = kRight, .rows = ranks * kRows}).gradient;
    for (const Way& way : kWays) {
      const at::Tensor found = section(way.section, ranks, {.way = way}).gradient;
      const double cosine = at::dot(found, one).item<double>() / (length(found) * length(one));
      record(way.section, GradientRow{way.section, ranks, cosine, length(found) / length(one)});
    }
  }

  void train_with(const char* optimizer) {
    const auto trained = [&](const Way& way) {
      return section(tr("{}, {}", optimizer, way.section), ranks,
                     {.way = way, .optimizer = optimizer, .steps = config.integer("steps")});
    };
    const Trained right = trained(kRight), back = trained(kFactor);
    const double apart = length(back.after - right.after) / length(right.after - right.before);
    record(tr("{}, {}", optimizer, kPutBack), TrainedRow{optimizer, ranks, apart});
  }

  // The result of rank 0.
  Trained section(const std::string& name, int64_t on, Training of) {
    of.seed = uint64_t(config.integer("seed"));
    parts.begin(name);
    Trained result;
    const auto body = [&](World& world) {
      Trained mine = train(world, of);
      if (world.rank() == 0) result = std::move(mine);
    };
    run_and_book({int(on), body, [&](RankRows& of_rank) { predict(of, of_rank); }}, name, context.control,
                 context.store, rows);
    return result;
  }
  void record(const std::string& section, const auto& row) {
    record_row(context.store.recorder(section, 0), row);
  }
};

}  // namespace

void run(const Config& config, const RunContext& context) {
  Run all{config, context};
  all.gather_each_way();
  for (const char* optimizer : {kSgd, kAdam}) all.train_with(optimizer);
}

}  // namespace ringside::lessons::gathered_features
