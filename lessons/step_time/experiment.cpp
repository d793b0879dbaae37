// Four trainings in turns, one a stage, on a link that is to them what the case's link is to the case; then
// one buffer of gradients summed in buckets of every size.
#include <bit>
#include <thread>
#include "account.h"
#include "embedded.h"
#include "ringside/comm/step_boundary.h"
#include "ringside/planner/run_rows.h"
#include "ringside/train/booked.h"
#include "ringside/train/in_turns.h"

namespace ringside::lessons::step_time {
namespace {

constexpr int64_t kCalibrationRounds = 3;
constexpr int64_t kLargest = 1 << 20, kLeast = 1 << 10;  // gradients of a bucket in the sweep
constexpr double kSweepRound = 0.5;                      // s that the link takes in a round of it

Attributes of_link(const LinkModel& link, double slower) {
  const auto cores = int64_t{std::thread::hardware_concurrency()};
  if (!link.simulated()) return {{kCores, cores}};  // memory speed
  return {{kLatency, link.latency_s}, {kBandwidth, link.bytes_per_s}, {kSlower, slower}, {kCores, cores}};
}

struct Run {
  const Config& config;
  const RunContext& context;
  TrainerConfig base = trainer_config(config);
  const Dataset dataset = load_dataset({.max_tokens = base.max_tokens});
  const LinkModel link = parse_link(config.text("link"));
  const int64_t rounds = config.integer("rounds");
  const int64_t total = kStages * (2 * kWarmUpSteps + kCalibrationRounds + rounds) + rounds;
  double slower = 1;
  int64_t done = 0;
  TraceRows rows = {};

  void run() {
    if (link.simulated()) calibrate();
    compare_stages();
    sweep();
    context.store.set_rows(rows);
  }

  void advance(const std::string& phase) { context.progress({phase, ++done, total}); }

  void train_all(const std::vector<Turn>& turns, int64_t count, const std::string& phase) {
    train_in_turns(turns, count, dataset, context.store, context.control, rows, [&] { advance(phase); });
  }

  std::vector<Turn> stages(const std::string& before, const Attributes& attributes) const {
    std::vector<Turn> turns;
    for (int stage = 0; stage < kStages; ++stage) {
      turns.push_back({base, before + section_of(stage), attributes});
      turns.back().config.stage = stage;
    }
    return turns;
  }

  // How long stage 0 computes a micro-batch, at memory speed and in turns with the others, as it does
  // afterwards. The link is slowed down so that an all-reduce takes as many times that as in the case.
  void calibrate() {
    auto turns = stages(kCalibration, {});
    for (Turn& turn : turns) turn.config.accumulate = 1;
    train_all(turns, kCalibrationRounds, tr("without a link"));
    const Trace trace = context.store.snapshot();
    const StepAccount step = median_step(accounts(trace, trace.find(turns.front().section))).value();
    const Case real;
    const double bytes = step.of(Kind::kGradients).bytes / (2 * real.half_bytes());
    const double time = step.compute / compute_s(config);
    slower = time / bytes;
    base.link = scaled(link, bytes, time);
  }

  void compare_stages() {
    train_all(stages("", of_link(base.link, slower)), rounds, tr("the stages in turns"));
  }

  // Time is stretched, so that what this machine's threads take is small beside the link's latency.
  void sweep() {
    const int N = base.ranks;
    double seconds = 0;
    std::vector<int64_t> buckets;
    for (int64_t bucket = kLeast; bucket <= kLargest; bucket *= 4) {
      buckets.push_back(bucket / N * N);
      seconds += link.seconds(kLargest / bucket * hops(Op::kReduceScatter, N), kLargest * 2 * (N - 1) / N);
    }
    const double stretch = link.simulated() ? kSweepRound / seconds : 1;
    const LinkModel stretched = link.simulated() ? scaled(link, 1, stretch) : link;
    const auto recorders = context.store.add_section(kSweep, of_link(stretched, stretch), N);
    bool whole = true;
    run_world({.ranks = N, .link = stretched, .recorders = recorders}, [&](World& world) {
      auto& gradients = world.make<std::vector<uint16_t>>(kLargest);
      std::vector<int64_t> turns = buckets;
      bool goes_on = true;
      for (int64_t round = 0; round < rounds && goes_on; ++round) {
        goes_on = pass_step_boundary(world.group("dp"), context.control);
        if (!goes_on) break;
        const SpanScope step(*world.recorder(), "step", round);
        for (const int64_t bucket : turns) pass(world, gradients, bucket);
        std::reverse(turns.begin(), turns.end());
        if (world.rank() == 0) advance(tr("buckets of every size"));
      }
      if (world.rank() == 0) whole = goes_on;
    });
    if (!whole) throw CancelledError();
    book_sweep(buckets);
  }

  void book_sweep(const std::vector<int64_t>& buckets) {
    int64_t elements = 0;
    for (const int64_t bucket : buckets) elements += calls_of(bucket) * bucket * rounds;
    const auto predict = [&](RankRows& of_rank) {
      of_rank.broadcast("control", 8 * rounds);
      of_rank.add_even(of_rank.traffic("gradients", Op::kReduceScatter),
                       (base.ranks - 1) * elements * size_of(Dtype::kBFloat16), 0, "padding");
    };
    append(rows.ledger, ledger_of(context.store.snapshot(), kSweep, predict));
  }

  static int64_t calls_of(int64_t bucket) { return kLargest / int64_t(std::bit_ceil(uint64_t(bucket))); }

  static void pass(World& world, std::vector<uint16_t>& gradients, int64_t bucket) {
    ProcessGroup& group = world.group("dp");
    std::vector<WorkPtr> works;
    const int64_t start = now_ns();
    for (int64_t call = 0; call < calls_of(bucket); ++call) {
      const MutableView whole{gradients.data() + call * bucket, bucket, Dtype::kBFloat16};
      works.push_back(group.reduce_scatter(
          whole, slice(whole, bucket / world.size() * world.rank(), bucket / world.size()),
          {"gradients", "", /*look_for_nan=*/true}));
    }
    wait_all(works);
    if (world.rank() != 0) return;
    const int64_t bytes = calls_of(bucket) * (bucket - bucket / world.size()) * size_of(Dtype::kBFloat16);
    record_row(*world.recorder(), Pass{bucket, calls_of(bucket), bytes, double(now_ns() - start) * 1e-9});
  }
};

void run(const Config& config, const RunContext& context) { Run{config, context}.run(); }

double last_to_first(const Trace& trace) { return step_of(trace, 3).step / step_of(trace, 0).step; }

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"), {.parameters = parameter_specs(),
                                           .run = run,
                                           .questions = questions(),
                                           .claims = claims(),
                                           .figures = figures(),
                                           .gauges = {{"ratio", last_to_first}},
                                           .readouts = readouts});
}

}  // namespace ringside::lessons::step_time
