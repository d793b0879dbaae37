// Trains with and without checkpointing: every stage, the sweep over layers, and two trainings in turns.
#include <set>

#include "parts.h"
#include "ringside/figures/training_facts.h"
#include "ringside/lesson/fields.h"
#include "ringside/lesson/section_title.h"
#include "ringside/trace/measure.h"
#include "ringside/trace/training_rows.h"
#include "ringside/train/booked.h"
#include "ringside/train/in_turns.h"

namespace ringside::lessons::recompute {
namespace {

constexpr int64_t kSteps = 2, kRounds = 12;
constexpr char kLayer[] = "layer 0";  // all layers are alike

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

// Of the sweep.
std::set<int64_t> numbers_of_layers(int64_t most) {
  return {std::max<int64_t>(1, most / 8), std::max<int64_t>(1, most / 4), most / 2, most};
}

// What a step of rank 0 did for a layer.
PassesRow passes_of(const Trace& trace, const SectionView& section) {
  PassesRow row;
  const auto steps = section.number("steps");
  const auto a_step = [&](const char* pass) {
    const auto unit = [&](const SpanEvent& span) { return trace.name(span.unit); };
    return double(std::ranges::count(spans_named(trace, section, pass), kLayer, unit)) / steps;
  };
  row.forward = a_step("forward"), row.again = a_step("recompute"), row.backward = a_step("backward");
  // Behind the last backward the parameters are gathered once more, to be hashed.
  const int64_t end_ns = spans_named(trace, section, "backward").back().end_ns;
  for (const RowEvent& event : section.rows(0))
    if (const auto gather = row_as<UnitGather>(event); gather && event.time_ns <= end_ns)
      row.gathers += gather->unit == kLayer && !gather->dropped ? 1 / steps : 0;
  row.sent = figure::sent_bytes(trace, section);
  row.activations = double(peak_bytes(section, Category::kActivations));
  row.total = double(figure::peak_bytes(trace, section));
  return row;
}

// What a layer hands to the next one, as the allocator saw it.
double bytes_of_input(const Trace& trace, const SectionView& section) {
  for (const MemoryEvent& event : section.memory(0, Category::kActivations))
    if (event.delta_bytes > 0 && trace.name(event.tensor) == "hidden states")
      return double(event.delta_bytes);
  return 0;
}

struct Run {
  const Config& config;
  const RunContext& context;
  const TrainerConfig base = trainer_config(config);
  const Dataset data = sequences_of(base.max_tokens);
  const std::set<int64_t> layers_of_sweep = numbers_of_layers(base.model.layers);
  RunParts parts{context, 4 * 2 * kSteps + 2 * std::ssize(layers_of_sweep) + 2 * (kWarmUpSteps + kRounds)};
  TraceRows rows = {};

  void run() {
    for (int stage = 0; stage < 4; ++stage) compare_stage(stage);
    Recorder& sweep = *context.store.add_section(kSweep, {}, 1).front();
    for (const int64_t layers : layers_of_sweep)
      for (const char* way : {kOff, kOn}) try_layers(sweep, layers, way);
    time();
  }

  TrainResult train(TrainerConfig trainer, const std::string& what, const std::string& way) {
    const std::string name = tr("{}, {}", what, way);
    trainer.recompute = way == kOn;
    TrainerHooks hooks = hooks_of(context.control, for_ranks(context.process, trainer.ranks));
    hooks.attributes = {{kSectionTitle, trainer.recompute ? tr("{}, checkpointing", what)
                                                          : tr("{}, everything is kept", what)}};
    hooks.on_step = [&](int64_t) { parts.tell(name); };
    return train_and_book(trainer, data, context.store, name, hooks, rows);
  }

  void compare_stage(int stage) {
    TrainerConfig trainer = base;
    trainer.stage = stage;
    std::string hash_of_off;
    for (const char* way : {kOff, kOn}) {
      const std::string hash = train(trainer, tr("stage {}", stage), way).parameters_sha256;
      if (way == kOff) hash_of_off = hash;
      const Trace trace = context.store.snapshot();
      const std::string section = stage_section(stage, way);
      PassesRow row = passes_of(trace, *trace.find(section));
      row.stage = stage, row.way = way, row.same_bits = hash == hash_of_off;
      row.bits = hash.substr(0, 8) + (row.same_bits ? "" : tr(", others"));
      record_row(context.store.recorder(section, 0), row);
    }
  }

  void try_layers(Recorder& pen, int64_t layers, const char* way) {
    TrainerConfig trainer = base;
    trainer.batch = base.batch / base.ranks;
    trainer.ranks = 1, trainer.stage = 0, trainer.steps = 1;
    trainer.model.layers = layers;
    train(trainer, tr("{} layers", layers), way);
    const Trace trace = context.store.snapshot();
    const SectionView& section = *trace.find(tr("{} layers, {}", layers, way));
    record_point(pen, way, double(layers), double(peak_bytes(section, Category::kActivations)));
    record_point(pen, kInput, double(layers), bytes_of_input(trace, section));
  }

  void time() {
    TrainerConfig with = base;
    with.recompute = true;
    const std::vector<Turn> turns = {{base, tr("timed, off")}, {with, tr("timed, on")}};
    train_in_turns(
        turns, kRounds, data, context.store, context.control, rows, [&] { parts.tell(tr("times")); },
        context.process);
    context.store.set_rows(rows);
    const Trace trace = context.store.snapshot();
    Recorder& pen = *context.store.add_section(kTimes, {}, 1).front();
    for (size_t round = 0; round < kRounds; ++round) {
      Timing off{kOff}, on{kOn};  // of all ranks
      for (const auto& [of, turn] : {std::pair{&off, turns[0]}, {&on, turns[1]}})
        for (int rank = 0; rank < base.ranks; ++rank)
          of->ns += cpu_of_rounds(*trace.find(turn.section), rank).at(round);
      record_row(pen, off), record_row(pen, on);
      record_point(pen, kLonger, double(round + 1), on.ns / off.ns);
    }
  }
};

}  // namespace

void run(const Config& config, const RunContext& context) { Run{config, context}.run(); }

}  // namespace ringside::lessons::recompute
