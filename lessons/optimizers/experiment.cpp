// Newton's method and the Ada family: paths on surfaces, trials of single rules, and a classifier under each.
#include <cmath>

#include "embedded.h"
#include "parts.h"
#include "ringside/base/error.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/tr.h"

namespace ringside::lessons::optimizers {
namespace {

// ---- What the run says to the questions; an int is the option that is right -------------

int newton_ends(const Trace& trace) {
  const auto end = end_of(trace, kSaddle, kNewton);
  if (!end) return -1;
  return !end->stopped.empty() ? 2 : end->last > end->first ? 0 : 1;
}

int product_costs(const Trace& trace) {
  const auto ratio = product_against_gradient(trace);
  if (!ratio) return -1;
  return ratio->median < 1 ? 0 : ratio->median < 4 ? 1 : ratio->median < 100 ? 2 : 3;
}

int without_correction(const Trace& trace) {
  const auto with = trial_at(trace, kConstant, "adam", 1), without = trial_at(trace, kUncorrected, "adam", 1);
  if (!with || !without) return -1;
  const double ratio = *without / *with;
  return ratio < 0.5 ? 0 : ratio < 2 ? 1 : ratio < 10 ? 2 : 3;
}

int shrinks_by_l2(const Trace& trace) {
  const auto small = trial_at(trace, kDecay, "adam", kSmallGradient),
             large = trial_at(trace, kDecay, "adam", kLargeGradient);
  if (!small || !large) return -1;
  return *small > *large + 5 ? 0 : *large > *small + 5 ? 1 : 2;
}

Words names_of(bool all) {  // or those whose update sees more than one element
  Words names;
  for (const OptimizerSpec& spec : optimizer_specs())
    if (all || spec.granularity != Granularity::kElement) names.push_back(spec.name);
  return names;
}
Words see_more(const Trace& trace) {
  Words names;
  for (const StateRow& row : rows_in<StateRow>(trace))
    if (row.sees != kElement) names.push_back(row.rule);
  return names;
}

std::vector<QuestionOf> questions() {
  const auto cards = [](double bytes, double parameters) {  // 0: as many as the model has
    return [=](const Config&) {
      return bytes * std::pow(parameters > 0 ? parameters : model_parameters(), 2) / 80e18;
    };
  };
  return {{"saddle", newton_ends},
          {"hv", product_costs},
          {.id = "cards", .right = cards(4, 0), .wrong = {cards(4, 7e9), cards(2, 0), cards(1, 0)}},
          {"bias", without_correction},
          {"adagrad", [](const Trace& trace) { return trial_at(trace, kConstant, "adagrad", 100); }},
          {"l2", shrinks_by_l2},
          {.id = "cut",
           .measured = see_more,
           .right = always(names_of(false)),
           .options = always(names_of(true))}};
}

std::vector<ParameterSpec> parameters() {
  std::vector<std::string> names, meanings;
  for (const Surface& surface : surfaces())
    names.push_back(surface.name), meanings.push_back(surface.meaning);
  ParameterSpec surface = choice("surface", tr("whose heights are the loss"), kSaddle, names);
  surface.choice_meanings = meanings;
  return {
      std::move(surface),
      text("start", tr("of the paths, as x,y; auto: the surface's own. Drag it in the picture"), "auto", {},
           [](const std::string& value) {
             if (value != "auto" && !figure::place_of_text(value))
               throw UsageError(tr("start={}: x,y is wanted, such as -1.5,0.5, or auto", value));
           }),
      text("paths", tr("methods, with commas between them"), "sgd,momentum,adagrad,adam,newton",
           {"sgd,momentum,adagrad,adam,newton", "sgd,momentum,nesterov", "adagrad,rmsprop,adadelta,adam",
            "newton,newton_damped,hessian_free_0"},
           [](const std::string& value) { methods_of(value); })};
}

void run(const Config& config, const RunContext& context) {
  const Pass pass = [&, done = int64_t{0}](const std::string& phase) mutable {
    context.control.pass_step();
    context.progress({phase, ++done, work_of(config)});
  };
  run_paths(config, context, pass);
  run_trials(config, context, pass);
  if (config.text("parts") == "paths") return;
  run_second_order(config, context, pass);
  run_sharing(config, context, pass);
  run_training(config, context, pass);
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(embedded("texts.inc"), {.parameters = parameters(),
                                           .run = run,
                                           .questions = questions(),
                                           .claims = claims(),
                                           .figures = figures(),
                                           .readouts = readouts});
}

}  // namespace ringside::lessons::optimizers
