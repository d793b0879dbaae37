// What ZeRO keeps on a rank and what it sends, from the configuration alone.
// Ranks, stage or accumulation out of range: UsageError naming what is allowed. Rajbhandari et al., "ZeRO:
// Memory Optimizations Toward Training Trillion Parameter Models", arXiv:1910.02054.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ringside/optim/optimizer.h"
#include "ringside/planner/buckets.h"
#include "ringside/planner/distribution.h"
#include "ringside/planner/run_mesh.h"
#include "ringside/trace/events.h"

namespace ringside::inline planner {

// Bytes per parameter. The optimizer's are those of the state that it declares of each element; bf16 adds an
// fp32 master copy. State by rows and columns depends on the shapes, and is counted apart.
struct StateWidths {
  int64_t parameter, gradient, optimizer;
};
StateWidths state_widths(Precision precision,
                         const OptimizerConfig& optimizer);  // AdamW: 4 4 8, in bf16 2 2 12

// Whether it keeps state by rows and columns.
bool needs_shapes(const OptimizerConfig& optimizer);

class RankRows;  // planner/run_rows.h

struct ZeroSetup : Distribution {
  double parameters = 0;  // Ψ, trainable (a double: 7.5e9 and 1.8e12 are wanted)
  double frozen = 0;      // parameters without gradient and optimizer state
  int ranks = 1;          // N
  OptimizerConfig optimizer;
  // Where they are known; an optimizer with state by rows and columns needs them.
  std::vector<ParameterShape> shapes{};
};

// Of one rank, without padding. With no_sync: between micro-batches, when whole gradients lie beside the
// shards.
struct StateBytes {
  double parameters = 0, gradients = 0, optimizer = 0;
  double total() const { return parameters + gradients + optimizer; }
};
// UsageError where the optimizer needs shapes that are not there.
StateBytes zero_state(const ZeroSetup& setup);

// Elements one rank sends in one step, without padding: gradients and parameters, inside its group of ranks
// where there are replicas; gradients between the groups.
struct TrafficElements {
  double gradients = 0, parameters = 0, between = 0;
  double total() const { return gradients + parameters + between; }
};
TrafficElements zero_traffic(const ZeroSetup& setup);

// The table that `ringside plan` prints: every stage side by side for one model size, from formulas alone.
struct PlanStage {
  int stage = 0;
  StateBytes state;         // of one rank
  TrafficElements traffic;  // elements one rank sends in a step
  double sent_bytes = 0;    // the same in bytes, in the precision of the run
  // Bytes, "4Ψ + 12Ψ/N"; frozen parameters Ψ₀ add "2Ψ₀", Z bytes of state by rows, columns and vectors "Z"
  // or, of all ranks of a copy together, "Z/N".
  std::string state_formula;
  std::string traffic_formula;     // elements, "2fΨ" with f = (N-1)/N, with replicas (N-M)/N
  double parameters_per_card = 0;  // how many fit in one card's memory, state only
};
inline constexpr double kCardBytes = 80e9;

// Stages 0 to 3; setup.stage is not read. parameters_per_card keeps the setup's share of frozen parameters.
std::vector<PlanStage> plan_stages(ZeroSetup setup);

// Of the calls by which ranks save and resume together; bytes that each says of what it would go on from.
inline constexpr char kCheckpointTag[] = "checkpoint";
inline constexpr int64_t kCheckpointBytes = 16;

// A whole training run, for the predicted side of the ledger.
struct ZeroRunSetup : Distribution {
  std::vector<ParameterShape> shapes;  // whole, with their cuts
  int64_t buffers = 0;                 // elements of the model's buffers, which are fp32
  std::vector<int64_t> statistics;     // widths of the norms that add up their statistics over the ranks
  int ranks = 1;
  OptimizerConfig optimizer;
  int64_t steps = 0;               // steps that were completed
  int64_t control_decisions = 0;   // step boundaries at which ranks agreed to go on
  int64_t evaluation_batches = 0;  // forward passes of evaluations, a rank
  int64_t evaluations = 0;
  bool saves = false;    // checkpoints: ranks meet before and behind the moment at which one is published
  bool resumes = false;  // they agree on the checkpoint to go on from, or that there is none
  bool resumed = false;  // there was one: no initial values travel
  int64_t exports = 0;   // times the whole parameters were collected
  std::function<void(RankRows&)> predict_evaluation;  // of another kind than the trainer's; adds its rows
  // Of another strategy than the stage's: what a rank with these shapes sends of gradients and parameters.
  std::function<void(const std::vector<ParameterShape>&, RankRows&)> predict_strategy;
  // What a rank sends to the other places of its copy of the model; none where no parameter is cut.
  std::function<void(int rank, const Mesh&, RankRows&)> predict_model;
};

// Predicted ledger rows for every rank: memory and traffic, with reasons
// ("padding", "uneven chunks"), each from a formula of its own. The section is left
// empty: reconcile() takes it from the counted side. notes/measurement.md lists the rows.
std::vector<LedgerRow> predict_zero_run(const ZeroRunSetup& setup);

}  // namespace ringside::inline planner
