// What the run records of a training that is cut, and goes on with one thing left out.
#pragma once

#include "ringside/lesson/lesson_kit.h"
#include "ringside/train/trainer.h"

namespace ringside::lessons::resume {

inline constexpr char kWhole[] = "not cut", kAllThere[] = "all there", kWeightsAlone[] = "weights alone",
                      kTutorial[] = "as the tutorial", kCompared[] = "compared", kNothing[] = "nothing";
inline constexpr char kLoss[] = "loss", kHeldOut[] = "held-out loss";  // curves, over steps

struct Part {
  const char* name;
  LeftOut what;
};
inline constexpr char kSampler[] = "sampler", kRandom[] = "random state", kMoments[] = "moments",
                      kCount[] = "step count", kSchedule[] = "schedule", kMasters[] = "fp32 masters",
                      kStatistics[] = "statistics";
inline constexpr Part kParts[] = {{kSampler, LeftOut::kSampler},      {kRandom, LeftOut::kRandomState},
                                  {kMoments, LeftOut::kMoments},      {kCount, LeftOut::kStepCount},
                                  {kSchedule, LeftOut::kSchedule},    {kMasters, LeftOut::kMasters},
                                  {kStatistics, LeftOut::kStatistics}};
// What is neither the model's nor the optimizer's.
inline constexpr LeftOut kOfLoop[] = {LeftOut::kSampler, LeftOut::kRandomState, LeftOut::kSchedule};
inline std::string without(const std::string& part) { return "without " + part; }

inline constexpr double kWindow = 10;  // steps, over which a loss is meant
// Curves of one weight's updates.
inline constexpr char kBothLost[] = "both of them";
inline constexpr int64_t kUpdates = 20, kBefore = 10'000;

// A run that was cut, against the one that was not: differences of mean losses, over the first steps behind
// the cut and over the last ones, of the training's and the held-out loss. That of kSeeds is the noise: the
// standard deviation of these means over whole trainings with other seeds.
inline constexpr char kSeeds[] = "other seeds";
struct CutRow {
  static constexpr Columns kTable{"cuts",       "left out",     "at once",
                                  "at the end", "held-out",     "held-out, the end",
                                  "same loss",  "same weights", "same statistics"};
  std::string left_out;
  double at_once = 0, at_end = 0, held_out = 0, held_out_end = 0;
  bool same_loss = false, same_weights = false, same_statistics = false;
};
using Mean = double CutRow::*;
inline constexpr Mean kMeans[] = {&CutRow::at_once, &CutRow::at_end, &CutRow::held_out,
                                  &CutRow::held_out_end};

// How often the samples of the epoch in which the cut is are seen in it.
struct SeenRow {
  static constexpr Columns kTable{"seen", "sampler", "never", "once", "twice"};
  std::string sampler;
  int64_t never = 0, once = 0, twice = 0;
};

// A kind of state in the checkpoint at the cut, over all ranks.
struct KindRow {
  static constexpr Columns kTable{"in the checkpoint", "kind", "bytes [bytes]", "a parameter [bytes]"};
  std::string kind;
  int64_t bytes = 0;
  double each = 0;  // of the model's parameters
};

void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::resume
