// The table that `ringside plan` prints: every ZeRO stage side by side for one
// model size, from formulas alone. Whoever prints it chooses text or JSON.
#pragma once

#include <string>
#include <vector>

#include "ringside/planner/zero_plan.h"

namespace ringside {

struct PlanStage {
  int stage = 0;
  StateBytes state;                // of one rank
  TrafficElements traffic;         // elements one rank sends in a step
  double sent_bytes = 0;           // the same in bytes, in the precision of the run
  std::string state_formula;       // bytes, "4Ψ + 12Ψ/N"; frozen parameters Ψ₀ add "2Ψ₀"
  std::string traffic_formula;     // elements, "2fΨ" with f = (N-1)/N
  double parameters_per_card = 0;  // how many fit in one card's memory, state only
};

inline constexpr double kCardBytes = 80e9;

// Stages 0 to 3; setup.stage is not read. parameters_per_card keeps the
// setup's share of frozen parameters. UsageError for values out of range.
std::vector<PlanStage> plan_stages(ZeroSetup setup, double card_bytes = kCardBytes);

}  // namespace ringside
