// Where the time of a step goes, read from the trace as rank 0 saw it:
//
//   step = compute + waits for other ranks or a core + exposed parts of its collectives        s
//   on the wire = hidden + exposed                                                   s, of one collective
//
// A collective is on the wire from when the last rank has come to it until it has completed. Exposed is the
// part of that in which the rank stood in a wait. It computes as long as its thread has CPU time. The rest is
// time in which another rank had not come yet, or in which this one had no core.
#pragma once

#include "ringside/base/least_squares.h"
#include "ringside/comm/link_model.h"
#include "ringside/lesson/lesson_kit.h"
#include "ringside/train/trainer.h"

namespace ringside::lessons::step_time {

inline constexpr char kCalibration[] = "without a link, ", kSweep[] = "buckets";
// Attributes of a section: the link it ran on, s a hop and bytes/s. Without them: memory speed.
inline constexpr char kLatency[] = "link latency", kBandwidth[] = "link bandwidth", kSlower[] = "slower",
                      kCores[] = "cores";
inline constexpr int kStages = 4;
std::string section_of(int stage);

// What a collective of a step carries, and when it is needed.
enum class Kind : uint8_t { kForward, kBackward, kGradients, kNorm, kUpdated };
inline constexpr std::array<Kind, 5> kKinds = {Kind::kForward, Kind::kBackward, Kind::kGradients, Kind::kNorm,
                                               Kind::kUpdated};
std::string name_of(Kind kind);

struct Carried {  // of one kind, in one step
  int64_t calls = 0;
  double bytes = 0;                         // sent by this rank
  double model = 0, wire = 0, exposed = 0;  // s: by the link's figures, recorded, waited for
  double hidden() const { return wire - exposed; }
};
struct Piece {  // a stretch of the step, s from its beginning
  double from = 0, to = 0;
  std::string what;  // of the rank: "forward", "wait for gradients"; of the wire: the kind
};
struct StepAccount {
  double step = 0, compute = 0, others = 0;  // s
  std::array<Carried, kKinds.size()> kinds{};
  std::vector<Piece> rank, wire;
  const Carried& of(Kind kind) const { return kinds[size_t(kind)]; }
  Carried all() const;
};
// Of the steps in turns, in their order, without those that warmed up. None of a null section.
std::vector<StepAccount> accounts(const Trace& trace, const SectionView* section);
// The step whose time is the median. A real step, so that its parts add up.
std::optional<StepAccount> median_step(std::vector<StepAccount> steps);
std::optional<StepAccount> median_step(const Trace& trace, int stage);
inline StepAccount step_of(const Trace& trace, int stage) {
  return needed(median_step(trace, stage));
}  // NotRun
std::vector<double> step_seconds(const Trace& trace, int stage);
std::optional<RatioInterval> to_stage_0(const Trace& trace, int stage);  // of these; none where crowded
// Why times of stages cannot be compared: ranks share cores, and the link takes less time than they compute.
// "": they can.
std::string crowded(const Trace& trace);
void check_not_crowded(const Trace& trace);  // NotRun, which says why
inline bool is_told(const RatioInterval& ratio) { return side_of(ratio, 1) != Side::kAround; }

// ---- Buckets of one buffer, summed one after the other ------------------------------------

struct Pass {
  static constexpr Columns kTable{"passes", "bucket [elements]", "calls", "bytes [bytes]", "seconds [s]"};
  int64_t bucket = 0, calls = 0;  // gradients of one reduce-scatter; reduce-scatters of the whole buffer
  int64_t bytes = 0;              // sent by rank 0
  double seconds = 0;             // until the last one is there
};

struct Sweep {  // one a bucket size, in rising order
  std::vector<int64_t> buckets;
  std::vector<std::vector<double>> seconds;  // (size, round)
  std::vector<Pass> medians;                 // (size)
};
Sweep sweep_of(const Trace& trace);
// The least bucket that is not told apart from the largest; none where the rounds are too few to tell.
std::optional<int64_t> large_enough(const Sweep& sweep);

// seconds = a calls + b bytes: s a call, s a byte. The model is Hockney's (Parallel Computing 20, 1994,
// 389-398). None where the passes do not tell a from b.
std::optional<TwoCoefficients> fit(const std::vector<Pass>& passes);
double at(const TwoCoefficients& line, const Pass& pass);

// ---- What the lesson declares --------------------------------------------------------------

std::vector<QuestionOf> questions();
std::vector<ClaimOf> claims();
std::string sizes_in_words();  // of the model, that buckets are made of
std::vector<FigureOf> figures();
std::vector<Readout> readouts(const FigureInput& input);
Lesson make_lesson();

// ---- The scenario ---------------------------------------------------------------------------------------
// The lesson's parameters, the named case, and the link that stands for the case's among ranks of this
// machine.

inline constexpr int64_t kReferenceBatch = 16;  // sequences: what stands for the case's micro-batch

// The case: a model of 7 billion parameters on 8 cards, each with its own port of the link. A micro-batch of
// a card has 8,192 tokens; a card computes at 40 % of an H100's 989 TFLOP/s. All of this is calculated.
struct Case {
  double parameters = 7e9, tokens = 8192, flops_per_s = 0.4 * 989e12;
  int ranks = 8;
  double compute_s() const { return 6 * parameters * tokens / flops_per_s; }  // forward and backward
  // bf16: what a rank sends in a reduce-scatter or an all-gather of the model
  double half_bytes() const { return 2 * parameters * (ranks - 1) / ranks; }
};

std::vector<ParameterSpec> parameter_specs();
TrainerConfig trainer_config(const Config& config);
double compute_s(const Config& config);  // of a micro-batch of the case that the scenario's stands for
// The same link where all is so many times smaller and everything takes so many times as long.
LinkModel scaled(const LinkModel& link, double bytes, double time);
// s of the case's step in that stage, where all that can be hidden is. A micro-batch computes c, a third of
// it in forward: the windows that hide. C is a reduce-scatter or all-gather of the whole model.
//   stage 0   g c + max(2C - 2c/3, 0)                       stage 1   g c + max(C - 2c/3, 0) + C
//   stage 2   g c + g max(C - 2c/3, 0) + C                  stage 3   g (c + max(C - c/3, 0) + max(2C - 2c/3,
//   0))
double step_at_best(const Config& config, int stage);
double step_at_best(const Config& config, const LinkModel& link, int stage);

}  // namespace ringside::lessons::step_time
