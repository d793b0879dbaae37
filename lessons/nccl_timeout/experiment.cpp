// The case of the 467,019,003 elements: the symptom, the numbers, the source's fixes measured, the autopsy,
// and cases to be solved.
#include "lesson.h"
#include "ringside/figures/hang.h"
#include "ringside/lesson/tr.h"
#include "scenario.h"

namespace ringside::lessons::nccl_timeout {

Lesson make_lesson() {
  Lesson lesson;
  lesson.parameters = nccl_lesson::parameter_specs();
  lesson.predictions = nccl_lesson::predictions();
  lesson.claims = nccl_lesson::claims();
  lesson.figures = nccl_lesson::figures();
  lesson.readouts = hang_readouts;
  lesson.opening = [](const Config& config) -> std::vector<std::string> {
    return {
        tr("Eight GPUs train a classifier on Qwen2.5-VL-7B. Training runs, and the first evaluation runs."),
        tr("In the next training step nothing happens for ten minutes. Then one rank prints the line below."),
        tr("Here the same hang is made in small: {} ranks, a fault that is planned, a deadline of {} s.",
           config.integer("ranks"), config.text("deadline"))};
  };
  lesson.run = nccl_lesson::run;
  lesson.summary = nccl_lesson::summarize;
  lesson.step_timer = nccl_lesson::step_timer;
  lesson.failed_check = nccl_lesson::failed_check;
  return lesson;
}

}  // namespace ringside::lessons::nccl_timeout
