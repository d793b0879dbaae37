// Trains with and without checkpointing: every stage, the sweep over layers, and two trainings in turns.
#include "parts.h"
#include "ringside/lesson/fields.h"
#include "ringside/lesson/section_title.h"
#include "ringside/train/booked.h"
#include "ringside/train/in_turns.h"

namespace ringside::lessons::recompute {
namespace {

constexpr int64_t kSteps = 2, kRounds = 12;

// Sequences of exactly T tokens, so that every batch has the same shape.
Dataset sequences(int64_t tokens) {
  Dataset data = load_dataset({.max_tokens = 2 * tokens});  // of which a sequence has T at least
  for (std::vector<Sample>* samples : {&data.train, &data.test})
    for (Sample& sample : *samples) {
      sample.tokens.resize(size_t(tokens));
      sample.tokens.back() = kEndToken;
    }
  data.sha256 = dataset_sha256(data);
  return data;
}

TrainerConfig trainer_config(const Config& config) {
  TrainerConfig trainer;
  read_fields<Distribution>(config, trainer);
  trainer.ranks = int(config.integer("ranks"));
  trainer.max_tokens = config.integer("tokens");
  trainer.batch = config.integer("batch") * trainer.ranks;
  trainer.model.hidden = std::stoll(config.text("hidden"));
  trainer.model.intermediate = trainer.model.hidden * 33 / 8;
  trainer.model.layers = config.integer("layers");
  trainer.steps = kSteps;
  trainer.evaluate_every = -1;
  return trainer;
}

class Run {
 public:
  Run(const Config& config, const RunContext& context)
      : context_(context), base_(trainer_config(config)), data_(sequences(base_.max_tokens)) {
    for (const int64_t parts : {8, 4, 2, 1}) {
      const int64_t some = std::max<int64_t>(1, base_.model.layers / parts);
      if (layers_.empty() || layers_.back() != some) layers_.push_back(some);
    }
    total_ = 4 * 2 * kSteps + 2 * std::ssize(layers_) + 2 * (kWarmUpSteps + kRounds);
  }

  void run() {
    for (const int64_t stage : {base_.stage, 0, 1, 2, 3})
      if (context_.store.snapshot().find(stage_section(stage, false)) == nullptr) compare_stage(stage);
    for (const int64_t layers : layers_)
      for (const bool on : {false, true}) sweep(layers, on);
    time();
  }

 private:
  void compare_stage(int64_t stage) {
    for (const bool on : {false, true}) {
      TrainerConfig config = base_;
      config.stage = int(stage);
      config.recompute = on;
      train_section(config, stage_section(stage, on),
                    {{kSectionTitle, on ? tr("stage {}, checkpointing", stage)
                                        : tr("stage {}, everything is kept", stage)}});
    }
  }

  void sweep(int64_t layers, bool on) {
    TrainerConfig config = base_;
    config.batch = base_.batch / base_.ranks;
    config.ranks = 1;
    config.stage = 0;
    config.steps = 1;
    config.model.layers = layers;
    config.recompute = on;
    train_section(config, sweep_section(layers, on), {{kSweepLayers, layers}});
  }

  void train_section(const TrainerConfig& config, const std::string& name, const Attributes& attributes) {
    TrainerHooks hooks = hooks_of(context_.control, for_ranks(context_.process, config.ranks));
    hooks.attributes = attributes;
    hooks.on_step = [&](int64_t) { advance(name); };
    const TrainResult result = train_and_book(config, data_, context_.store, name, hooks, rows_);
    context_.store.set_attributes(name, {{kHash, result.parameters_sha256}});
  }

  void time() {
    std::vector<Turn> turns;
    for (const bool on : {false, true}) {
      turns.push_back({base_, tr("timed, {}", on ? kOn : kOff)});
      turns.back().config.recompute = on;
    }
    const auto results = train_in_turns(turns, kRounds, data_, context_.store, context_.control,
                                        [&] { advance(tr("times")); }, context_.process);
    for (size_t i = 0; i < turns.size(); ++i) {
      context_.store.set_attributes(turns[i].section, {{kHash, results[i].parameters_sha256}});
      append(rows_.ledger,
             ledger_of(context_.store.snapshot(), turns[i].section, config_in_turns(turns[i].config, kRounds),
                       data_, results[i].interruption));
    }
    context_.store.set_rows(rows_);
    record_times(turns);
  }

  // Of all ranks' threads, round by round.
  void record_times(const std::vector<Turn>& turns) {
    const Trace trace = context_.store.snapshot();
    Recorder& recorder = *context_.store.add_section(kTimes, {}, 1).front();
    for (size_t round = 0; round < kRounds; ++round)
      for (const bool on : {false, true}) {
        double ns = 0;
        for (int rank = 0; rank < base_.ranks; ++rank)
          ns += cpu_of_rounds(*trace.find(turns[on].section), rank).at(round);
        record_row<Timing>(recorder, {on ? kOn : kOff, ns});
      }
  }

  void advance(const std::string& phase) { context_.progress({phase, ++done_, total_}); }

  const RunContext& context_;
  TrainerConfig base_;
  Dataset data_;
  std::vector<int64_t> layers_;  // of the sweep: at most four numbers
  TraceRows rows_;
  int64_t done_ = 0, total_ = 0;
};

}  // namespace

void run(const Config& config, const RunContext& context) { Run(config, context).run(); }

}  // namespace ringside::lessons::recompute
