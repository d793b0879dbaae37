// The lesson as a front end runs it, and claims, answers and figures of doctored traces.
#include "check_text.h"
#include "optimizers/parts.h"
#include "ringside/lesson/timings.h"
#include "run_a_lesson.h"

namespace ringside::lessons::optimizers {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("optimizers", make_lesson());

// Short, and with another surface, start and paths than the default.
const Trace& run_once() {
  static const Trace trace =
      run_lesson(kLesson, {"surface=valley", "start=-1,0.5", "paths=sgd,adam,lamb,newton,hessian_free",
                           "steps=20", "training=10", "hessian=2Mi"});
  return trace;
}

std::string verdict(const Trace& trace, const std::string& claim) {
  return verdict_alone(kLesson, claim, trace);
}

Words words(const Trace& trace, const std::string& id) { return answer_of(kLesson, id, trace); }

// What a run records, with values of one's choice.
struct Doctored {
  double newton_ends = 0, product_ms = 20, adam_first = 1, uncorrected = 3.16, decay_large = 4,
         adagrad_100 = 0.1;
  double adam_rates = 10, sgd_rates = 10, sgd_highest = 10, adam_keeps = 1, sgd_keeps = 0, by_size = 1;
  int64_t hessian = 6400, peak = 200, newton_steps = 1;
  std::string singular = "singular", adam_sees = kElement;
};
Trace doctored(const Doctored& with = {}) {
  const auto store = TraceStore::create("optimizers");
  Recorder& trials = *store->add_section(kTrials, {}, 1).at(0);
  record_row(trials, EndRow{kSaddle, kNewton, 1, -0.05, with.newton_ends});
  record_row(trials, EndRow{kSaddle, kDamped, 1, -0.05, -0.25});
  for (const char* method : {kNewton, kDamped, kFree})
    for (const char* surface : {kValley, kTurned})
      record_row(trials, EndRow{surface, method, 1, 5, 0, with.newton_steps});
  record_row(trials, EndRow{kFlat, kNewton, 1, 1, 1, 0, with.singular});
  record_row(trials, EndRow{kFlat, kDamped, 1, 1, 0, 9});
  record_row(trials, EndRow{kFlat, kUndamped, 1, 1, 0, 1});
  record_row(trials, TrialRow{kFirst, kBySize, 1e-3, 1});
  record_row(trials, TrialRow{kFirst, kBySize, 1e3, with.by_size});
  for (const char* rule : {"adagrad", "rmsprop", "adadelta", "adam", kByRoot}) {
    const bool shrinks = rule == std::string("adagrad");
    record_row(trials, TrialRow{kConstant, rule, 1, 1});
    record_row(trials, TrialRow{kConstant, rule, 100, shrinks ? with.adagrad_100 : 1});
    record_row(trials, TrialRow{kConstant, rule, 1000, shrinks ? with.adagrad_100 / 3 : 1});
    for (const double gradient : {1e-3, 1.0, 1e3})
      record_row(trials, TrialRow{kFirst, rule, gradient, gradient > 1 ? with.adam_first : 1});
  }
  record_row(trials, TrialRow{kUncorrected, "adam", 1, with.uncorrected});
  for (const char* rule : {"adam", "adamw"}) {
    record_row(trials, TrialRow{kDecay, rule, kSmallGradient, 80});
    record_row(trials, TrialRow{kDecay, rule, kLargeGradient, with.decay_large});
  }
  Recorder& second = *store->add_section(kSecond, {{kModelParameters, 7e9}}, 1).at(0);
  record_row(second, HessianRow{10, 400});
  record_row(second, HessianRow{40, with.hessian});
  for (int round = 0; round < 9; ++round) {
    const double ms = 1e6 * (1 + 0.01 * round);
    record_row(second, Timing{kForward, 4 * ms});
    record_row(second, Timing{kBackward, 6 * ms});
    record_row(second, Timing{kProduct, with.product_ms * ms});
  }
  record_row(second, PassRow{kBackward, 6, 1, 0.67, 100});
  record_row(second, PassRow{kProduct, 20, 3, 2, with.peak});
  record_row(second, PassRow{"all", 1e6, 1e5, 67e3, 1 << 30});
  Recorder& training = *store->add_section(kTraining, {}, 1).at(0);
  record_row(training, GoodRow{"sgd", 0.1, 0.1 * with.sgd_rates, 0.1, 1, 1e-4, with.sgd_highest,
                               with.sgd_keeps, with.sgd_keeps});
  record_row(training, GoodRow{"adam", 1e-3, 1e-3 * with.adam_rates, 1e-3, 1, 1e-4, 10, 1, with.adam_keeps});
  Recorder& sharding = *store->add_section(kSharding, {}, 1).at(0);
  record_row(sharding, StateRow{"adam", with.adam_sees, 8, 8, 1, true});
  record_row(sharding, StateRow{"muon", "a matrix", 4, 4, 1.5, true});
  return store->snapshot();
}

}  // namespace

