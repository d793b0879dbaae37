// Newton's method and the Ada family: paths on surfaces, trials of single rules, and a classifier under each.
#include "parts.h"
#include "ringside/base/error.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/tr.h"

namespace ringside::lessons::optimizers {

Lesson make_lesson() {
  using namespace ringside::optimizers_lesson;
  std::vector<std::string> names, meanings;
  for (const Surface& surface : surfaces())
    names.push_back(surface.name), meanings.push_back(surface.meaning);
  ParameterSpec surface = choice("surface", tr("whose heights are the loss"), kSaddle, names);
  surface.choice_meanings = meanings;
  Lesson lesson;
  lesson.parameters = {
      std::move(surface),
      text("start", tr("of the paths, as x,y; auto: the surface's own. Drag it in the picture"), "auto", {},
           [](const std::string& value) {
             if (value != "auto" && !figure::place_of_text(value))
               throw UsageError(tr("start={}: x,y is wanted, such as -1.5,0.5, or auto", value));
           }),
      text("paths", tr("methods, with commas between them"), "sgd,momentum,adagrad,adam,newton",
           {"sgd,momentum,adagrad,adam,newton", "sgd,momentum,nesterov", "adagrad,rmsprop,adadelta,adam",
            "newton,newton_damped,hessian_free"},
           [](const std::string& value) { methods_of(value); }),
      choice("parts", tr("what is run: everything, or the surfaces and single rules"), "all",
             {"all", "paths"}),
      number("steps", tr("of a path"), "", "100", 1, 1000),
      number("training", tr("steps of the classifier at each learning rate"), "", "40", 10, 1000),
      number("hessian", tr("bytes that a stored Hessian may take"), "bytes", "64Mi", 1 << 18, 1 << 30,
             ParameterKind::kCount),
      number("seed", tr("of weights, samples and noise"), "", "0", 0, 1e9)};
  lesson.predictions = predictions();
  lesson.claims = claims();
  lesson.figures = figures();
  lesson.readouts = readouts;
  lesson.words = {tr("The first path begins."), tr("Now watch the paths grow."), tr("step"), "step"};
  lesson.run = [](const Config& config, const RunContext& context) {
    const Pass pass = [&, done = int64_t{0}](const std::string& phase) mutable {
      context.control.pass_step();
      if (context.progress) context.progress({phase, ++done, work_of(config)});
    };
    run_paths(config, context, pass);
    run_trials(config, context, pass);
    if (config.text("parts") == "paths") return;
    run_second_order(config, context, pass);
    run_sharing(config, context, pass);
    run_training(config, context, pass);
  };
  return lesson;
}

}  // namespace ringside::lessons::optimizers
