// Sections of the run: ranks as threads with their memory on record, and a ledger of what they send.
#pragma once

#include "parts.h"
#include "ringside/comm/errors.h"
#include "ringside/data_parallel/strategy.h"
#include "ringside/planner/run_rows.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/train/booked.h"

namespace ringside::lessons::autograd {

struct Section {
  int ranks = 1;
  std::function<void(World&)> body;
  std::function<void(RankRows&)> predict = {};                   // what a rank sends; null: no ledger
  std::chrono::milliseconds timeout = std::chrono::seconds(60);  // of a group
  std::function<void(const CollectiveError&)> on_error = {};     // null: it is thrown
};

class Sections {
 public:
  Sections(const RunContext& context, int64_t count) : context_(context), parts_(context, count) {}
  ~Sections() { context_.store.set_rows(rows_); }

  void run(const std::string& name, const Section& section) try {
    parts_.begin(name);
    WorldOptions options{.ranks = section.ranks, .timeout = section.timeout, .cancel = &context_.control};
    options.recorders = context_.store.add_section(name, {{"ranks", int64_t{section.ranks}}}, section.ranks);
    run_world(options, [&](World& world) {
      use_one_thread();
      const MemoryHook memory(world.recorder());
      section.body(world);
      world.drop_kept();
    });
    if (section.predict) append(rows_.ledger, ledger_of(context_.store.snapshot(), name, section.predict));
  } catch (const CollectiveError& error) {
    if (!section.on_error) throw;
    section.on_error(error);
    context_.store.set_attributes(name, {{kBroke, true}});
  }
  template <typename Row>
  void record(const std::string& name, const Row& row) {
    record_row(context_.store.recorder(name, 0), row);
  }

 private:
  const RunContext& context_;
  RunParts parts_;
  TraceRows rows_;
};

// Plain data parallelism in buckets of so many elements; the World keeps it. sgd: without momentum and decay.
inline Strategy& data_parallel(World& world, ParameterSet& parameters, const char* optimizer,
                               int64_t bucket) {
  OptimizerConfig config{.name = optimizer};
  if (config.name == kSgd) config.values = {{"momentum", 0}, {"weight_decay", 0}};
  const auto& made = world.make<Optimizer>(make_optimizer(config));
  const Distribution plain{
      .stage = 0, .precision = Precision::kFloat32, .bucket_elements = bucket, .clip_norm = 0};
  return *world.make<std::unique_ptr<Strategy>>(
      make_data_parallel({parameters, world.group("dp"), made, plain, world.recorder()}));
}

}  // namespace ringside::lessons::autograd
