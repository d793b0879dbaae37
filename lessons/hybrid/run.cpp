// Trains, counts and compares bits.
#include "parts.h"
#include "ringside/collectives/ring_group.h"
#include "ringside/figures/training_facts.h"
#include "ringside/ledger/ledger.h"
#include "ringside/planner/mesh_plan.h"
#include "ringside/planner/run_mesh.h"
#include "ringside/trace/measure.h"
#include "ringside/train/booked.h"
#include "ringside/train/emulation.h"

namespace ringside::lessons::hybrid {
namespace {

constexpr int64_t kClasses = 4;

TrainerConfig base_config(const Config& config) {
  TrainerConfig base;
  base.model = {.vocabulary = 300, .hidden = 128, .intermediate = 512, .layers = 1, .classes = kClasses};
  base.max_tokens = 8;
  base.ranks = int(config.integer("ranks"));
  base.stage = 3;
  base.batch = base.ranks;
  base.steps = 1;
  base.evaluate_every = -1;
  return base;
}

TrainerConfig small_config(const Config& config) {
  TrainerConfig small = base_config(config);
  small.model.hidden = 16, small.model.intermediate = 24;
  small.model.heads = 2, small.model.kv_heads = 1;
  small.precision = Precision::kFloat32;
  small.bucket_elements = 2000;
  small.steps = 5;
  return small;
}

// Small fp32 trainings, each compared with every parameter of one process after each step.
void compare_bits(const Config& config, const Dataset& data, Recorder& pen) {
  TrainerConfig small = small_config(config);
  small.replicas = config.integer("replicas");
  BitReference reference = reference_bits(small, data);
  std::string last = tr("nodes");
  const auto compare = [&](const std::string& name) {
    const auto first = difference_from(reference, small, data);
    record_row(pen,
               BitRow{name, last,
                      first ? tr("step {}, {} ulp, {}", first->step, first->ulps, first->tensor) : kNowhere});
  };
  compare(section_of(small.replicas));
  small.replicas = 1;
  compare(section_of(1));
  small.accumulate = config.integer("accumulate");
  reference = reference_bits(small, data), last = tr("ranks");
  compare(tr("stage 3, g={}", small.accumulate));
  small.no_sync = true;
  for (small.stage = 0; small.stage <= 3; ++small.stage)
    compare(tr("stage {}, g={}, no_sync", small.stage, small.accumulate));
}

struct Run {
  const Config& config;
  const RunContext& context;
  const TrainerConfig base = base_config(config);
  const Dataset data = load_dataset({.max_tokens = base.max_tokens, .synthetic_classes = kClasses});
  TraceRows rows = {};
  int64_t done = 0;

  void run() {
    check_replicas(base.ranks, {.stage = base.stage, .replicas = config.integer("replicas")});
    context.control.pass_step();
    compare_bits(config, data, *context.store.add_section(kBits, {}, 1).front());
    for (const bool as_rings : {false, true})
      for (const int64_t replicas : divisors(base.ranks)) {
        TrainerConfig trainer = base;
        trainer.replicas = replicas;
        train_section(section_of(replicas, as_rings), trainer, as_rings);
        if (as_rings) record_scheme(replicas);
      }
    for (const bool no_sync : {false, true}) {
      TrainerConfig trainer = base;
      trainer.accumulate = config.integer("accumulate");
      trainer.no_sync = no_sync;
      train_section(no_sync ? kNoSync : kSynced, trainer);
      record_reduced(no_sync);
    }
  }

  void train_section(const std::string& section, const TrainerConfig& trainer, bool as_rings = false) {
    const int64_t total =
        2 * std::ssize(divisors(base.ranks)) + 2 * config.integer("accumulate");  // micro-batches
    TrainerHooks hooks = hooks_of(context.control, context.process);
    hooks.on_step = [&](int64_t) { context.progress({section, done += trainer.accumulate, total}); };
    if (as_rings)
      hooks.wrap_group = [](std::unique_ptr<ProcessGroup> group) {
        return std::make_unique<RingGroup>(std::move(group));
      };
    // The planner has collectives; a ring's are sends.
    const TrainResult result = as_rings ? train(trainer, data, context.store, section, hooks)
                                        : train_and_book(trainer, data, context.store, section, hooks, rows);
    if (!result.ranks_agree) rows.outcome["sections_with_disagreeing_ranks"] += 1;
    context.store.set_rows(rows);
    if (!result.complete) throw CancelledError();
  }

  // Sent: gradients and parameters, in elements per parameter and step. Kept: the first rank's state, in
  // bytes per parameter.
  void record_scheme(int64_t replicas) {
    const int64_t nodes = config.integer("replicas"), ranks = base.ranks;
    const std::string name = section_of(replicas), as_rings = section_of(replicas, true);
    const Trace trace = context.store.snapshot();
    const SectionView &direct = *trace.find(name), &rings = *trace.find(as_rings);
    const double parameters = direct.number("parameters");
    SchemeRow row{replicas == nodes, replicas, name, ranks / nodes};
    row.keeps = figure::state_at(trace, direct, kAfterStep)->total() / parameters;
    std::vector<double> by_link(size_t(ranks * ranks));  // from, to
    for (const std::string_view what : {"parameters", "gradients", kGradientsBetween})
      for (const CollectiveEvent& send : completed_calls(trace, rings, what, kAllRanks)) {
        if (send.op != Op::kSend) continue;
        const double sent = double(send.bytes_sent) / size_of(send.dtype) / parameters;
        const bool crosses = send.rank / row.of_node != send.peer / row.of_node;
        (crosses ? row.between : row.inside) += sent / double(ranks);
        if (crosses && what == "parameters") row.parameters_between += sent / double(ranks);
        by_link[size_t(send.rank * ranks + send.peer)] += sent;
      }
    Recorder& pen = context.store.recorder(as_rings, 0);
    record_row(pen, row);
    for (int64_t link = 0; link < ranks * ranks; ++link)
      record_row(pen, LinkRow{replicas, link / ranks, link % ranks, by_link[size_t(link)]});
  }

  void record_reduced(bool no_sync) {
    const Trace trace = context.store.snapshot();
    const SectionView& section = *trace.find(no_sync ? kNoSync : kSynced);
    const auto gradients_at = [&](const char* note) {
      return figure::state_at(trace, section, note)->gradients / section.number("parameters");
    };
    ReducedRow row{no_sync ? kOnce : kEachTime, *figure::sent_a_step(trace, section)};
    row.at_end = gradients_at(kStepEntry);
    row.between = no_sync ? gradients_at(kBetweenMicroBatches) : row.at_end;
    record_row(context.store.recorder(section.name(), 0), row);
  }
};

}  // namespace

std::string section_of(int64_t replicas, bool as_rings) {
  const std::string name = replicas == 1 ? tr("stage 3") : tr("HSDP, {} replicas", replicas);
  return as_rings ? tr("{}, as rings", name) : name;
}

void run(const Config& config, const RunContext& context) { Run{config, context}.run(); }

}  // namespace ringside::lessons::hybrid
