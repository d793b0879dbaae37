// One training to its end, some that go on from its checkpoint with something left out, and others with other
// seeds.
#include <filesystem>

#include "parts.h"
#include "ringside/base/own_folder.h"
#include "ringside/checkpoint/load.h"
#include "ringside/data/sampler.h"
#include "ringside/nn/evaluation.h"
#include "ringside/train/booked.h"

namespace ringside::lessons::resume {
namespace {

namespace fs = std::filesystem;
using figure::Point;

constexpr int64_t kSamples = 1280, kBatch = 32, kTokens = 8, kClasses = 8, kEvaluate = 5;

// The trainer's own evaluation, whose loss is a curve.
class RecordedEvaluation final : public Evaluation {
 public:
  Score run(const HeldOut& held_out, int64_t step) const override {
    const Score score = add_up_scores(held_out);
    if (held_out.group.rank() != 0) return score;
    record_point(held_out.recorder, kHeldOut, double(step + 1), score.loss / score.samples);
    held_out.recorder.scalar(kHeldOut, step, score.loss / score.samples);
    return score;
  }
  void predict(int64_t evaluations, int64_t, RankRows& rows) const override {
    rows.all_reduce("evaluation", evaluations, 3, Dtype::kFloat64);
  }
};

struct Ran {
  std::vector<Point> loss, held_out;  // over steps
  std::string weights, statistics;    // hashes at the end
};

double mean_of(const std::vector<Point>& points, double from, double to) {
  double sum = 0, count = 0;
  for (const Point& point : points)
    if (point.x > from && point.x <= to) sum += point.y, ++count;
  return sum / count;
}

double deviation(const std::vector<CutRow>& rows, Mean of) {
  double mean = 0, squares = 0;
  for (const CutRow& row : rows) mean += row.*of / double(rows.size());
  for (const CutRow& row : rows) squares += (row.*of - mean) * (row.*of - mean);
  return std::sqrt(squares / double(rows.size() - 1));
}

struct Run {
  const Config& config;
  const RunContext& context;
  const OwnFolder temp{"ringside-resume"};
  const Dataset data = load_dataset({.max_tokens = kTokens,
                                     .synthetic_classes = kClasses,
                                     .synthetic_train = kSamples,
                                     .synthetic_test = 96});
  const int64_t steps = config.integer("steps"), cut = std::min(config.integer("cut"), steps - 1);
  TraceRows rows = {};
  RunParts parts{context, config.integer("seeds") + std::ssize(kParts) + 4};

  void run() {
    const Ran whole = train(kWhole, training(0, kWhole));
    Recorder& pen = *context.store.add_section(kCompared, {}, 1).at(0);
    record_kinds(pen);
    record_seen(pen);
    record_updates(pen);
    compare(pen, kNothing, resumed(kAllThere, {}), whole);
    for (const Part& part : kParts) compare(pen, part.name, resumed(without(part.name), {part.what}), whole);
    compare(pen, kTutorial, resumed(kTutorial, {kOfLoop, std::end(kOfLoop)}), whole);
    std::vector<LeftOut> all;
    for (const Part& part : kParts) all.push_back(part.what);
    compare(pen, kWeightsAlone, resumed(kWeightsAlone, all), whole);
    record_noise(pen);
  }

  TrainerConfig training(uint64_t nth, const std::string& folder) const {
    TrainerConfig training;
    training.model.hidden = 32, training.model.intermediate = 64, training.model.layers = 1;
    training.model.classes = kClasses;
    training.model.norm = NormKind::kBatch;
    training.model.dropout = config.real("dropout");
    training.max_tokens = kTokens;
    training.ranks = int(config.integer("ranks"));
    training.stage = 1;
    training.batch = kBatch;
    training.steps = steps;
    training.learning_rate = config.real("lr");
    training.schedule.name = "cosine", training.schedule.warmup = 10;
    training.evaluate_every = kEvaluate;
    training.evaluation = std::make_shared<RecordedEvaluation>();
    training.seed = uint64_t(config.integer("seed")) + 1000 * nth;
    if (folder.empty()) return training;
    training.checkpoint = {.folder = temp.path / folder, .every = cut, .keep = 0};
    training.checkpoint.asynchronous = config.text("save") == "beside";
    return training;
  }

  Ran resumed(const std::string& section, std::vector<LeftOut> left_out) {
    TrainerConfig again = training(0, section);
    const std::string step = folder_of_step(cut);
    fs::create_directory(temp.path / section);
    fs::copy(temp.path / kWhole / step, temp.path / section / step);
    again.checkpoint.resume = true, again.checkpoint.left_out = std::move(left_out);
    return train(section, again);
  }

