// The parts of the run, and what is read from its trace.
#pragma once

#include "ringside/optim/own_weights.h"
#include "rows.h"
#include "surface.h"

namespace ringside::lessons::optimizers {

// A unit of work begins, which takes so long; CancelledError. Times are multiples of a training's at one
// rate.
using Pass = std::function<void(const std::string& phase, double time)>;
inline constexpr double kPathTime = 2, kProductsTime = 12, kBestTime = 2, kOtherTime = 1;
constexpr double hessian_time(int64_t hidden) { return double(hidden) / 56; }
inline constexpr int64_t kLeastHidden = 28, kMostHidden = kLeastHidden << 4;  // of stored Hessians, doubled

figure::Point start_of(const Config& config);  // of the paths
double model_parameters();                     // of a released model of 7B, from its configuration
int64_t work_of(const Config& config);         // units of all parts
double time_of(const Config& config);          // and their time

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

// ---- Methods --------------------------------------------------------------------------------------------
// What is compared: every optimizer of the engine, and Newton's method in three ways.

// Of the engine's table, without weight decay; SGD also without momentum, and with Nesterov's.
struct Rule {
  std::string name;  // "momentum"
  OptimizerConfig config;
};
const std::vector<Rule>& rules();
bool is_adaptive(const std::string& rule);  // it divides by a mean or a sum of past gradients

inline constexpr char kNewton[] = "newton", kDamped[] = "newton_damped", kFree[] = "hessian_free",
                      kUndamped[] = "hessian_free_0";
inline constexpr double kDamping = 2;  // of newton_damped and hessian_free; 0 of hessian_free_0
bool is_newton(const std::string& method);

// The paths that a scenario asks for: "sgd,adam,newton". UsageError naming one that there is not.
std::vector<std::string> methods_of(const std::string& list);

// Adadelta as the source has it: "y_t = k y_{t-1} + (1-k) grad", which takes the place of Adagrad's sum of
// squares. It averages the gradient; the paper averages its square. The source does not say what y divides:
//   y <- k y + (1 - k) g          w <- w - lr g / (sqrt(|y|) + eps), or w - lr g / (|y| + eps)
inline constexpr char kByRoot[] = "the source's, by √|y|", kBySize[] = "the source's, by |y|";
OwnWeights weights_under(const std::string& rule, std::vector<double> weights);  // a rule, or one of these

}  // namespace ringside::lessons::optimizers
