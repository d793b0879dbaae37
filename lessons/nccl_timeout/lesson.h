// The parts of the lesson, as experiment.cpp puts them together.
#pragma once

#include "parts.h"
#include "training.h"

namespace ringside::nccl_lesson {

const TextBlocks& texts();  // texts.inc
std::vector<QuestionOf> questions();
std::vector<ClaimOf> claims();                     // what the source's documents say
std::vector<FigureOf> figures();                   // but those of any hang (figures/hang.h)
std::string line_of_source(const Config& config);  // the log line of the source, with the scenario's number

void run(const Config& config, const RunContext& context);
StepTimer step_timer(const Config& config);
// Names what went against what the engine promises: a run that should have ended by itself and hung, or one
// that should have hung and did not; a report that names another rank than the planned one. "" where nothing.
std::string failed_check(const Trace& trace);
std::string summarize(const Config& config, const Trace& trace, int width, bool colour);

// ---- The scenario ---------------------------------------------------------------------------------------
// What can be set of the lesson, and the trainings it is made of.

std::vector<ParameterSpec> parameter_specs();  // of a case; texts.inc has the others

// Whether that act ("1" .. "5") belongs to the scenario. A fault plan of one's own replaces all acts.
bool runs_act(const Config& config, const std::string& act);

ClassifierConfig lesson_model();
Dataset load_data(const Config& config);
// Data parallelism over two groups, no agreement between steps, evaluation after step kEvaluatedStep, and
// buckets of which the first holds head, final norm and the last two layers, as in the log's case.
Training base_training(const Config& config);
inline constexpr int64_t kSteps = 5;
inline constexpr int64_t kEvaluatedStep =
    2;  // the step before the evaluation; the next is the one that hangs

// ---- Cases ----------------------------------------------------------------------------------------------
// A case is data (cases.inc): what one rank does wrong, what else a learner may suspect, and what mends it.

const TextBlocks& causes();

struct Culprit {
  std::string cause = {};
  int rank = -1;  // -1: none, of a fault plan of one's own
};
// Act 1: one rank's input never comes.
Culprit culprit_of_symptom(const Config& config);
// 1 to 4: the four causes behind one log line, in an order that the seed draws. 5 to 13: a cause each.
Culprit culprit_of_case(const Config& config, int which);

// Makes the training go wrong, by a mistake of its loop or by a fault; FaultPlan{} where by the loop alone.
FaultPlan plan(const Culprit& culprit, Training& training);
// What mends it: the mistake is no longer made, or no longer matters.
void mend(const Culprit& culprit, Training& training);
// Attributes of a case's section: the truth, and what may be answered.
Attributes truth(const Culprit& culprit);

inline constexpr int kLonger = 3;  // times the deadline: what most people try first

// ---- Numbers --------------------------------------------------------------------------------------------
// Acts 2 and 4: what the numbers in the source's logs can be. Shapes and arithmetic, no training.

inline constexpr int kRanksOfTheCase = 8;
// What the source's first document says, as it says it: compared with, never computed with.
inline constexpr int64_t kBatch = 8, kLength = 2048, kHidden = 3584;
inline constexpr int64_t kClaimedProduct = 58'851'328;    // "8 x 2048 x 3584"
inline constexpr int64_t kClaimedOverGpus = 470'810'624;  // "x 8"

inline std::string whole(double value) { return format_count(int64_t(value)); }

// Of act 2: "logged", "remainder". NotRun where it was not run.
inline double calculated(const Trace& trace, const std::string& name) {
  return needed(outcome(trace, "arithmetic_" + name));
}

// A bf16 all-reduce of so many elements over the case's ranks, in ms on each simulated link.
std::map<std::string, double> wire_ms(int64_t elements);

// Adds the sections "plan 7B" and "plan here": attributes and tables, and nothing that happens. Figures of
// both acts are the outcome's "arithmetic_..." and "explain_...".
void record_numbers(const Config& config, TraceStore& store, TraceRows& rows);

// ---- Versions -------------------------------------------------------------------------------------------
// Act 3: what returning hidden states costs, in memory, bytes and time, in each version.

struct OutputsSetup {
  std::string section, title;
  Training training = {};
};

// The four versions, two of them as the second document supposes the flags to be, and two other transfers.
std::vector<OutputsSetup> outputs_setups(const Training& base);

// Trains it as a section, measures, and writes the attributes of kind "outputs". Returns its ledger.
std::vector<LedgerRow> run_outputs(const OutputsSetup& setup, const Dataset& dataset,
                                   const RunContext& context);

}  // namespace ringside::nccl_lesson
