// Newton's method and the Ada family: paths on surfaces, trials of single rules, and a classifier under each.

#include "embedded.h"
#include "parts.h"
#include "ringside/lesson/parameter_specs.h"

namespace ringside::lessons::optimizers {
namespace {

// ---- What the run says to the questions; an int is the option that is right -------------

int newton_ends(const Trace& trace) {
  const EndRow end = end_of(trace, kSaddle, kNewton);
  return !end.stopped.empty() ? 2 : end.last > end.first ? 0 : 1;
}

int product_costs(const Trace& trace) {
  const double times = product_against_gradient(trace).median;
  return times < 1 ? 0 : times < 4 ? 1 : times < 100 ? 2 : 3;
}

int without_correction(const Trace& trace) {
  const double ratio = trial_at(trace, kUncorrected, "adam", 1) / trial_at(trace, kConstant, "adam", 1);
  return ratio < 0.5 ? 0 : ratio < 2 ? 1 : ratio < 10 ? 2 : 3;
}

int shrinks_by_l2(const Trace& trace) {
  const double small = trial_at(trace, kDecay, "adam", kSmallGradient),
               large = trial_at(trace, kDecay, "adam", kLargeGradient);
  return small > large + 5 ? 0 : large > small + 5 ? 1 : 2;
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

void check_start(const std::string& value) {
  if (value != "auto" && !figure::place_of_text(value))
    throw UsageError(tr("start={}: x,y is wanted, such as -1.5,0.5, or auto", value));
}

ParameterSpec surface_parameter() {
  ParameterSpec surface = choice("surface", tr("whose heights are the loss"), kSaddle, {});
  for (const Surface& one : surfaces())
    surface.choices.push_back(one.name), surface.choice_meanings.push_back(one.meaning);
  return surface;
}

void run(const Config& config, const RunContext& context) {
  RunParts parts(context, work_of(config), time_of(config));
  const Pass pass = [&](const std::string& phase, double time) { parts.begin(phase, time); };
  run_paths(config, context, pass);
  run_trials(config, context, pass);
  if (config.text("parts") == "paths") return;
  run_second_order(config, context, pass);
  run_sharing(config, context, pass);
  run_training(config, context, pass);
}

}  // namespace

Lesson make_lesson() {
  return lesson_of(
      embedded("texts.inc"),
      {.parameters = {surface_parameter()},
       .checks = {{"start", check_start}, {"paths", [](const std::string& value) { methods_of(value); }}},
       .run = run,
       .questions = questions(),
       .claims = claims(),
       .figures = figures(),
       .readouts = readouts});
}

}  // namespace ringside::lessons::optimizers
