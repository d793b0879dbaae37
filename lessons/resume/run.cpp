// One training to its end, some that go on from its checkpoint with something left out, and others with other
// seeds.
#include <filesystem>

#include "parts.h"
#include "ringside/base/own_folder.h"
#include "ringside/checkpoint/load.h"
#include "ringside/data/sampler.h"
#include "ringside/train/booked.h"

namespace ringside::lessons::resume {
namespace {

namespace fs = std::filesystem;
using figure::Point;

constexpr int64_t kSamples = 1280, kBatch = 32, kTokens = 8, kClasses = 8, kEvaluate = 5;
constexpr size_t kSmooth = 5;   // steps that a point of a drawn curve is the mean of
constexpr double kBehind = 30;  // steps before the cut that are drawn

struct Ran {
  std::vector<Point> loss, held_out, drawn;  // over steps
  std::string weights, statistics;           // hashes at the end
};

double mean_of(const std::vector<Point>& points, double from, double to) {
  double sum = 0, count = 0;
  for (const Point& point : points)
    if (point.x > from && point.x <= to) sum += point.y, ++count;
  return sum / count;
}

double told_from(const CutRow& noise, Mean mean) { return kTold * noise.*mean; }

bool is_told(const CutRow& row, const CutRow& noise, Mean mean) {
  return std::abs(row.*mean) > told_from(noise, mean);
}

std::string in_words(const CutRow& row, const CutRow& noise, Mean mean) {
  if (row.*mean == 0) return tr("same bits");
  return is_told(row, noise, mean) ? tr("{:+.3f}", row.*mean) : tr("not told");
}

struct Run {
  const Config& config;
  const RunContext& context;
  const OwnFolder temp{"ringside-resume"};
  const Dataset data = load_dataset({.max_tokens = kTokens,
                                     .synthetic_classes = kClasses,
                                     .synthetic_train = kSamples,
                                     .synthetic_test = 96});
  const int64_t steps = config.integer("steps"), cut = config.integer("cut");
  TraceRows rows = {};
  // Trainings of all steps, and of those behind the cut.
  const int64_t whole_runs = config.integer("seeds") + 1, cut_runs = std::ssize(kParts) + 3;
  const int64_t all_steps = whole_runs * steps + cut_runs * (steps - cut);
  RunParts parts{context, whole_runs + cut_runs, double(all_steps)};

  void run() {
    const Ran whole = train(kWhole, training(0, kWhole));
    Recorder& pen = *context.store.add_section(kCompared, {}, 1).at(0);
    record_kinds(pen);
    record_seen(pen);
    record_updates(pen);
    compare(pen, kNothing, resumed(kAllThere, {}), whole);
    for (const LeftOut part : kParts) compare(pen, name_of(part), resumed(without(part), {part}), whole);
    compare(pen, kTutorial, resumed(kTutorial, {kOfLoop, std::end(kOfLoop)}), whole);
    compare(pen, kWeightsAlone, resumed(kWeightsAlone, {kParts, std::end(kParts)}), whole);
    record_noise(pen);
    record_told(pen, rows_in<CutRow>(context.store.snapshot()));
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
    parts.tell(section, double(training.checkpoint.resume ? steps - cut : steps));
    TrainerHooks hooks = hooks_of(context.control);
    hooks.on_evaluation = [](RankLoop& loop, int64_t step, double loss) {
      record_point(loop.recorder(), kHeldOut, double(step + 1), loss);
      loop.recorder().scalar(kHeldOut, step, loss);
    };
    const TrainResult result = train_and_book(training, data, context.store, section, hooks, rows);
    Recorder& pen = context.store.recorder(section, 0);
    for (size_t i = 0; i < result.loss.size(); ++i)
      record_point(pen, kLoss, double(result.interruption.resumed_at + int64_t(i) + 1), result.loss[i]);
    const Trace trace = context.store.snapshot();
    const auto loss = curve(trace, section, kLoss), held_out = curve(trace, section, kHeldOut);
    auto drawn = smoothed(loss, kSmooth);
    std::erase_if(drawn, [this](const Point& point) { return point.x < double(cut) - kBehind; });
    record_line(pen, kDrawn, drawn);
    return {loss, held_out, drawn, result.parameters_sha256, result.own_buffers_sha256};
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
    row.ranks = config.integer("ranks");
    row.cut = cut;
    record_row(pen, row);
    std::vector<Point> apart = ran.loss;
    for (Point& point : apart) point.y = std::abs(point.y - whole.loss[size_t(point.x) - 1].y);
    apart = smoothed(apart, kSmooth);
    std::erase_if(apart, [](const Point& point) { return point.y == 0; });
    record_line(pen, left_out + ", distance", apart);
  }

