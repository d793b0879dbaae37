// What the files of this lesson share.
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::example {

inline const std::string kSection = "all-reduce";

double buffer_bytes(const Config& config);

std::vector<FigureOf> figures();
std::vector<Readout> readouts(const FigureInput& input);

}  // namespace ringside::lessons::example