  Ran train(const std::string& section, const TrainerConfig& training) {
    parts.tell(section);
    TrainerHooks hooks = hooks_of(context.control);
    const TrainResult result = train_and_book(training, data, context.store, section, hooks, rows);
    Recorder& pen = context.store.recorder(section, 0);
    for (size_t i = 0; i < result.loss.size(); ++i)
      record_point(pen, kLoss, double(result.interruption.resumed_at + int64_t(i) + 1), result.loss[i]);
    const Trace trace = context.store.snapshot();
    return {curve(trace.find(section), kLoss), curve(trace.find(section), kHeldOut), result.parameters_sha256,
            result.own_buffers_sha256};
  }

  // Over the steps behind the cut, and the last ones; of the held-out loss one value each.
  CutRow means(const std::string& left_out, const Ran& ran) const {
    const double from = double(cut), end = double(steps);
    return {left_out, mean_of(ran.loss, from, from + kWindow), mean_of(ran.loss, end - kWindow, end),
            mean_of(ran.held_out, from, from + kEvaluate), mean_of(ran.held_out, end - kEvaluate, end)};
  }

  void compare(Recorder& pen, const std::string& left_out, const Ran& ran, const Ran& whole) const {
    CutRow row = means(left_out, ran);
    const CutRow its = means("", whole);
    for (const Mean mean : kMeans) row.*mean -= its.*mean;
    row.same_loss = std::ranges::all_of(
        ran.loss, [&](const Point& point) { return point.y == whole.loss[size_t(point.x) - 1].y; });
    row.same_weights = ran.weights == whole.weights;
    row.same_statistics = ran.statistics == whole.statistics;
    record_row(pen, row);
  }

  void record_noise(Recorder& pen) {
    std::vector<CutRow> seeds;
    for (int64_t nth = 1; nth <= config.integer("seeds"); ++nth)
      seeds.push_back(means("", train(tr("another seed, {}", nth), training(uint64_t(nth), ""))));
    CutRow noise{kSeeds};
    for (const Mean mean : kMeans) noise.*mean = deviation(seeds, mean);
    record_row(pen, noise);
  }

  void record_kinds(Recorder& pen) const {
    std::map<std::string, int64_t> bytes;
    const Checkpoint saved(disk(), temp.path / kWhole, cut);
    for (const StateRuns& piece : saved.manifest().pieces) {
      const std::string& kind = saved.manifest().tensors[piece.tensor].kind;
      bytes[kind.starts_with("buffer") ? kStatistics : kind] += piece.bytes;
    }
    const double parameters = double(context.store.snapshot().find(kWhole)->integer("parameters"));
    for (const auto& [kind, all] : bytes) record_row(pen, KindRow{kind, all, double(all) / parameters});
  }

  // One weight whose gradient is always 1, in the optimizer's kernel: what an update is of the learning rate,
  // where the first 10,000 updates had been made before the cut.
  static void record_updates(Recorder& pen) {
    const Optimizer optimizer = make_optimizer({.name = "adamw", .values = {{"weight_decay", 0}}});
    const auto follow = [&](const char* left_out, float moments, int64_t counted) {
      float weight = 0, m = moments, v = moments;
      const float gradient = 1;
      for (int64_t update = 1; update <= kUpdates; ++update) {
        const float before = weight;
        optimizer.update(Elements{.count = 1, .weights = &weight, .gradient = &gradient, .state = {&m, &v}},
                         {.learning_rate = 1, .step = counted + update});
        record_point(pen, left_out, double(update), before - weight);
      }
    };
    follow(kNothing, 1, kBefore), follow(kMoments, 0, kBefore), follow(kCount, 1, 0), follow(kBothLost, 0, 0);
  }

  // The epoch's first step up to its last, with the sampler's place and without.
  void record_seen(Recorder& pen) const {
    constexpr int64_t kEpoch = kSamples / kBatch;
    const int64_t first = cut / kEpoch * kEpoch;
    for (const bool has_place : {true, false}) {
      Sampler sampler(kSamples, kBatch, 1, uint64_t(config.integer("seed")));
      std::vector<int> times(kSamples);
      for (int64_t step = first; step < first + kEpoch; ++step)
        for (const int64_t i : sampler.indices(step < cut || has_place ? step : step - cut, 0, 0, 1))
          ++times[size_t(i)];
      const auto seen = [&](int so_often) { return std::ranges::count(times, so_often); };
      record_row(pen, SeenRow{has_place ? "goes on" : "begins anew", seen(0), seen(1), seen(2)});
    }
  }
};

}  // namespace

void run(const Config& config, const RunContext& context) { Run{config, context}.run(); }

}  // namespace ringside::lessons::resume
