// The parts of the lesson, which experiment.cpp puts together, and what its figures and its panel share.
#pragma once

#include <string>
#include <vector>

#include "attributes.h"
#include "ringside/lesson/lesson_of.h"

namespace ringside::zero_lesson {

std::vector<PredictionSpec> predictions();                             // in the order they are asked
std::vector<PredictionSpec> choice_questions(const TextBlocks& text);  // the last of them: answered in words
std::vector<std::string> opening(
    const Config& config);  // before the first question, in the scenario's numbers
std::vector<ClaimOf> claims();

std::vector<FigureSpec> figures();
std::vector<FigureSpec> bit_figures();   // which trainings end with the same bits, and where the others part
std::vector<FigureSpec> mesh_figures();  // the mesh, and what is sent over its dimensions
FigureSpec traffic_figure();             // what each stage sends, over N
FigureSpec adam_figure();                // Adam behind the all-reduce, or between its halves
std::vector<GaugeOf> gauges();           // by which two runs are compared

void run(const Config& config, const RunContext& context);
// Unexplained bytes, ranks that disagree, bits that should agree and do not; "" where all is well.
std::string failed_check(const Trace& trace);
// On the page of a run: the point in ten seconds, the stages, and what was measured besides.
std::string summarize(const Config& config, const Trace& trace, int width, bool colour);
std::vector<Readout> readouts(const FigureInput& input);
StepTimer step_timer(const Config& config);  // of the stages that the scenario trains

// Of a stage's line, wherever one is drawn.
inline constexpr figure::Ink kStageInks[kStages] = {figure::Ink::kText, figure::Ink::kOptimizer,
                                                    figure::Ink::kGradients, figure::Ink::kParameters};
// Lines over N of what a stage sends; the name of its dots.
inline figure::Lines sent_axes() {
  return {.x = {.name = "ranks N"},
          .y = {.name = "sent per rank and step", .unit = "Ψ", .least = 0},
          .lines = {}};
}
inline std::string sent_dots(int stage) { return fmt::format("stage {}, measured", stage); }
// "Four"
inline std::string in_letters(int64_t ranks) {
  constexpr const char* kNumbers[] = {"One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight"};
  return ranks >= 1 && ranks <= std::ssize(kNumbers) ? kNumbers[ranks - 1] : std::to_string(ranks);
}

}  // namespace ringside::zero_lesson
