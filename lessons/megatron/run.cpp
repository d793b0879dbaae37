// Trains one model over dp, tp, pp and all of them, under every schedule, and compares bits.
#include <future>

#include "parts.h"
#include "ringside/data/dataset.h"
#include "ringside/lesson/section_title.h"
#include "ringside/nn/language_tasks.h"
#include "ringside/planner/pipeline_parts.h"
#include "ringside/planner/run_mesh.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/train/booked.h"
#include "ringside/train/emulation.h"

namespace ringside::lessons::megatron {
namespace {

constexpr int64_t kCrossingLayers = 2, kWallSteps = 7;
// How long parts take, in times of any other training: for the time that is left.
constexpr double kCrossingTime = 0.15, kComparingTime = 5;
constexpr int kCrossings = 6;

TrainingConfig base_config(const Config& config) {
  TrainingConfig base;
  base.ranks = std::stoi(config.text("ranks"));
  base.batch = config.integer("batch");
  base.accumulate = config.integer("accumulate");
  base.steps = config.integer("steps");
  base.seed = uint64_t(config.integer("seed"));
  base.evaluate_every = -1;
  base.precision = Precision::kFloat32;
  return base;
}

int chunks_of(const std::string& schedule, const Config& config) {
  return schedule == "interleaved" ? int(config.integer("chunks")) : least_chunks(schedule);
}

class Run {
 public:
  Run(const Config& config, const RunContext& context)
      : config_(config),
        context_(context),
        base_(base_config(config)),
        texts_(windows_of(load_dataset({.source = "self", .max_tokens = 1 << 12}).train,
                          config.integer("tokens"))),
        schedule_(schedule_of(config)),
        parts_(context, trainings_of(config) + 1,
               kComparingTime + trainings_of(config) - kCrossings * (1 - kCrossingTime)) {
    if (const auto hang = find_hang(schedule_, SendMode::kAsync))
      throw UsageError(tr("pipeline={}: {}", config.text("pipeline"), hang->sentence));
    check_layers();
    mesh_of_run(ranks_of(config.text("mesh")), of_mesh());
  }

  void run() {
    const KeepThreadCounts thread_counts;
    use_one_thread();
    pen_ =
        context_.store
            .add_section(kBits, {{"parameters", count_parameters(classifier_shapes(model_of(config_)))}}, 1)
            .front();
    train_chosen();
    train(kTensor, over("tp", base_));
    train(kData, over("dp", base_));
    train(kMesh, of_mesh());
    for (const std::string& name : schedules())
      if (name != config_.text("pipeline")) train(name, over("pp", base_, name));
    TrainingConfig changed = base_;
    changed.sequence = true, changed.steps = 1;
    train(kSequence, over("tp", changed));
    changed = base_;
    changed.batch *= changed.accumulate, changed.accumulate = 1;
    train(kOneMicro, over("pp", changed, kPipe));
    const int64_t some = config_.integer("tokens") * base_.ranks;     // tokens where each rank has one text
    const int64_t least = (hidden_ + some - 1) / some * base_.ranks;  // rows, of H tokens at least
    for (const int64_t times : {1, 2, 6}) cross(times * least);
    changed = base_;
    changed.ranks = 2, changed.steps = kWallSteps;
    train(kTwoStages, over("pp", changed, kPipe));
    compare();
  }

 private:
  static int trainings_of(const Config& config) { return is_typed(config) ? 18 : 17; }
  // Every schedule runs, the interleaved one with as many parts a stage as `chunks` says: each has a layer.
  void check_layers() const {
    const int64_t layers = config_.integer("layers"), chunks = config_.integer("chunks"),
                  needed = base_.ranks * chunks;
    if (layers < needed)
      throw UsageError(tr("ranks={} with chunks={} needs layers={} or more; there are {}", base_.ranks,
                          chunks, needed, layers));
    units_of_parts(layers, schedule_.parts(), "");  // throws where a typed schedule has more parts
  }

  static int ranks_of(const std::string& mesh) {  // "dp2,pp2,tp2"
    int product = 1;
    for (const std::string& one : parted(mesh, ','))
      if (const size_t at = one.find_first_of("123456789"); at != one.npos)
        product *= std::atoi(one.c_str() + at);
    return product;
  }
  TrainingConfig over(const char* dimension, TrainingConfig training,
                      const std::string& schedule = "") const {
    training.mesh = fmt::format("{}{}", dimension, training.ranks);
    if (!schedule.empty()) training.pipeline = schedule, training.chunks = chunks_of(schedule, config_);
    return training;
  }

  std::shared_ptr<const Task> task_of(const TrainingConfig& training, int64_t layers) const {
    ClassifierConfig model = model_of(config_);
    model.layers = layers;
    return std::make_shared<NextTokenTask>(model, training, training.ranks, texts_,
                                           std::vector(texts_.begin(), texts_.begin() + 1));
  }

  void train(const std::string& name, const TrainingConfig& training, int64_t layers = 0) {
    parts_.begin(name, layers == 0 ? 1 : kCrossingTime);
    const auto task = task_of(training, layers == 0 ? config_.integer("layers") : layers);
    const Mesh mesh = mesh_of_run(training.ranks, training);
    const int64_t places = mesh.size(data_dimensions());
    const int64_t tokens = training.batch * config_.integer("tokens");
    TrainerHooks hooks = hooks_of(context_.control);
    const std::string title =
        mesh.size("pp") > 1 ? tr("{}, {}", training.pipeline, mesh.text()) : mesh.text();
    hooks.attributes = {{kSectionTitle, name == kPipeline || name == kMesh ? title : name},
                        {kTokens, tokens},
                        {kHidden, hidden_},
                        {kPassWidth, tokens / places * hidden_ * 4},
                        {kLink, config_.text("link")}};
    const TrainResult result = train_and_book(training, task, context_.store, name, hooks, rows_);
    if (!result.ranks_agree) rows_.outcome["sections_with_disagreeing_ranks"] += 1;
    context_.store.set_rows(rows_);
    if (layers == 0 && name != kTwoStages && name != kOneMicro && name != kSequence)
      trained_.push_back({name, training, result});
  }

