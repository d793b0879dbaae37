// What the files of this lesson share.
#pragma once

#include <string>
#include <vector>

#include "ringside/lesson/lesson.h"

namespace ringside::lessons::example {

inline const std::string kSection = "all-reduce";

double buffer_bytes(const Config& config);
double sent_by_formula(const Config& config);  // bytes a rank and all-reduce
std::optional<double> sent_as_counted(const Trace& trace);

std::vector<PredictionSpec> questions();
std::vector<FigureSpec> figures();
std::vector<Readout> readouts(const FigureInput& input);

}  // namespace ringside::lessons::example
