// Where the time of a step goes, read from the trace as rank 0 saw it:
//
//   step = compute + waits for other ranks + exposed parts of its collectives        s
//   on the wire = hidden + exposed                                                   s, of one collective
//
// A collective is on the wire from when the last rank has come to it until it has completed. Exposed is the
// part of that in which the rank stood in a wait; behind the rest it computed. What remains of the waits is
// time in which another rank had not come yet, or in which this one was being woken.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "ringside/comm/link_model.h"
#include "ringside/lesson/lesson.h"
#include "ringside/lesson/rows.h"

namespace ringside::step_time {

inline constexpr char kCalibration[] = "without a link", kSweep[] = "buckets";
// Attributes of a section: the link it ran on, s a hop and bytes/s. Without them: memory speed.
inline constexpr char kLatency[] = "link latency", kBandwidth[] = "link bandwidth", kSlower[] = "slower";
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
std::vector<double> step_seconds(const Trace& trace, int stage);

// ---- Buckets of one buffer, summed one after the other ------------------------------------

struct Pass {
  static constexpr char kTable[] = "passes";
  int64_t bucket = 0, calls = 0, bytes = 0;
  double seconds = 0;
};
void visit_fields(RowOf<Pass> auto& row, auto&& visit) {
  visit(Field{"bucket", "gradients of one reduce-scatter", "elements"}, row.bucket);
  visit(Field{"calls", "reduce-scatters of the whole buffer"}, row.calls);
  visit(Field{"bytes", "sent by rank 0", "bytes"}, row.bytes);
  visit(Field{"seconds", "until the last one is there", "s"}, row.seconds);
}

struct Sweep {  // one a bucket size, in rising order
  std::vector<int64_t> buckets;
  std::vector<std::vector<double>> seconds;  // (size, round)
  std::vector<Pass> medians;                 // (size)
};
Sweep sweep_of(const Trace& trace);
// The least bucket that is not told apart from the largest; none where the rounds are too few to tell.
std::optional<int64_t> large_enough(const Sweep& sweep);

// seconds = a calls + b bytes, by least squares of the relative errors: sum ((a c + b n) / t - 1)^2. The
// model is Hockney's (Parallel Computing 20, 1994, 389-398). None where the passes do not tell a from b.
struct Fit {
  double a = 0, b = 0;  // s a call, s a byte
  double at(const Pass& pass) const {
    return a * static_cast<double>(pass.calls) + b * static_cast<double>(pass.bytes);
  }
};
std::optional<Fit> fit(const std::vector<Pass>& passes);

// ---- What the lesson declares --------------------------------------------------------------

std::vector<PredictionSpec> predictions();
std::vector<ClaimSpec> claims();
std::vector<FigureSpec> figures();
std::vector<Readout> readouts(const FigureInput& input);

}  // namespace ringside::step_time
