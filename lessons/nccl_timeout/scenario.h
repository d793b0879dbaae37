// What can be set of the lesson, and the trainings it is made of.
#pragma once

#include "ringside/lesson/config.h"
#include "training.h"

namespace ringside::nccl_lesson {

std::vector<ParameterSpec> parameter_specs();

// Whether that act ("1" .. "5") belongs to the scenario. A fault plan of one's own replaces all acts.
bool runs_act(const Config& config, const std::string& act);

ClassifierConfig lesson_model();
Dataset load_data(const Config& config);
// Data parallelism over two groups, no agreement between steps, evaluation after step kEvaluatedStep, and
// buckets of which the first holds head, final norm and the last two layers, as in the log's case.
Training base_training(const Config& config);
// A file as it is named, or the one of that name in a folder of assets/: ("models", "qwen2_5_vl_7b").
std::string asset(const std::string& folder, const std::string& name);
inline constexpr int64_t kSteps = 5;
inline constexpr int64_t kEvaluatedStep =
    2;  // the step before the evaluation; the next is the one that hangs

}  // namespace ringside::nccl_lesson
