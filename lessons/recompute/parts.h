// What the run records, and what front ends make of it. Sections: "stage S, off" and "stage S, on" for each
// stage, "L layers, off" and "on" for the sweep over layers, on one rank, and two trainings whose steps take
// turns, with their times as Timings in "times".
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::recompute {

inline constexpr char kOff[] = "off", kOn[] = "on", kTimes[] = "times";
inline constexpr char kHash[] = "parameters sha256", kSweepLayers[] = "layers of the sweep";  // attributes
std::string stage_section(int64_t stage, bool on);
std::string sweep_section(int64_t layers, bool on);

// Of one section: what rank 0 did for one layer in one step, and what it held.
struct Passes {
  double forward = 0, again = 0, backward = 0;
  double gathers = 0;                 // of the layer's parameters; 0 below stage 3
  double sent = 0;                    // bytes a step, gradients and parameters
  double activations = 0, total = 0;  // bytes, the peaks
  std::string hash;                   // of the parameters at the end
};
// Both or none.
struct Pair {
  Passes off, on;
};
std::optional<Pair> pair_of(const Trace& trace, int64_t stage);

// The peak of activations over L layers. Without checkpointing every layer keeps k bytes and the rest of the
// model c, so it is L k + c. x: bytes of a layer's input.
struct Peaks {
  std::vector<int64_t> layers;
  std::vector<double> off, on;                         // bytes
  double input = 0, layer = 0, rest = 0;               // x, k, c
  double counted() const { return on.back() - rest; }  // of the largest model
  double formula() const { return double(layers.back()) * input + layer; }
};
Peaks peaks_of(const Trace& trace);  // NotRun

void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::recompute
