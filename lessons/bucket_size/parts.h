// One buffer of gradients, summed in buckets of every size on one link; and a step of stage 1, whose
// gradients lie in buckets of whole parameters.
#pragma once

#include "ringside/base/least_squares.h"
#include "ringside/comm/link_record.h"
#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::bucket_size {

inline constexpr char kStep[] = "stage 1", kSweep[] = "buckets";  // sections
inline constexpr char kStretched[] = "slower";                    // attribute of kSweep
inline constexpr int64_t kLargest = 1 << 20, kLeast = 1 << 10;    // gradients of a bucket in the sweep

struct Pass {
  static constexpr Columns kTable{"passes", "bucket [elements]", "calls", "bytes [bytes]", "seconds [s]"};
  int64_t bucket = 0, calls = 0;  // gradients of one reduce-scatter; reduce-scatters of the whole buffer
  int64_t bytes = 0;              // sent by rank 0
  double seconds = 0;             // until the last one is there
};
struct BucketRow {  // a reduce-scatter of the step, on rank 0
  static constexpr Columns kTable{"reductions", "bucket", "gradients", "sent [bytes]"};
  std::string bucket;
  int64_t gradients = 0;  // with those that pad it to a multiple of the ranks
  double sent = 0;
};

struct Sweep {                               // of each bucket size, in rising order
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

void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::bucket_size
