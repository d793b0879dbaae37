// What the run records. Each training is a section: every stage, "stage 3, off" and "stage 3, on"; a sweep
// over layers on one rank, "8 layers, off" and "on", whose peaks are points of "over layers"; and two whose
// steps take turns, with Timings and the points of "on / off" in "times".
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::recompute {

inline constexpr char kOff[] = "off", kOn[] = "on", kTimes[] = "times", kLonger[] = "on / off";
inline constexpr char kSweep[] = "over layers", kInput[] = "input of a layer";
inline std::string stage_section(int64_t stage, const std::string& way) {
  return tr("stage {}, {}", stage, way);
}

// A training of a stage: what rank 0 did for one layer in one step, and what was held.
struct PassesRow {
  static constexpr Columns kTable{"passes",       "stage",       "again?",  "forward",
                                  "again",        "backward",    "gathers", "sent [bytes]",
                                  "kept [bytes]", "all [bytes]", "bits",    "same bits"};
  int64_t stage = 0;
  std::string way;  // kOff or kOn
  double forward = 0, again = 0, backward = 0;
  double gathers = 0;                 // of the layer's parameters; 0 below stage 3
  double sent = 0;                    // gradients and parameters
  double activations = 0, total = 0;  // peaks
  std::string bits;                   // hash of the parameters at the end
  bool same_bits = false;             // as without checkpointing
};

void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::recompute
