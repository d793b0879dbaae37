// Sections of the run: ranks as threads with their memory on record, and a ledger of what they send.
#pragma once

#include <ATen/ATen.h>

#include "parts.h"
#include "ringside/data_parallel/strategy.h"
#include "ringside/ledger/ledger.h"
#include "ringside/planner/run_rows.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/world/world.h"

namespace ringside::lessons::autograd {

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

class Sections {
 public:
  Sections(const RunContext& context, int64_t count) : context_(context), count_(count) {}
  ~Sections() { context_.store.set_rows(rows_); }

  using Body = std::function<void(World&)>;
  using Predict = std::function<void(RankRows&)>;  // what a rank sends
  // A group waits `timeout` at most. Where `predict` is empty the section has no ledger.
  void run(const std::string& name, int ranks, const Body& body, const Predict& predict = {},
           std::chrono::milliseconds timeout = std::chrono::seconds(60)) {
    context_.control.pass_step();
    WorldOptions options{.ranks = ranks, .timeout = timeout, .cancel = &context_.control};
    options.recorders = context_.store.add_section(name, {{"ranks", int64_t{ranks}}}, ranks);
    run_world(options, [&](World& world) {
      use_one_thread();
      const MemoryHook memory(world.recorder());
      body(world);
      world.drop_kept();
    });
    if (predict) book(name, ranks, predict);
    context_.progress({name, ++done_, count_});
  }
  template <typename Row>
  void record(const std::string& name, const Row& row) {
    record_row(context_.store.recorder(name, 0), row);
  }
  void broke(const std::string& name) { context_.store.set_attributes(name, {{kBroke, true}}); }

 private:
  void book(const std::string& name, int ranks, const Predict& predict) {
    std::vector<LedgerRow> predicted;
    for (int rank = 0; rank < ranks; ++rank) {
      RankRows rows(rank, ranks);
      predict(rows);
      for (LedgerRow& row : rows.take()) predicted.push_back(std::move(row));
    }
    const Trace trace = context_.store.snapshot();
    for (LedgerRow& row : reconcile(predicted, count_rows(trace, *trace.find(name))))
      rows_.ledger.push_back(std::move(row));
  }

  const RunContext& context_;
  TraceRows rows_;
  int64_t done_ = 0;
  const int64_t count_;
};

}  // namespace ringside::lessons::autograd