  void record_noise(Recorder& pen) {
    std::vector<CutRow> seeds;
    std::vector<Point> highest, lowest;
    for (int64_t nth = 1; nth <= config.integer("seeds"); ++nth) {
      const Ran ran = train(tr("another seed, {}", nth), training(uint64_t(nth), ""));
      seeds.push_back(means("", ran));
      raise(highest, ran.drawn);
      lower(lowest, ran.drawn);
    }
    record_line(pen, "highest of other seeds", highest);
    record_line(pen, "lowest", lowest);
    CutRow noise{kSeeds};
    for (const Mean mean : kMeans) noise.*mean = deviation(values_of(seeds, mean));
    record_row(pen, noise);
  }

  void record_kinds(Recorder& pen) const {
    std::map<std::string, int64_t> bytes;
    const Checkpoint saved(disk(), temp.path / kWhole, cut);
    for (const StateRuns& piece : saved.manifest().pieces) {
      const std::string& kind = saved.manifest().tensors[piece.tensor].kind;
      bytes[kind.starts_with("buffer") ? name_of(LeftOut::kStatistics) : kind] += piece.bytes;
    }
    const double parameters = double(context.store.snapshot().find(kWhole)->integer("parameters"));
    for (const auto& [kind, all] : bytes) record_row(pen, KindRow{kind, all, double(all) / parameters});
  }

  // One weight whose gradient is always 1, in the optimizer's kernel: what an update is of the learning rate,
  // where the first 10,000 updates had been made before the cut.
  static void record_updates(Recorder& pen) {
    const Optimizer optimizer = make_optimizer({.name = "adamw", .values = {{"weight_decay", 0}}});
    const auto follow = [&](const std::string& left_out, float moments, int64_t counted) {
      float weight = 0, m = moments, v = moments;
      const float gradient = 1;
      for (int64_t update = 1; update <= kUpdates; ++update) {
        const float before = weight;
        optimizer.update(Elements{.count = 1, .weights = &weight, .gradient = &gradient, .state = {&m, &v}},
                         {.learning_rate = 1, .step = counted + update});
        record_point(pen, left_out, double(update), before - weight);
      }
    };
    follow(kNothing, 1, kBefore), follow(kBothLost, 0, 0);
    follow(name_of(LeftOut::kMoments), 0, kBefore), follow(name_of(LeftOut::kStepCount), 1, 0);
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

void record_told(Recorder& pen, const std::vector<CutRow>& cuts) {
  const auto noise = std::ranges::find(cuts, kSeeds, &CutRow::left_out);
  ToldRow told;
  for (auto row = cuts.begin(); row != noise; ++row) {
    std::array<std::string, std::size(kMeans)> words;
    std::ranges::transform(kMeans, words.begin(), [&](Mean mean) { return in_words(*row, *noise, mean); });
    const char* weights = row->same_weights ? "equal" : "differ";
    record_row(pen, SeenCutRow{row->left_out, words[0], words[1], words[2], words[3], weights});
    if (!from_text<LeftOut>(row->left_out)) continue;
    ++told.parts;
    told.at_once += int64_t(is_told(*row, *noise, &CutRow::at_once));
    told.at_end += int64_t(is_told(*row, *noise, &CutRow::at_end));
    told.held_out += int64_t(is_told(*row, *noise, &CutRow::held_out));
    told.other_weights += int64_t(!row->same_weights);
  }
  std::array<std::string, std::size(kMeans)> least;
  std::ranges::transform(kMeans, least.begin(),
                         [&](Mean mean) { return tr("{:.3f}", told_from(*noise, mean)); });
  record_row(pen, SeenCutRow{tr("told apart from"), least[0], least[1], least[2], least[3], ""});
  record_row(pen, told);
}

void run(const Config& config, const RunContext& context) {
  const int64_t steps = config.integer("steps"), cut = config.integer("cut"), last = steps - int64_t(kWindow);
  if (cut > last)
    throw UsageError(
        tr("cut={}: with steps={} at most {}, so that {:.0f} steps follow it", cut, steps, last, kWindow));
  Run{config, context}.run();
}

}  // namespace ringside::lessons::resume
