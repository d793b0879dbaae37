#include "ringside/train/in_world.h"

#include "ringside/comm/errors.h"
#include "ringside/comm/link_record.h"
#include "ringside/data_parallel/strategy.h"
#include "ringside/tensor/memory_hook.h"
#include "ringside/train/booked.h"

namespace ringside::inline training {

void run_and_book(const RanksSection& section, const std::string& name, RunControl& control,
                  TraceStore& store, TraceRows& rows) try {
  const KeepThreadCounts thread_counts;
  Attributes attributes = section.attributes;
  attributes.merge(link_attributes(section.link));
  attributes["ranks"] = int64_t{section.ranks};
  const WorldOptions options{.ranks = section.ranks,
                             .timeout = section.timeout,
                             .link = section.link,
                             .recorders = store.add_section(name, attributes, section.ranks),
                             .cancel = &control};
  run_world(options, [&](World& world) {
    use_one_thread();
    const MemoryHook memory(world.recorder());
    section.body(world);
    world.drop_kept();
  });
  if (section.predict) append(rows.ledger, ledger_of(store.snapshot(), name, section.predict));
  store.set_rows(rows);
} catch (const CollectiveError&) {
  store.set_attributes(name, {{kBroke, true}});
  throw;
}

Strategy& plain_data_parallel(World& world, ParameterSet& parameters, const std::string& optimizer,
                              int64_t bucket_elements) {
  OptimizerConfig config{.name = optimizer};
  if (config.name == "sgd") config.values = {{"momentum", 0}, {"weight_decay", 0}};
  const auto& made = world.make<Optimizer>(make_optimizer(config));
  const Distribution plain{
      .stage = 0, .precision = Precision::kFloat32, .bucket_elements = bucket_elements, .clip_norm = 0};
  return *world.make<std::unique_ptr<Strategy>>(
      make_data_parallel({parameters, world.group("dp"), made, plain, world.recorder()}));
}

}  // namespace ringside::inline training
