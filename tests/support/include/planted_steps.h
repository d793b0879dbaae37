// Steps of a training in turns as its ranks would have recorded them, with times that a test knows.
#pragma once

#include <cstdint>
#include <vector>

#include "ringside/trace/trace.h"
#include "ringside/train/in_turns.h"

namespace ringside::testing {

struct PlantedStep {
  int64_t more_ms = 0;                 // that the update takes longer
  int64_t late_ms = 2;                 // when rank 1 comes to the sum of gradients
  bool gathers = false;                // in forward and in backward, as stage 3 does
  int64_t gather_ms = 0, sent = 2000;  // after the update, all of it waited for; bytes of a call
  int64_t cpu_ms = 0;                  // of rank 0's thread in a step; 0: not recorded
};

// A step of 100 ms. Gradients are summed from 20 ms on; the rank waits from 50 ms to the sum's end at 60.
inline void plant_step(const std::vector<Recorder*>& ranks, int64_t step, const PlantedStep& of) {
  constexpr int64_t kMs = 1'000'000;
  const int64_t start = 1000 * kMs * (step + 1), end = (100 + of.more_ms) * kMs + start;
  const auto call = [&](int64_t seq, const char* tag, Op op, int64_t from, int64_t to, int64_t late) {
    for (Recorder* rank : ranks)
      rank->collective({.tag = rank->name(tag),
                        .collective_seq_id = 10 * step + seq,
                        .bytes_sent = of.sent,
                        .time_created_ns = start + from * kMs,
                        .time_started_ns = start + (from + (rank->rank() == 1 ? late : 0)) * kMs,
                        .time_completed_ns = start + to * kMs,
                        .op = op,
                        .state = CollectiveState::kCompleted});
  };
  Recorder& pen = *ranks.front();
  const auto span = [&](const char* name, int64_t from, int64_t to) {
    pen.span(name, start + from * kMs, start + to * kMs, step);
  };
  span("forward", 0, 15);
  if (of.gathers) {
    call(0, "parameters", Op::kAllGather, 0, 12, 0);
    call(1, "parameters", Op::kAllGather, 16, 19, 0);
  }
  span("backward", 17, 60);
  call(2, "gradients", Op::kReduceScatter, 20, 60, of.late_ms);
  span("wait for gradients", 50, 60);
  if (of.gather_ms > 0) {
    call(3, "parameters", Op::kAllGather, 80, 80 + of.gather_ms, 0);
    span("wait for parameters", 80, 80 + of.gather_ms);
  }
  pen.span("update", start + 70 * kMs, end, step);
  pen.span("step", start, end + kMs, step);
  if (of.cpu_ms > 0) record_row(pen, CpuRow{step, static_cast<double>((step + 1) * of.cpu_ms * kMs)});
}

}  // namespace ringside::testing