TEST_CASE("optimizers: a run: Newton takes one step on the valley, and every part records what it is for") {
  const Trace& trace = run_once();
  const auto paths = rows_in<PathRow>(trace.find(kPaths));
  double newton = NAN;
  for (const PathRow& row : paths) {
    if (row.step == 0) CHECK((row.x == -1 && row.y == 0.5));
    if (row.method == kNewton && row.step == 1) newton = row.height;
  }
  CHECK(newton == Approx(0).margin(1e-20));
  check_shown(kLesson, trace);
  for (const ClaimSpec& claim : kLesson.claims) {
    INFO(claim.id);
    CHECK(claim.judge(trace).evidence != "it was not run");
  }
  for (const char* holds : {"singular", "quadratic", "shrinks", "sign"})
    CHECK(verdict(trace, holds) == "holds");
  for (const char* fails : {"minimum", "l2"}) CHECK(verdict(trace, fails) == "fails");
  CHECK(verdict(trace, "source") == "partly");  // by √|y| it does not, by |y| it does
  for (const EndRow& row : rows_in<EndRow>(trace.find(kTrials)))
    if (row.surface == kFlat && row.method == kUndamped) CHECK((row.steps == 1 && row.last < 1e-20));
}

TEST_CASE("optimizers: a run: all are in the race, and rates are tried until the highest is bad") {
  const auto rows = rows_in<StateRow>(run_once());
  CHECK(rows.size() == optimizer_specs().size() + 2);  // SGD is there three times
  for (const StateRow& row : rows) {
    INFO(row.rule);
    if (row.sees != kElement) continue;
    CHECK(row.same_bits);
    CHECK(row.declared == row.counted);
  }
  for (const GoodRow& row : rows_in<GoodRow>(run_once())) {
    INFO(row.rule);
    CHECK((row.to < row.highest || row.highest > 999));
    if (row.rule == "sgd") CHECK(std::max(row.kept_divided, row.kept_times) < 0.5);
    if (row.rule == "adam" || row.rule == "lion") CHECK(row.keeps());
  }
}

TEST_CASE(
    "optimizers: a run: the loss of each method is told step by step, at every rate and at last at the "
    "best") {
  const SectionView& section = *run_once().find(kTraining);
  std::map<std::string, double> last, at_best;
  std::map<std::string, int64_t> told;
  for (const ScalarEvent& event : section.scalars(0)) {
    const std::string& name = run_once().name(event.name);
    last[name] = event.value;
    ++told[name];
  }
  for (const RuleLossRow& row : rows_in<RuleLossRow>(run_once())) at_best["loss of " + row.rule] = row.loss;
  CHECK(at_best.size() >= 10);
  for (const auto& [name, loss] : at_best) {
    CHECK(last[name] == loss);
    CHECK(told[name] >= 50);  // of at least 9 rates and 10 steps, without those that diverge
  }
}

TEST_CASE("optimizers: the same line gives the same paths; one without a method is refused") {
  const auto path = [](const std::vector<std::string>& scenario) {
    std::vector<std::string> all = {"steps=5", "parts=paths", "paths=sgd", "surface=noisy"};
    all.insert(all.end(), scenario.begin(), scenario.end());
    const auto rows = rows_in<PathRow>(run_lesson(kLesson, all).find(kPaths));
    return rows.back().x;
  };
  const double first = path({"seed=1"});
  CHECK(first == path({"seed=1"}));
  CHECK(first != path({"seed=2"}));
  const auto refused = [](const std::string& word) {
    return message_of<UsageError>([&] { scenario_of(kLesson, {word}); }, "");
  };
  CHECK(lacks(refused("paths=sgd,adma"), {"adma", "adamw", "hessian_free"}) == "");
  CHECK(lacks(refused("paths=sgd,sgd"), {"twice"}) == "");
  CHECK(lacks(refused("paths="), {"there is no ''"}) == "");
  CHECK(lacks(refused("start=1"), {"x,y"}) == "");
  CHECK(refused("start=1,-0.5") == "");
}

