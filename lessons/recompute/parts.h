// What the run records, and what front ends make of it. Sections: "stage S, off" and "stage S, on" for each
// stage, "L layers, off" and "on" for the sweep over layers, on one rank, and two trainings whose steps take
// turns, with their times as Timings in "times".
#pragma once

#include "ringside/base/ratio.h"
#include "ringside/lesson/lesson.h"
#include "ringside/lesson/timings.h"

namespace ringside::recompute_lesson {

inline constexpr char kOff[] = "off", kOn[] = "on", kTimes[] = "times";
inline constexpr char kHash[] = "parameters sha256", kSweepLayers[] = "layers of the sweep";  // attributes
std::string stage_section(int64_t stage, bool on);
std::string sweep_section(int64_t layers, bool on);
std::string timed_section(bool on);
std::vector<int64_t> sweep_layers(int64_t layers);  // 1 to layers, at most four of them

// Of one section: what rank 0 did for one layer in one step, and what it held.
struct Passes {
  double forward = 0, again = 0, backward = 0;
  double gathers = 0;                 // of the layer's parameters; 0 below stage 3
  double sent = 0;                    // bytes a step, gradients and parameters
  double activations = 0, total = 0;  // bytes, the peaks
  std::string hash;                   // of the parameters at the end
};
std::optional<Passes> passes_of(const Trace& trace, const std::string& section);

// The peak of activations over L layers. Without checkpointing every layer keeps k bytes and the rest of the
// model c, so it is L k + c. x: bytes of a layer's input.
struct Peaks {
  std::vector<int64_t> layers;
  std::vector<double> off, on;            // bytes
  double input = 0, layer = 0, rest = 0;  // x, k, c
};
std::optional<Peaks> peaks_of(const Trace& trace);

std::optional<RatioInterval> time_ratio(const Trace& trace);  // on to off, CPU time of the ranks' threads

void run(const Config& config, const RunContext& context);
std::vector<FigureSpec> figures();
std::vector<Readout> readouts(const FigureInput& input);

}  // namespace ringside::recompute_lesson
