// Trainings of the four stages in turns, whose steps engine/train accounts for (train/step_account.h), and
// the named case that they stand for.
#pragma once

#include "ringside/comm/link_record.h"
#include "ringside/lesson/lesson_kit.h"
#include "ringside/planner/step_at_best.h"
#include "ringside/train/in_turns.h"
#include "ringside/train/step_account.h"

namespace ringside::lessons::step_time {

inline constexpr char kSlower[] =
    "slower";  // attribute of a section: so many times its link is slower than the case's
inline constexpr int kStages = 4;
inline std::string section_of(int stage) { return "stage " + std::to_string(stage); }

inline std::optional<StepAccount> median_step(const Trace& trace, int stage) {
  return training::median_step(step_accounts(trace, trace.find(section_of(stage))));
}
inline std::vector<double> step_seconds(const Trace& trace, int stage) {
  return values_of(step_accounts(trace, trace.find(section_of(stage))), &StepAccount::step);
}
inline constexpr double kMostOthers = 0.2;  // of a step: more waits for ranks or a core draw ratios to 1
// Why times of stages cannot be compared; "": they can.
std::string crowded(const Trace& trace);

// The calls of one kind in the median step of a stage, or all of them.
struct CarriedRow {
  static constexpr Columns kTable{
      "carried",          "stage",       "carries",      "calls", "sent [bytes]", "by the link [ms]",
      "on the wire [ms]", "hidden [ms]", "exposed [ms]", "share", "all",          "crowded"};
  int64_t stage = 0;
  std::string carries;
  int64_t calls = 0;
  double sent = 0, model = 0, wire = 0, hidden = 0, exposed = 0, share = 0;  // share: exposed of the wire
  bool all = false;
  int64_t crowded = 0;  // 1: the times of stages cannot be compared
};
void record_carried(TraceStore& store);  // when the trainings have ended

inline constexpr int64_t kReferenceBatch = 16;  // sequences: what stands for the case's micro-batch

// The case. A card computes at 40 % of an H100's 989 TFLOP/s. All of this is calculated.
inline constexpr Cards kCase{.parameters = 7e9, .tokens = 8192, .flops_per_s = 0.4 * 989e12, .ranks = 8};
// s of the case's step in that stage, where all that can be hidden is (planner/step_at_best.h).
double step_at_best(const Config& config, int stage);
double step_at_best(const Config& config, const LinkModel& link, int stage);

std::vector<ParameterSpec> parameter_specs();
void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::step_time