TEST_CASE("optimizers: what is said of paths fits one method, and methods at one height") {
  const auto said = [](const std::string& surface, const std::string& methods) {
    const std::vector<std::string> words = {"parts=paths", "steps=1", surface, methods};
    const Trace trace = run_lesson(kLesson, words);
    const FigureSpec& spec = figure_of(kLesson, "paths");
    const Config config = scenario_of(kLesson, words);
    return figure::sentence(kLesson, spec, default_input(config, spec, trace));
  };
  CHECK(said("surface=turned", "paths=adagrad,rmsprop") == "Step 1, best rates: all are at 6.");
  CHECK(said("surface=turned", "paths=adagrad") == "Step 1, best rate: adagrad is at 6.");
  CHECK(said("surface=flat", "paths=newton") == "The Hessian has no inverse here, so Newton stops at 0.5.");
  CHECK(said("surface=flat", "paths=newton,hessian_free_0").ends_with(" hessian_free_0 goes down to 0."));
}

TEST_CASE("optimizers: a doctored trace changes each verdict") {
  CHECK(verdicts_of(kLesson, doctored()) ==
        "minimum fails, why partly, large holds, singular holds, gradients holds, quadratic holds, shrinks "
        "holds, source holds, sign holds, l2 fails, tuning partly, shards partly");
  CHECK(verdict(doctored({.newton_ends = -0.25}), "minimum") == "holds");
  CHECK(verdict(doctored({.peak = 5000}), "why") == "holds");
  CHECK(verdict(doctored({.hessian = 1600}), "large") == "fails");
  CHECK(verdict(doctored({.singular = ""}), "singular") == "fails");
  CHECK(verdict(doctored({.product_ms = 90}), "gradients") == "fails");
  CHECK(verdict(doctored({.newton_steps = 4}), "quadratic") == "fails");
  CHECK(verdict(doctored({.adagrad_100 = 3}), "shrinks") == "holds");  // of step 100, not of the first
  CHECK(verdict(doctored({.adam_first = 1000}), "sign") == "fails");
  CHECK(verdict(doctored({.adam_first = 1000, .by_size = 10}), "source") == "fails");
  CHECK(verdict(doctored({.adam_first = 1000}), "source") == "partly");
  CHECK(verdict(doctored({.decay_large = 80}), "l2") == "holds");
  CHECK(verdict(doctored({.adam_rates = 1000}), "tuning") == "holds");
  CHECK(verdict(doctored({.adam_keeps = 0.5}), "tuning") == "fails");
  CHECK(verdict(doctored({.adam_rates = 1000, .sgd_keeps = 1}), "tuning") == "partly");
  CHECK(verdict(doctored({.sgd_highest = 1, .adam_keeps = 0.5}), "tuning") == "not_testable");  // an open bar
  CHECK(verdict(doctored({.adam_rates = 1000, .sgd_highest = 1}), "tuning") == "partly");
  check_says_nothing(kLesson);
}

TEST_CASE("optimizers: a doctored trace changes answers; an open question's path is not drawn") {
  CHECK(words(doctored(), "saddle") == Words{"on the saddle, higher than it began"});
  CHECK(words(doctored({.newton_ends = -0.25}), "saddle") == Words{"at a minimum"});
  CHECK(words(doctored(), "hv") == Words{"about 2"});
  const std::string passes = figure_text(kLesson, "passes", doctored());  // the answer stands in it
  CHECK(passes.find("gradients") != std::string::npos);
  CHECK(passes.find("100,000") != std::string::npos);
  CHECK(words(doctored({.product_ms = 100}), "hv") == Words{"about 10"});
  CHECK(words(doctored(), "bias") == Words{"3 times longer"});
  CHECK(words(doctored({.uncorrected = 0.1}), "bias") == Words{"10 times shorter"});
  CHECK(words(doctored(), "l2") == Words{"the one with small gradients"});
  CHECK(words(doctored({.decay_large = 80}), "l2") == Words{"both alike"});
  CHECK(words(doctored(), "cut") == Words{"muon"});
  CHECK(words(doctored({.adam_sees = "a tensor"}), "cut") == Words{"adam", "muon"});
  CHECK(question_of(kLesson, "adagrad").measured(doctored()) == 0.1);
  check_beliefs(kLesson);
  const Trace trace = run_lesson(kLesson, {"steps=5", "parts=paths"});
  const Config config = scenario_of(kLesson, {});
  const FigureSpec& spec = figure_of(kLesson, "paths");
  const std::vector<std::string> open = {"saddle"};
  FigureInput input = default_input(config, spec, trace);
  const auto paths = [&] {
    return std::get<figure::Contours>(figure::compute(kLesson, spec, input)).paths.size();
  };
  CHECK(paths() == 5);
  input.open = open;
  CHECK(paths() == 4);
  CHECK(figure::sentence(kLesson, spec, input).find("Newton") == std::string::npos);
}

}  // namespace ringside::lessons::optimizers
