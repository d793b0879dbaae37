// The lesson's parameters, and what a scenario means to the trainer.
#pragma once

#include <vector>

#include "ringside/data/dataset.h"
#include "ringside/lesson/config.h"
#include "ringside/planner/zero_plan.h"
#include "ringside/train/trainer.h"

namespace ringside::zero_lesson {

std::vector<ParameterSpec> parameters();  // links, optimizers, Distribution's fields; texts.inc has the others

OptimizerConfig optimizer_of(const Config& config);
Dataset load_data(const Config& config);
TrainerConfig trainer_config(const Config& config, const Dataset& dataset);  // of stage 0; set the stage
// UsageError where trainings of these stages, which exist at once, need more memory than the machine has.
void require_memory(const Config& config, const TrainerConfig& trainer, const std::vector<int>& stages);
int timed_stage(const Config& config);             // whose steps are compared: the scenario's, 0 of all
bool runs_fully(const Config& config, int stage);  // false: only compared, for a few steps

// The same scenario for the planner's formulas; needs no data. With a mesh Ψ is what a rank has of the
// model, and N the ranks over which samples are spread. Ψ does not depend on the
// number of classes: the vocabulary has 303 - C rows.
Mesh mesh_of(const Config& config);
ZeroSetup planner_setup(const Config& config, int stage);

}  // namespace ringside::zero_lesson
