// The ZeRO lesson: four stages side by side on one scenario, and what they are tried for.
#include "embedded.h"
#include "lesson.h"
#include "scenario.h"

namespace ringside::lessons::zero {
namespace {

const std::map<std::string, std::vector<std::string>> kMatters = {
    {"traffic", {"probe *"}},
    {"adam", {"stage 0::update", "stage 1::update"}},
    {"loss", {"::evaluate"}},
    {"bits", {"proof"}},
    {"orders", {"order of sums"}}};

}  // namespace

Lesson make_lesson() {
  Lesson lesson = lesson_of(embedded("texts.inc"), {.run = zero_lesson::run,
                                                    .claims = zero_lesson::claims(),
                                                    .gauges = zero_lesson::gauges(),
                                                    .readouts = zero_lesson::readouts});
  zero_lesson::complete(lesson.parameters);
  lesson.predictions = zero_lesson::predictions();
  lesson.opening = zero_lesson::opening;
  lesson.figures = zero_lesson::figures();
  for (FigureSpec& one : zero_lesson::bit_figures()) lesson.figures.push_back(std::move(one));
  for (FigureSpec& one : zero_lesson::mesh_figures()) lesson.figures.push_back(std::move(one));
  for (FigureSpec& one : lesson.figures) {
    if (one.group.empty()) one.group = "memory and traffic";
    if (one.id == "traffic" || one.id == "loss") one.live = {one.id};
    if (const auto place = kMatters.find(one.id); place != kMatters.end()) one.matters = place->second;
  }
  lesson.summary = zero_lesson::summarize;
  lesson.step_timer = zero_lesson::step_timer;
  lesson.failed_check = zero_lesson::failed_check;
  return lesson;
}

}  // namespace ringside::lessons::zero
