// s of a step of ZeRO where all that can be hidden is. Of a micro-batch, c is its computation, a third of it
// in forward: the windows that hide. C is a reduce-scatter or an all-gather of the whole model. g
// micro-batches:
//
//   stage 0   g c + max(2C - 2c/3, 0)
//   stage 1   g c + max(C - 2c/3, 0) + C
//   stage 2   g c + g max(C - 2c/3, 0) + C
//   stage 3   g (c + max(C - c/3, 0) + max(2C - 2c/3, 0))
//
// Stages 1 and 2 gather behind the update, where nothing hides it, as engine/zero does; mesh_plan.h's time of
// a mesh is that of a training that gathers behind the next forward. Without overlap backward hides no sum of
// gradients, without prefetch a layer waits for all of its gathers.
#pragma once

#include <cstdint>

namespace ringside::inline planner {

// Cards that train a model, each with a port of the link of its own.
struct Cards {
  double parameters = 0, tokens = 0, flops_per_s = 0;  // of the model; of a card's micro-batch; of a card
  int ranks = 1;
  double compute_s() const { return 6 * parameters * tokens / flops_per_s; }  // forward and backward
  // bf16: what a rank sends in a reduce-scatter or an all-gather of the model
  double half_bytes() const { return 2 * parameters * (ranks - 1) / ranks; }
};

struct StepAtBest {
  double compute = 0, collective = 0;  // s: c and C
  int64_t micro_batches = 1;
  bool overlap = true, prefetch = true;
};
double seconds_of_step(const StepAtBest& step, int stage);

}  // namespace ringside::inline planner
