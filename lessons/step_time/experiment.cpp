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

class Run {
 public:
  Run(const Config& config, const RunContext& context)
      : config_(config),
        context_(context),
        base_(trainer_config(config)),
        dataset_(load_dataset({.max_tokens = base_.max_tokens})),
        link_(parse_link(config.text("link"))),
        rounds_(config.integer("rounds")),
        total_(kStages * (2 * kWarmUpSteps + kCalibrationRounds + rounds_) + rounds_) {}

  void run() {
    if (link_.simulated()) calibrate();
    compare_stages();
    sweep();
    context_.store.set_rows(rows_);
  }

 private:
  void advance(const std::string& phase) { context_.progress({phase, ++done_, total_}); }

  void train_all(const std::vector<Turn>& turns, int64_t rounds, const std::string& phase) {
    train_in_turns(turns, rounds, dataset_, context_.store, context_.control, rows_, [&] { advance(phase); });
  }

  std::vector<Turn> stages(const std::string& before, const Attributes& attributes) const {
    std::vector<Turn> turns;
    for (int stage = 0; stage < kStages; ++stage) {
      turns.push_back({base_, before + section_of(stage), attributes});
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
    const Trace trace = context_.store.snapshot();
    const StepAccount step = median_step(accounts(trace, trace.find(turns.front().section))).value();
    const Case real;
    const double bytes = step.of(Kind::kGradients).bytes / (2 * real.half_bytes());
    const double time = step.compute / compute_s(config_);
    slower_ = time / bytes;
    base_.link = scaled(link_, bytes, time);
  }

  void compare_stages() {
    train_all(stages("", of_link(base_.link, slower_)), rounds_, tr("the stages in turns"));
  }

  // Time is stretched, so that what this machine's threads take is small beside the link's latency.
  void sweep() {
    const int N = base_.ranks;
    double seconds = 0;
    std::vector<int64_t> buckets;
    for (int64_t bucket = kLeast; bucket <= kLargest; bucket *= 4) {
      buckets.push_back(bucket / N * N);
      seconds += link_.seconds(kLargest / bucket * hops(Op::kReduceScatter, N), kLargest * 2 * (N - 1) / N);
    }
    const double slower = link_.simulated() ? kSweepRound / seconds : 1;
    const LinkModel link = link_.simulated() ? scaled(link_, 1, slower) : link_;
    const auto recorders = context_.store.add_section(kSweep, of_link(link, slower), N);
    bool whole = true;
    run_world({.ranks = N, .link = link, .recorders = recorders}, [&](World& world) {
      auto& gradients = world.make<std::vector<uint16_t>>(kLargest);
      std::vector<int64_t> turns = buckets;
      bool goes_on = true;
      for (int64_t round = 0; round < rounds_ && goes_on; ++round) {
        goes_on = pass_step_boundary(world.group("dp"), context_.control);
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
    for (const int64_t bucket : buckets) elements += calls_of(bucket) * bucket * rounds_;
    const auto predict = [&](RankRows& rows) {
      rows.broadcast("control", 8 * rounds_);
      rows.add_even(rows.traffic("gradients", Op::kReduceScatter),
                    (base_.ranks - 1) * elements * size_of(Dtype::kBFloat16), 0, "padding");
    };
    append(rows_.ledger, ledger_of(context_.store.snapshot(), kSweep, predict));
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

  const Config& config_;
  const RunContext& context_;
  TrainerConfig base_;
  const Dataset dataset_;
  const LinkModel link_;
  const int64_t rounds_, total_;
  double slower_ = 1;
  int64_t done_ = 0;
  TraceRows rows_;
};

void run(const Config& config, const RunContext& context) { Run(config, context).run(); }

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
