// The parts of the lesson, which experiment.cpp puts together, and what its figures and its panel share.
#pragma once

#include "attributes.h"
#include "ringside/figures/training_facts.h"
#include "ringside/lesson/lesson_kit.h"

namespace ringside::zero_lesson {

std::vector<PredictionSpec> predictions();   // for a number or a formula, in the order they are asked
std::vector<QuestionOf> choice_questions();  // asked behind them, and answered in words
std::vector<std::string> opening(const Config& config);
std::vector<ClaimOf> claims();

std::vector<FigureOf> sent_figures();  // what each stage sends, over N; Adam behind the all-reduce or in it
std::vector<FigureOf> figures();       // the largest model, the stages, the loss
std::vector<FigureOf> bit_figures();   // which trainings end with the same bits, and where the others part
std::vector<FigureOf> mesh_figures();  // the mesh, and what is sent over its dimensions
std::vector<GaugeOf> gauges();         // by which two runs are compared

void run(const Config& config, const RunContext& context);
// Bits that should agree and do not; "" where all is well.
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

// ---- Read from the trace --------------------------------------------------------------------------------
// What claims, predictions and the summary read out of a trace. Nothing here comes
// from a formula but the width of an element.

inline constexpr double kMib = 1 << 20;  // bytes

// The training section with this stage, reduction and accumulation, in stage 3 with reshard on; null
// where there is none. Sections of the overlap trial do not count.
const SectionView* find_run(const Trace& trace, int stage, const std::string& reduce, int64_t accumulate);
const SectionView* stage_section(const Trace& trace, int stage);  // its first steps, once they have ended
std::string in_steps(const SectionView& section);                 // "3 steps"
// As far as that stage was trained: to the scenario's end, or its first steps. It may go on. Null before it
// began.
const SectionView* longest_training(const Trace& trace, int stage);

using State = figure::KeptState;
State state_of(const Trace& trace, const SectionView& section);  // mean over ranks, after the last step

// Gradients and parameters only: what one rank sent in one step, mean over ranks, in multiples of Ψ elements.
double sent_psi(const Trace& trace, const SectionView& section);
// NotRun where it was not run, or one rank is alone: it has nothing to shard or send.
const SectionView& of_several_ranks(const SectionView* section);
// Of stages 0 to 3, in Ψ(N-1)/N elements, with that reduction in stages 1 and 2; NotRun as above.
std::array<double, 4> sent_times(const Trace& trace, const std::string& reduce, int64_t accumulate);
int64_t most_accumulation(const Trace& trace);      // that any section ran with
int64_t several_micro_batches(const Trace& trace);  // the same; NotRun where it is 1
struct Proof {
  std::vector<ProofCase> equal_expected;  // accumulation 1, and pairs that share an order of sums
  std::vector<ProofCase> order_differs;   // pairs that do not: shown with their reason
  int64_t steps = 0;
};
std::optional<Proof> proof_of(const Trace& trace);

// The same stage with overlap and without, in turns.
inline constexpr const char* kOverlapOn = "overlap on";
inline constexpr const char* kOverlapOff = "overlap off";

}  // namespace ringside::zero_lesson
