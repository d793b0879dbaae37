// An evaluation that counts which class was answered for which label: one all-reduce of 2 + C^2 numbers in
// fp64, the loss, the samples and the matrix. Its Score has macro_f1.
#pragma once

#include <functional>
#include <memory>

#include "ringside/data/class_metrics.h"

namespace ringside::inline nn {

class Evaluation;  // nn/evaluation.h

// What an evaluation found, on the thread of rank 0, or of the process's own rank; loss: mean over samples.
using SeeConfusion = std::function<void(int64_t step, const Confusion& counts, double loss)>;
// see: may be none.
std::shared_ptr<const Evaluation> confusion_evaluation(int64_t classes, SeeConfusion see);

}  // namespace ringside::inline nn
