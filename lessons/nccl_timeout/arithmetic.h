// Acts 2 and 4: what the number in the log can be. Shapes and arithmetic, no training.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "names.h"
#include "ringside/lesson/config.h"
#include "ringside/planner/explain.h"
#include "ringside/planner/reducer.h"
#include "ringside/trace/trace.h"

namespace ringside::nccl_lesson {

// What the source's first document says, as it says it: compared with, never computed with.
struct SourceArithmetic {
  int64_t batch = 8, length = 2048, hidden = 3584, gpus = 8;
  int64_t product = 58'851'328;     // "8 x 2048 x 3584"
  int64_t over_gpus = 470'810'624;  // "x 8"
  double megabytes = 235;           // "x 4 bytes", a GPU
  double gigabytes = 1.88;          // over 8 GPUs
  double deadline_s = kSourceDeadlineS;
};

// The model, head and bucket of the scenario. InputError for a model that cannot be read.
BucketPlan planned_buckets(const Config& config);
Explanation explained(const Config& config);

// "467,019,003 = head 899,835 + final norm 3,584 + layer 27 233,057,792 + layer 26 233,057,792"
std::string as_sum(const BucketPlan& plan, const ReducedBucket& bucket);

struct WireTime {
  std::string link;
  double bytes_per_s = 0, ms = 0;
};
// A bf16 all-reduce of so many elements over so many ranks, on each simulated link.
std::vector<WireTime> wire_times(int64_t elements, int ranks);

// Adds the section "plan 7B" or "plan here", which holds attributes and no event.
void add_plan_section(TraceStore& store, const std::string& section, const std::string& model,
                      const BucketPlan& plan);
// The figures of both acts, for claims and the summary: outcome "arithmetic_..." and "explain_...".
void add_arithmetic(const Config& config, TraceRows& rows);

}  // namespace ringside::nccl_lesson
