#include <bit>
#include "parts.h"
#include "ringside/comm/step_boundary.h"
#include "ringside/lesson/fields.h"
#include "ringside/trace/measure.h"
#include "ringside/train/booked.h"
#include "ringside/train/in_world.h"

namespace ringside::lessons::bucket_size {
namespace {

constexpr double kRound = 0.5;  // s that the link takes in a round of the sweep

int64_t calls_of(int64_t bucket) { return kLargest / int64_t(std::bit_ceil(uint64_t(bucket))); }

void sum_in_buckets(World& world, std::vector<uint16_t>& gradients, int64_t bucket) {
  ProcessGroup& group = world.group("dp");
  std::vector<WorkPtr> works;
  const int64_t start = now_ns();
  for (int64_t call = 0; call < calls_of(bucket); ++call) {
    const MutableView whole{gradients.data() + call * bucket, bucket, Dtype::kBFloat16};
    works.push_back(
        group.reduce_scatter(whole, slice(whole, bucket / world.size() * world.rank(), bucket / world.size()),
                             {"gradients", "", /*look_for_nan=*/true}));
  }
  wait_all(works);
  if (world.rank() != 0) return;
  const int64_t bytes = calls_of(bucket) * (bucket - bucket / world.size()) * size_of(Dtype::kBFloat16);
  record_row(*world.recorder(), Pass{bucket, calls_of(bucket), bytes, double(now_ns() - start) * 1e-9});
}

struct Run {
  const Config& config;
  const RunContext& context;
  const int ranks = int(config.integer("ranks"));
  const int64_t rounds = config.integer("rounds");
  RunParts parts{context, 1 + rounds};
  TraceRows rows = {};

  void take_a_step() {
    parts.begin(tr("a step of stage 1"));
    TrainerConfig trainer;
    trainer.ranks = ranks;
    trainer.steps = 1;
    trainer.stage = 1;
    trainer.evaluate_every = -1;
    read_fields<Distribution>(config, trainer);
    const Dataset data = load_dataset({.max_tokens = trainer.max_tokens});
    train_and_book(trainer, data, context.store, kStep, hooks_of(context.control), rows);
    const Trace trace = context.store.snapshot();
    for (const CollectiveEvent& call : completed_calls(trace, *trace.find(kStep), "gradients", 0))
      record_row(context.store.recorder(kStep, 0),
                 BucketRow{trace.name(call.unit), call.elements, double(call.bytes_sent)});
  }

  // Time is stretched, so that what this machine's threads take is small beside the link's latency.
  void sweep() {
    const LinkModel link = parse_link(config.text("link"));
    double seconds = 0;
    std::vector<int64_t> buckets;
    for (int64_t bucket = kLeast; bucket <= kLargest; bucket *= 4) {
      buckets.push_back(bucket / ranks * ranks);
      seconds += link.seconds(kLargest / bucket * hops(Op::kReduceScatter, ranks),
                              kLargest * 2 * (ranks - 1) / ranks);
    }
    const double stretch = link.simulated() ? kRound / seconds : 1;
    RanksSection section;
    section.ranks = ranks, section.link = scaled(link, 1, stretch);
    if (link.simulated()) section.attributes = {{kStretched, stretch}};
    section.body = [&](World& world) { sum_each_round(world, buckets); };
    section.predict = [&](RankRows& of_rank) {
      int64_t elements = 0;
      for (const int64_t bucket : buckets) elements += calls_of(bucket) * bucket * rounds;
      of_rank.broadcast("control", 8 * rounds);
      of_rank.add_even(of_rank.traffic("gradients", Op::kReduceScatter),
                       (ranks - 1) * elements * size_of(Dtype::kBFloat16), 0, "padding");
    };
    run_and_book(section, kSweep, context.control, context.store, rows);
  }

  void sum_each_round(World& world, std::vector<int64_t> buckets) {
    auto& gradients = world.make<std::vector<uint16_t>>(kLargest);
    for (int64_t round = 0; round < rounds; ++round) {
      if (!pass_step_boundary(world.group("dp"), context.control)) throw CancelledError();
      const SpanScope step(*world.recorder(), "step", round);
      for (const int64_t bucket : buckets) sum_in_buckets(world, gradients, bucket);
      std::ranges::reverse(buckets);
      if (world.rank() == 0) parts.tell(tr("buckets of every size"));
    }
  }
};

}  // namespace

void run(const Config& config, const RunContext& context) {
  Run all{config, context};
  all.take_a_step();
  all.sweep();
}

}  // namespace ringside::lessons::bucket_size
