// The lesson as a front end runs it, and claims, answers and shapes of doctored traces.
#include "drift/rows.h"
#include "run_a_lesson.h"

namespace ringside::lessons::drift {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("drift", make_lesson());

std::string letter(const std::string& training, const std::vector<std::string>& words = {}) {
  return letter_of(scenario_of(kLesson, words), training);
}

// Distances after steps 1, 2 and 10, the same for the losses.
struct Doctored {
  double same = 0, order = 1e-7, norm = 3e-3, accuracy = 0.8, ulp = std::ldexp(1.0, -23);
  bool stale_agrees = true;
};
Trace doctored(const Doctored& with = {}) {
  const auto store = TraceStore::create("drift");
  Recorder& pen = *store->add_section(kComparison, {{kUlp, with.ulp}}, 1).at(0);
  const std::map<std::string, std::array<double, 3>> curves = {
      {kBase, {0, 0, 0}},
      {kSame, {with.same, with.same, with.same}},
      {kOrder, {with.order / 10, with.order / 5, with.order}},
      {kBucket, {0.01, 0.02, 0.03}},
      {kNorm, {1e-4, 3e-4, with.norm}},
      {kStale, {1e-8, 5e-3, 8e-3}},
      {kSeed, {0.3, 0.3, 0.3}}};
  for (const auto& [training, distances] : curves) {
    for (const size_t i : {0, 1, 2}) {
      const int64_t step = i == 2 ? 10 : static_cast<int64_t>(i) + 1;
      if (training != kBase) record_row(pen, DistanceRow{training, step, distances[i]});
      record_row(pen, LossRow{training, step, 2, distances[i]});
    }
    EndRow end{.training = training, .letter = letter(training), .ranks_agree = training != kBucket};
    if (training == kStale) end.ranks_agree = with.stale_agrees;
    end.evaluated = 1000;
    end.accuracy = training == kOrder ? with.accuracy : 0.8;
    end.noise = 0.02;
    end.in_10_steps = end.most = end.last_tenth = distances[2];
    record_row(pen, end);
  }
  return store->snapshot();
}

std::string said_of(const Trace& trace) {
  const Config config = scenario_of(kLesson, {});
  const FigureSpec& spec = figure_of(kLesson, "parameters");
  return figure::sentence(kLesson, spec, default_input(config, spec, trace));
}

std::vector<std::string> names_of_curves(const std::vector<std::string>& open) {
  const Config config = scenario_of(kLesson, {});
  const Trace trace = doctored();
  const FigureSpec& spec = figure_of(kLesson, "parameters");
  FigureInput input = default_input(config, spec, trace);
  input.open = open;
  const figure::Value shown = figure::compute(kLesson, spec, input);
  std::vector<std::string> all;
  for (const figure::Line& line : std::get<figure::Lines>(shown).lines) all.push_back(line.name);
  return all;
}

}  // namespace

TEST_CASE("drift: a run: each curve has its shape, and bytes and hashes say what they can") {
  const Trace trace = run_lesson(kLesson, {"steps=20"});
  CHECK(shape_of(trace, kOrder) == Shape::kRounding);
  CHECK(shape_of(trace, kBucket) == Shape::kLarge);
  CHECK(shape_of(trace, kNorm) == Shape::kSmall);
  CHECK(shape_of(trace, kStale) == Shape::kLate);
  for (const DistanceRow& row : rows_of<DistanceRow>(trace, kSame)) CHECK(row.relative == 0);
  for (const LossRow& row : rows_of<LossRow>(trace, kSame)) CHECK(row.difference == 0);
  CHECK(distance_at(trace, kOrder, 1)->relative > 0);
  const auto losses = rows_of<LossRow>(trace, kSeed);
  REQUIRE(losses.size() == 20);
  const EndRow end = row_of<EndRow>(trace, kSeed);
  const auto differences = values_of(losses, &LossRow::difference);
  CHECK(end.most == std::ranges::max(differences));
  CHECK(end.in_10_steps == std::ranges::max(std::span(differences).first(10)));
  CHECK(end.in_10_steps < end.most);
  CHECK(end.last_tenth == Approx((differences[18] + differences[19]) / 2));
  CHECK(end.noise == Approx(2 * std::sqrt(end.accuracy * (1 - end.accuracy) / 1024)));

  std::set<std::string> apart, missing;
  for (const EndRow& row : rows_in<EndRow>(trace)) {
    if (!row.ranks_agree) apart.insert(row.training);
    if (row.missing != 0) missing.insert(row.training);
  }
  CHECK(apart == std::set<std::string>{kBucket});
  CHECK(missing == std::set<std::string>{kBucket, kNorm});
  CHECK(trace.rows().ledger.size() > 100);
  for (const LedgerRow& row : trace.rows().ledger) CHECK(row.unexplained() == 0);
  check_shown(kLesson, trace);
  check_answers(kLesson, {"steps=20"}, trace);
}