  void train_chosen() {
    TrainingConfig chosen = base_;
    chosen.ranks = schedule_.stages, chosen.accumulate = schedule_.micro_batches,
    chosen.chunks = schedule_.chunks;
    chosen.pipeline = config_.text("pipeline");
    train(kPipeline, over("pp", chosen));
  }

  TrainingConfig of_mesh() const {
    TrainingConfig all = base_;
    all.mesh = config_.text("mesh"), all.sequence = config_.is_on("sequence");
    all.ranks = ranks_of(all.mesh);
    if (!is_typed(config_)) all.pipeline = config_.text("pipeline"), all.chunks = schedule_.chunks;
    if (all.mesh.find("pp") == all.mesh.npos) all.chunks = 1;
    return all;
  }

  // One micro-batch of so many rows, by both.
  void cross(int64_t rows) {
    TrainingConfig training = base_;
    training.batch = rows, training.accumulate = 1, training.steps = 1;
    const int64_t tokens = rows * config_.integer("tokens");
    train(crossing_section(false, tokens), over("tp", training), kCrossingLayers);
    training.stage = 3;
    train(crossing_section(true, tokens), over("dp", training), kCrossingLayers);
  }

  struct Trained {
    std::string name;
    TrainingConfig config;
    TrainResult result;
  };

  // The emulation knows no stages: runs that differ in them alone have one reference.
  static std::string without_stages(TrainingConfig& training) {
    const Mesh mesh = mesh_of_run(training.ranks, training);
    training.ranks = mesh.size("dp") * mesh.size("tp"), training.chunks = 1;
    training.mesh = fmt::format("dp{},tp{}", mesh.size("dp"), mesh.size("tp"));
    return fmt::format("{} {} {}", training.mesh, training.accumulate, training.sequence);
  }
  static TrainingConfig whole(TrainingConfig training) {
    training.mesh = "dp1", training.ranks = 1, training.chunks = 1, training.sequence = false;
    return training;
  }

  void compare() {
    parts_.begin(tr("the same in one process"), kComparingTime);
    std::map<std::string, std::future<EmulationResult>> running;  // a thread each
    for (const Trained& one : trained_)
      for (TrainingConfig training : {one.config, whole(one.config)})
        if (const std::string key = without_stages(training); !running.contains(key))
          running[key] = std::async(std::launch::async, [this, training] {
            return emulate(training, *task_of(training, config_.integer("layers")),
                           SumOrder::kAccumulateThenReduce);
          });
    std::map<std::string, EmulationResult> references;
    for (auto& [key, result] : running) references[key] = result.get();
    for (Trained& one : trained_) {
      TrainingConfig plain = whole(one.config);
      const std::string name = one.name == kPipeline ? one.config.pipeline : one.name;
      const std::vector<double>& loss = references.at(without_stages(plain)).loss;
      double apart = 0;
      for (size_t step = 0; step < loss.size(); ++step)
        apart = std::max(apart, std::abs(one.result.loss[step] - loss[step]) / loss[step]);
      const std::string& own = references.at(without_stages(one.config)).parameters_sha256;
      record_row(*pen_, BitRow{name, own == one.result.parameters_sha256, apart});
    }
  }

  const Config& config_;
  const RunContext& context_;
  const TrainingConfig base_;
  const int64_t hidden_ = model_of(config_).hidden;
  const std::vector<TokenExample> texts_;
  const PipelineSchedule schedule_;
  RunParts parts_;
  Recorder* pen_ = nullptr;
  std::vector<Trained> trained_;
  TraceRows rows_;
};

}  // namespace

std::vector<std::string> schedules() {
  std::vector<std::string> names;
  for (const NamedSchedule& named : named_schedules()) names.push_back(named.name);
  return names;
}
int least_chunks(const std::string& schedule) {
  const auto named = std::ranges::find(named_schedules(), schedule, &NamedSchedule::name);
  return named == named_schedules().end() ? 1 : named->least_chunks;
}

ClassifierConfig model_of(const Config& config) {
  const int64_t hidden = std::stoll(config.text("hidden"));
  ClassifierConfig model = byte_language_model(hidden, config.integer("layers"));
  model.heads = model.kv_heads = kHeads;
  model.intermediate = 8 * hidden / 3;  // so that a layer has 12 H² parameters, as Megatron's have
  return model;
}

double parameter_bytes(const Config& config) {
  return 4 * double(count_parameters(classifier_shapes(model_of(config))));
}
double activation_bytes(const Config& config) {
  return 4 * double(config.integer("batch") * config.integer("tokens")) * std::stod(config.text("hidden"));
}

bool is_typed(const Config& config) { return sizes_of(config.text("pipeline")).stages > 0; }

PipelineSchedule schedule_of(const Config& config) {
  const std::string& text = config.text("pipeline");
  TypedSizes sizes = sizes_of(text);
  if (sizes.stages == 0)
    sizes = {std::stoi(config.text("ranks")), config.integer("accumulate"), chunks_of(text, config)};
  return ringside::schedule_of(text, sizes.stages, sizes.micro_batches, sizes.chunks);
}

void run(const Config& config, const RunContext& context) { Run(config, context).run(); }

}  // namespace ringside::lessons::megatron
