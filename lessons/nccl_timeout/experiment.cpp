// The case of the 467,019,003 elements: the symptom, the numbers, the source's fixes measured, the autopsy,
// and cases to be solved.
#include "embedded.h"
#include "lesson.h"
#include "ringside/figures/hang.h"

namespace ringside::nccl_lesson {

const TextBlocks& texts() {
  static const TextBlocks blocks(lessons::nccl_timeout::embedded("texts.inc"));
  return blocks;
}

}  // namespace ringside::nccl_lesson

namespace ringside::lessons::nccl_timeout {

Lesson make_lesson() {
  Lesson lesson = lesson_of(embedded("texts.inc"), {.parameters = nccl_lesson::parameter_specs(),
                                                    .run = nccl_lesson::run,
                                                    .questions = nccl_lesson::questions(),
                                                    .claims = nccl_lesson::claims(),
                                                    .figures = nccl_lesson::figures(),
                                                    .readouts = hang_readouts,
                                                    .summary = nccl_lesson::summarize,
                                                    .step_timer = nccl_lesson::step_timer,
                                                    .failed_check = nccl_lesson::failed_check});
  const auto hang = hang_figures("symptom", {{"what", "first_bucket"}, {"first_bucket"}});
  lesson.figures.insert(lesson.figures.begin() + 1, hang.begin(), hang.end());  // behind the line
  return lesson;
}

}  // namespace ringside::lessons::nccl_timeout
