// Acts 2 and 4: what the numbers in the source's logs can be. Shapes and arithmetic, no training.
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
  double deadline_s = kSourceDeadlineS;
};

// The three logs of the same program: qwen_classify, documents V1 (1881fe0), V2 (d8ea485) and an earlier one
// (176ecad). DeepSpeed's group has numbers of its own, from 1.
struct LoggedCall {
  const char* name;
  int64_t sequence, elements;
};
inline constexpr LoggedCall kLogs[] = {{"before V1", 56'731, 467'019'003},
                                       {"after V1", 2'131, 467'019'003},
                                       {"another data set", 87'131, 466'735'788}};
// Of another user with another head (LlamaFactory #7396).
inline constexpr int64_t kOtherHead = 466'119'168;

// The model, head and bucket of the scenario. InputError for a model that cannot be read.
BucketPlan planned_buckets(const Config& config);
Explanation explained(const Config& config, int64_t number);

// "467,019,003 = head 899,835 + final norm 3,584 + layer 27 233,057,792 + layer 26 233,057,792"
std::string as_sum(const ReducedBucket& bucket);

struct WireTime {
  std::string link;
  double ms = 0;
};
// A bf16 all-reduce of so many elements over so many ranks, on each simulated link.
std::vector<WireTime> wire_times(int64_t elements, int ranks);

// Adds the section "plan 7B" or "plan here": attributes and tables, and nothing that happens.
Recorder& add_plan_section(TraceStore& store, const std::string& section, const std::string& model,
                           int64_t hidden, const BucketPlan& plan);
// The figures of both acts: outcome "arithmetic_..." and "explain_...", and the table of the three logs.
void add_arithmetic(const Config& config, const BucketPlan& plan, Recorder& recorder, TraceRows& rows);

}  // namespace ringside::nccl_lesson
