// Where the time of a step goes, read from the trace as rank 0 saw it:
//
//   step = compute + waits for other ranks or a core + exposed parts of its collectives        s
//   on the wire = hidden + exposed                                                   s, of one collective
//
// A collective is on the wire from when the last rank has come to it until it has completed. Exposed is the
// part of that in which the rank stood in a wait. It computes as long as its thread has CPU time. The rest is
// time in which another rank had not come yet, or in which this one had no core.
#pragma once

#include <array>

#include "ringside/base/least_squares.h"
#include "ringside/base/ratio.h"
#include "ringside/comm/link_model.h"
#include "ringside/lesson/lesson_of.h"
#include "ringside/lesson/rows.h"

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
  const Carried& of(Kind kind) const { return kinds[static_cast<size_t>(kind)]; }
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

}  // namespace ringside::lessons::step_time