TEST_CASE("drift: where orders agree, where a curve tells nothing, and curves without names") {
  const Trace trace = run_lesson(kLesson, {"steps=10", "accumulate=1"});
  for (const DistanceRow& row : rows_of<DistanceRow>(trace, kOrder)) CHECK(row.relative == 0);
  CHECK(verdict_alone(kLesson, "all", trace) == "fails");
  CHECK(verdict_alone(kLesson, "one-two", trace) == "fails");
  const Trace bf16 = run_lesson(kLesson, {"steps=10", "precision=bf16"});
  CHECK(shape_of(bf16, kOrder) == Shape::kUnknown);
  CHECK(answer_of(kLesson, "order", bf16).empty());
  CHECK(distance_at(bf16, kOrder, 10)->relative > 1e-4);
  std::set<std::string> orders;
  for (const char* seed : {"seed=0", "seed=1", "seed=2", "seed=3", "seed=4"}) {
    std::string order;
    for (const char* training : kCurves) order += letter(training, {seed});
    orders.insert(order);
    std::ranges::sort(order);
    CHECK(order == "ABCD");
  }
  CHECK(orders.size() > 1);
  CHECK(names_of_curves({"norm"}) == std::vector<std::string>{"A", "B", "C", "D", kSeed});
  CHECK(names_of_curves({}).at(0).size() > 2);
}

TEST_CASE("drift: a doctored trace changes each verdict and each measured answer") {
  const auto verdict = [](const char* claim, const Doctored& with) {
    return verdict_alone(kLesson, claim, doctored(with));
  };
  CHECK(verdicts_of(kLesson, doctored()) ==
        "all partly, one-two partly, one-alone fails, log fails, accuracy holds");
  CHECK(verdict("all", {.same = 1e-8}) == "holds");
  CHECK(verdict("all", {.order = 0}) == "fails");
  CHECK(verdict("one-alone", {.same = 1e-8}) == "holds");
  CHECK(verdict("one-two", {.order = 1e-3}) == "holds");
  CHECK(verdict("one-two", {.order = 0}) == "fails");
  CHECK(verdict("log", {.order = 0.01}) == "holds");
  CHECK(verdict("accuracy", {.accuracy = 0.7}) == "fails");
  check_says_nothing(kLesson);
  CHECK(said_of(doctored()) ==
        "Stage 2's order of sums: 1e-07 after 10 steps. The smallest bug: 3e-03 after 10.");
  CHECK(said_of(doctored({.order = 0, .norm = 0})) ==
        "Stage 2's order of sums: 0 after 10 steps. One of the bugs changes no bit in 10.");
  const auto answer = [](const char* question, const Doctored& with) {
    return answer_of(kLesson, question, doctored(with));
  };
  CHECK(answer("order", {}) == Words{letter(kOrder)});
  CHECK(answer("order", {.order = 1e-2}).empty());
  CHECK(answer("norm", {.ulp = std::ldexp(1.0, -7)}).empty());
  CHECK(answer("stale", {}) == Words{letter(kStale)});
  CHECK(answer("agree", {}) == Words{kBucket});
  CHECK(answer("agree", {.stale_agrees = false}) == Words{kBucket, kStale});
  CHECK(answer("far", {}) == Words{"less than 1 in 10,000"});
  CHECK(answer("far", {.order = 0}) == Words{"not one bit"});
  CHECK(answer("far", {.order = 0.02}) == Words{"about a percent"});
  CHECK(answer("far", {.order = 0.3}) == Words{"as far as two seeds"});
}

}  // namespace ringside::lessons::drift
