// What is asked, and the shapes by which a run answers it.
#include <algorithm>

#include "ringside/lesson/question_forms.h"
#include "ringside/lesson/tr.h"
#include "rows.h"

namespace ringside::drift {
namespace {

const Words kLetters = {"A", "B", "C", "D"};

// The curve of that shape, where one curve alone has it.
std::optional<Words> curve_of(const Trace& trace, Shape shape) {
  Words found;
  for (const char* training : kCurves)
    if (const auto end = end_of(trace, training); end && shape_of(trace, training) == shape)
      found.push_back(end->letter);
  return found.size() == 1 ? std::optional(found) : std::nullopt;
}

struct Mistake {
  const char* training;  // whose curve it is taken for
  std::string name, why;
};

PredictionSpec which_curve(std::string id, std::string question, const char* training, Shape shape,
                           std::vector<Mistake> mistakes, std::string name, std::string why) {
  PredictionSpec spec{std::move(id), std::move(question)};
  spec.words =
      WordQuestion{.right = [training](const Config& config) { return Words{letter_of(config, training)}; },
                   .options = always(kLetters),
                   .wrong =
                       [mistakes](const Config& config) {
                         std::vector<WrongWords> wrong;
                         for (const Mistake& one : mistakes)
                           wrong.push_back({one.name, {letter_of(config, one.training)}, one.why});
                         return wrong;
                       },
                   .measured = [shape](const Trace& trace) { return curve_of(trace, shape); }};
  spec.figure = "parameters";
  spec.board = "curves";
  spec.name = std::move(name);
  spec.why = std::move(why);
  return spec;
}

// ---- How far ------------------------------------------------------------------------

const Words kFar = {"not one bit", "less than 1 in 10,000", "about a percent", "as far as two seeds"};

std::optional<Words> measured_far(const Trace& trace) {
  const auto pair = losses_of(trace, kOrder), seeds = losses_of(trace, kSeed);
  if (pair.empty() || seeds.size() != pair.size()) return std::nullopt;
  double ours = 0, theirs = 0;  // means of the last tenth
  const size_t tenth = std::max<size_t>(1, pair.size() / 10);
  for (size_t i = pair.size() - tenth; i < pair.size(); ++i) {
    ours += pair[i].difference / static_cast<double>(tenth);
    theirs += seeds[i].difference / static_cast<double>(tenth);
  }
  return Words{kFar[ours == 0 ? 0 : ours < 1e-4 ? 1 : ours < theirs / 2 ? 2 : 3]};
}

std::optional<Words> measured_apart(const Trace& trace) {
  Words apart;
  for (const char* training : kCurves) {
    const auto end = end_of(trace, training);
    if (!end) return std::nullopt;
    if (!end->ranks_agree) apart.push_back(training);
  }
  return apart;
}

}  // namespace

std::vector<PredictionSpec> predictions() {
  return {
      which_curve(
          "order", tr("Which curve is stage 2: the same gradients, added in another order?"), kOrder,
          Shape::kRounding,
          {{kNorm, tr("whatever starts small is rounding"),
            tr("Adam divides a gradient by its own size, which hides a wrong factor in the first step. Ten "
               "steps later it is far above rounding.")},
           {kStale, tr("whatever starts at 1 ulp is rounding"),
            tr("In step 1 there is no older gather. Look at step 2.")},
           {kBucket, tr("rounding makes percents"), tr("One fp32 rounding is 6e-8 of a number.")}},
          tr("the order of sums"),
          tr("It begins at a rounding error and grows slowly: nothing pushes it in one direction.")),
      which_curve(
          "stale", tr("Which curve is the stale gather: stage 3 computes with a layer of the step before?"),
          kStale, Shape::kLate,
          {{kBucket, tr("it is wrong from the first step on"),
            tr("In the first step the gather before brought the same values.")},
           {kOrder, tr("one step back is nearly nothing"),
            tr("A step moves a parameter by the learning rate, which is many ulps.")},
           {kNorm, tr("it builds up"), tr("It is one step late at once.")}},
          tr("a stale gather"),
          tr("In step 1 nothing older exists, so the curve starts as rounding does. In step 2 one layer "
             "is a step late at once.")),
      which_curve(
          "norm", tr("Which curve is the norm of a shard: each rank clips by its own?"), kNorm, Shape::kSmall,
          {{kBucket, tr("a wrong factor is a wrong step"),
            tr("Of SGD. Adam's first step has nearly the same length whatever the factor is.")},
           {kOrder, tr("Adam hides it for good"),
            tr("Adam divides by a mean of past sizes. The factor changes from step to step, and that "
               "is not hidden.")},
           {kStale, tr("the first norm is right"), tr("Each shard has another norm from step 1 on.")}},
          tr("the norm of a shard"),
          tr("Adam's first step is m/√v: a factor of the gradient cancels. From step 2 on the factors of "
             "different steps mix, and the curve rises.")),
      ask("far", tr("Stages 1 and 2, to the last step: how far apart are their losses, of the loss?"),
          {.right = {kFar[1]},
           .options = kFar,
           .wrong =
               {{tr("ZeRO changes no bit"),
                 {kFar[0]},
                 tr("With accumulation stage 2 adds over ranks first, stage 1 over micro-batches first.")},
                {tr("rounding grows to percents"),
                 {kFar[2]},
                 tr("So it may in bf16, or where training is unstable. Here it grows slowly.")},
                {tr("chaos: it is another run"),
                 {kFar[3]},
                 tr("Two seeds have other weights and other batches from the first step on.")}},
           .measured = measured_far,
           .around =
               {tr("to the end"),
                tr("Each step adds a rounding error of about 1 ulp, and the optimizer pulls both runs to the "
                   "same places."),
                "ends"}}),
      ask("agree", tr("After which of them do the ranks hold different parameters?"),
          {.kind = AnswerKind::kChoices,
           .right = {kBucket},
           .options = {kOrder, kBucket, kNorm, kStale},
           .wrong = {{tr("a stale gather parts the ranks"),
                      {kBucket, kStale},
                      tr("Each shard has one owner. All ranks read the same stale copy of it.")},
                     {tr("each shard's factor parts the ranks"),
                      {kBucket, kNorm},
                      tr("Each shard is updated once, by its owner, and gathered by all.")},
                     {tr("every bug does"),
                      {kBucket, kNorm, kStale},
                      tr("With sharding a wrong update is shared like a right one.")}},
           .measured = measured_apart,
           .around = {
               tr("ranks that part"),
               tr("In stage 0 every rank updates all parameters. With gradients of its own in one bucket it "
                  "goes its own way there."),
               "ends"}})};
}

}  // namespace ringside::drift
