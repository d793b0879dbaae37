// Trainings of the four stages in turns, whose steps engine/train accounts for (train/step_account.h).
#pragma once

#include "ringside/comm/link_record.h"
#include "ringside/lesson/lesson_kit.h"
#include "ringside/train/step_account.h"
#include "ringside/train/trainer.h"

namespace ringside::lessons::step_time {

inline constexpr char kCalibration[] = "without a link, ";
inline constexpr char kSlower[] = "slower", kCores[] = "cores";  // attributes of a section
inline constexpr int kStages = 4;
std::string section_of(int stage);

std::optional<StepAccount> median_step(const Trace& trace, int stage);
inline StepAccount step_of(const Trace& trace, int stage) {
  return needed(median_step(trace, stage));
}  // NotRun
std::vector<double> step_seconds(const Trace& trace, int stage);
std::optional<RatioInterval> to_stage_0(const Trace& trace, int stage);  // of these; none where crowded
// Why times of stages cannot be compared: ranks share cores, and the link takes less time than they compute.
// "": they can.
std::string crowded(const Trace& trace);
void check_not_crowded(const Trace& trace);  // NotRun, which says why
inline bool is_told(const RatioInterval& ratio) { return side_of(ratio, 1) != Side::kAround; }

// ---- What the lesson declares --------------------------------------------------------------

std::vector<QuestionOf> questions();
std::vector<ClaimOf> claims();
std::vector<FigureOf> figures();
std::vector<Readout> readouts(const FigureInput& input);
Lesson make_lesson();

// ---- The scenario ---------------------------------------------------------------------------------------
// The lesson's parameters, the named case, and the link that stands for the case's among ranks of this
// machine.

inline constexpr int64_t kReferenceBatch = 16;  // sequences: what stands for the case's micro-batch

// The case: a model of 7 billion parameters on 8 cards, each with its own port of the link. A micro-batch of
// a card has 8,192 tokens; a card computes at 40 % of an H100's 989 TFLOP/s. All of this is calculated.
struct Case {
  double parameters = 7e9, tokens = 8192, flops_per_s = 0.4 * 989e12;
  int ranks = 8;
  double compute_s() const { return 6 * parameters * tokens / flops_per_s; }  // forward and backward
  // bf16: what a rank sends in a reduce-scatter or an all-gather of the model
  double half_bytes() const { return 2 * parameters * (ranks - 1) / ranks; }
};

std::vector<ParameterSpec> parameter_specs();
TrainerConfig trainer_config(const Config& config);
double compute_s(const Config& config);  // of a micro-batch of the case that the scenario's stands for
// s of the case's step in that stage, where all that can be hidden is (planner/step_at_best.h).
double step_at_best(const Config& config, int stage);
double step_at_best(const Config& config, const LinkModel& link, int stage);

}  // namespace ringside::lessons::step_time
