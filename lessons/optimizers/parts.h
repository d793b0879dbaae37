// The parts of the run, and what is read from its trace.
#pragma once

#include "methods.h"
#include "ringside/base/ratio.h"
#include "rows.h"
#include "surface.h"

namespace ringside::lessons::optimizers {

using Pass = std::function<void(const std::string& phase)>;  // a unit of work begins; CancelledError

figure::Point start_of(const Config& config);  // of the paths
double model_parameters();                     // of a released model of 7B, from its configuration
int64_t work_of(const Config& config);         // units of progress of all parts

void run_paths(const Config& config, const RunContext& context, const Pass& pass);
void run_trials(const Config& config, const RunContext& context, const Pass& pass);
void run_second_order(const Config& config, const RunContext& context, const Pass& pass);
void run_sharing(const Config& config, const RunContext& context, const Pass& pass);
void run_training(const Config& config, const RunContext& context, const Pass& pass);

// ---- Read from the trace ----------------------------------------------------------------

inline constexpr char kSurface[] = "surface", kModelParameters[] = "parameters of the 7B model";
inline constexpr char kForward[] = "forward", kBackward[] = "backward", kProduct[] = "Hessian times vector";

// NotRun where it is not there, as of those that follow.
EndRow end_of(const Trace& trace, const std::string& surface, const std::string& method);
std::vector<TrialRow> trials_of(const Trace& trace, const std::string& trial, const std::string& rule);
double trial_at(const Trace& trace, const std::string& trial, const std::string& rule, double at);
RatioInterval product_against_backward(const Trace& trace);
RatioInterval product_against_gradient(const Trace& trace);  // forward and backward

std::vector<GoodRow> good_rates_of(const Trace& trace);  // of the rules that have any

std::vector<FigureOf> figures();
std::vector<Readout> readouts(const FigureInput& input);
std::vector<ClaimOf> claims();
Lesson make_lesson();

}  // namespace ringside::lessons::optimizers
