// What the run records of a training that is cut, and goes on with one thing left out.
#pragma once

#include "ringside/lesson/lesson_kit.h"
#include "ringside/train/trainer.h"

namespace ringside::lessons::resume {

inline constexpr char kWhole[] = "not cut", kAllThere[] = "all there", kWeightsAlone[] = "weights alone",
                      kTutorial[] = "as the tutorial", kCompared[] = "compared", kNothing[] = "nothing";
// Curves, over steps.
inline constexpr char kLoss[] = "loss", kHeldOut[] = "held-out loss", kDrawn[] = "loss, mean of 5 steps";

inline constexpr LeftOut kParts[] = {LeftOut::kSampler,   LeftOut::kRandomState, LeftOut::kMoments,
                                     LeftOut::kStepCount, LeftOut::kSchedule,    LeftOut::kMasters,
                                     LeftOut::kStatistics};
// What is neither the model's nor the optimizer's.
inline constexpr LeftOut kOfLoop[] = {LeftOut::kSampler, LeftOut::kRandomState, LeftOut::kSchedule};
inline std::string name_of(LeftOut part) { return std::string(to_string(part)); }
inline std::string without(LeftOut part) { return "without " + name_of(part); }

inline constexpr double kWindow = 10;  // steps, over which a loss is meant
// A curve of one weight's updates; those of a part have its name.
inline constexpr char kBothLost[] = "both of them";
inline constexpr int64_t kUpdates = 20, kBefore = 10'000;

// A run that was cut, against the one that was not: differences of mean losses, over the first steps behind
// the cut and over the last ones, of the training's and the held-out loss. That of kSeeds is the noise: the
// standard deviation of these means over whole trainings with other seeds.
inline constexpr char kSeeds[] = "other seeds";
struct CutRow {
  static constexpr Columns kTable{
      "cuts",      "left out",     "at once",         "at the end", "held-out", "held-out last",
      "same loss", "same weights", "same statistics", "ranks",      "cut"};
  std::string left_out;
  double at_once = 0, at_end = 0, held_out = 0, held_out_end = 0;
  bool same_loss = false, same_weights = false, same_statistics = false;
  int64_t ranks = 0, cut = 0;  // of both; the step behind which it was
};
using Mean = double CutRow::*;
inline constexpr Mean kMeans[] = {&CutRow::at_once, &CutRow::at_end, &CutRow::held_out,
                                  &CutRow::held_out_end};

inline constexpr double kTold = 3;  // deviations of the seeds: a difference above is told
// The same in words: a difference, or that it is not told; in the last row from which one on it is.
struct SeenCutRow {
  static constexpr Columns kTable{"seen of the cuts", "left out",   "next steps", "last steps",
                                  "held-out",         "at its end", "weights"};
  std::string left_out, at_once, at_end, held_out, held_out_end, weights;
};
// How many parts, each left out alone, the noise does not hide in a mean; and how many change the weights.
struct ToldRow {
  static constexpr Columns kTable{"told", "parts", "at once", "at the end", "held-out", "other weights"};
  int64_t parts = 0, at_once = 0, at_end = 0, held_out = 0, other_weights = 0;
};
// Of the CutRows; nothing where the noise is not among them.
void record_told(Recorder& pen, const std::vector<CutRow>& cuts);

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
