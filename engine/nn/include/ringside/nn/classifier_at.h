// The classifier of one rank's site, or of the process that emulates all of them: for Tasks.
#pragma once

#include <memory>

#include "ringside/nn/task.h"
#include "ringside/planner/classifier_layers.h"

namespace ringside::inline nn {

// sequence: as the run's distribution says. UsageError as Classifier's constructor has them.
std::unique_ptr<Model> classifier_at(const ModelSite& site, const ClassifierConfig& config,
                                     int64_t max_tokens, bool sequence);

}  // namespace ringside::inline nn
