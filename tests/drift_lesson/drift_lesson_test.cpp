// The lesson as a front end runs it, and claims, answers and shapes of doctored traces.
#include <cmath>
#include <set>

#include "catch.h"
#include "check_text.h"
#include "patience.h"
#include "ringside/base/error.h"
#include "ringside/figures/compute.h"
#include "ringside/figures/instant.h"
#include "ringside/lesson/prediction.h"
#include "ringside/session/session.h"
#include "rows.h"
#include "run_a_lesson.h"

namespace ringside::lessons::drift {
Lesson make_lesson();
}

using namespace ringside;
using namespace ringside::drift;

namespace {

const Lesson& lesson() {
  static const Lesson made = testing::lesson_alone("drift", lessons::drift::make_lesson());
  return made;
}

Config config_of(const std::vector<std::string>& words) { return testing::scenario_of(lesson(), words); }

Trace run_it(const std::vector<std::string>& words) { return testing::run_lesson(lesson(), words); }

ClaimResult judged(const Trace& trace, const std::string& id) {
  return testing::judge_alone(lesson(), id, trace);
}

std::optional<Words> answer_of(const Trace& trace, const std::string& id) {
  return testing::question_of(lesson(), id).words->measured(trace);
}

figure::Value figure_of(const Trace& trace, const std::string& id,
                        const std::vector<std::string>& open = {}) {
  static const Config config = config_of({});
  const FigureSpec& spec = testing::figure_of(lesson(), id);
  FigureInput input = default_input(config, spec, trace);
  input.open = open;
  return figure::compute(lesson(), spec, input);
}

// Distances after steps 1, 2 and 10, the same for the losses.
struct Doctored {
  double same = 0, order = 1e-7, accuracy = 0.8, ulp = std::ldexp(1.0, -23);
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
      {kNorm, {1e-4, 3e-4, 3e-3}},
      {kStale, {1e-8, 5e-3, 8e-3}},
      {kSeed, {0.3, 0.3, 0.3}}};
  for (const auto& [training, distances] : curves) {
    for (const size_t i : {0, 1, 2}) {
      const int64_t step = i == 2 ? 10 : static_cast<int64_t>(i) + 1;
      if (training != kBase) record_row(pen, DistanceRow{training, step, distances[i]});
      record_row(pen, LossRow{training, step, 2, distances[i]});
    }
    EndRow end{.training = training,
               .letter = letter_of(config_of({}), training),
               .ranks_agree = training != kBucket};
    if (training == kStale) end.ranks_agree = with.stale_agrees;
    end.evaluated = 1000;
    end.accuracy = training == kOrder ? with.accuracy : 0.8;
    record_row(pen, end);
  }
  return store->snapshot();
}

}  // namespace

TEST_CASE("a run: each curve has its shape, and bytes and hashes say what they can") {
  const Trace trace = run_it({"steps=20"});
  CHECK(shape_of(trace, kOrder) == Shape::kRounding);
  CHECK(shape_of(trace, kBucket) == Shape::kLarge);
  CHECK(shape_of(trace, kNorm) == Shape::kSmall);
  CHECK(shape_of(trace, kStale) == Shape::kLate);
  for (const DistanceRow& row : distances_of(trace, kSame)) CHECK(row.relative == 0);
  for (const LossRow& row : losses_of(trace, kSame)) CHECK(row.difference == 0);
  CHECK(distance_at(trace, kOrder, 1)->relative > 0);
  CHECK(distance_at(trace, kOrder, 1)->ulps < 4);
  CHECK(losses_of(trace, kOrder).size() == 20);

  std::set<std::string> apart, missing;
  for (const EndRow& row : rows_in<EndRow>(trace)) {
    if (!row.ranks_agree) apart.insert(row.training);
    if (row.missing != 0) missing.insert(row.training);
  }
  CHECK(apart == std::set<std::string>{kBucket});
  CHECK(missing == std::set<std::string>{kBucket, kNorm});
  CHECK(trace.rows().ledger.size() > 100);
  for (const LedgerRow& row : trace.rows().ledger) CHECK(row.unexplained() == 0);
  for (const FigureSpec& spec : lesson().figures)
    CHECK_FALSE(std::holds_alternative<figure::Nothing>(figure_of(trace, spec.id)));
  for (const char* id : {"order", "stale", "norm"}) {
    INFO(id);
    for (const PredictionSpec& one : lesson().predictions)
      if (one.id == id) CHECK(answer_of(trace, id) == one.words->right(config_of({})));
  }
}

TEST_CASE("without accumulation stage 2 adds in stage 1's order") {
  const Trace trace = run_it({"steps=20", "accumulate=1"});
  for (const DistanceRow& row : distances_of(trace, kOrder)) CHECK(row.relative == 0);
  CHECK(judged(trace, "all").verdict == Verdict::kFails);
  CHECK(judged(trace, "one-two").verdict == Verdict::kFails);
}

TEST_CASE("in bf16 a curve cannot be told from a bug's, and nobody says so") {
  const Trace trace = run_it({"steps=20", "precision=bf16"});
  CHECK(shape_of(trace, kOrder) == Shape::kUnknown);
  CHECK_FALSE(answer_of(trace, "order"));
  CHECK(distance_at(trace, kOrder, 10)->relative > 1e-4);
}

TEST_CASE("letters are a permutation that follows from the seed") {
  std::set<std::string> orders;
  for (const char* seed : {"seed=0", "seed=1", "seed=2", "seed=3", "seed=4"}) {
    std::set<std::string> letters;
    std::string order;
    for (const char* training : kCurves) {
      letters.insert(letter_of(config_of({seed}), training));
      order += letter_of(config_of({seed}), training);
    }
    CHECK(letters == std::set<std::string>{"A", "B", "C", "D"});
    orders.insert(order);
  }
  CHECK(orders.size() > 1);
}

TEST_CASE("curves have no names while they are asked for") {
  const auto names = [](const std::vector<std::string>& open) {
    const figure::Value shown = figure_of(doctored(), "parameters", open);
    std::vector<std::string> all;
    for (const figure::Line& line : std::get<figure::Lines>(shown).lines) all.push_back(line.name);
    return all;
  };
  CHECK(names({"norm"}) == std::vector<std::string>{"A", "B", "C", "D", kSeed});
  CHECK(names({}).at(0).size() > 2);
}

TEST_CASE("a doctored trace changes each verdict") {
  CHECK(judged(doctored(), "all").verdict == Verdict::kPartly);
  CHECK(judged(doctored({.same = 1e-8}), "all").verdict == Verdict::kHolds);
  CHECK(judged(doctored({.order = 0}), "all").verdict == Verdict::kFails);
  CHECK(judged(doctored(), "one-alone").verdict == Verdict::kFails);
  CHECK(judged(doctored({.same = 1e-8}), "one-alone").verdict == Verdict::kHolds);
  CHECK(judged(doctored(), "one-two").verdict == Verdict::kHolds);
  CHECK(judged(doctored({.order = 0}), "one-two").verdict == Verdict::kFails);
  CHECK(judged(doctored(), "log").verdict == Verdict::kFails);
  CHECK(judged(doctored({.order = 0.01}), "log").verdict == Verdict::kHolds);
  CHECK(judged(doctored(), "accuracy").verdict == Verdict::kHolds);
  CHECK(judged(doctored({.accuracy = 0.7}), "accuracy").verdict == Verdict::kFails);
  for (const ClaimSpec& claim : lesson().claims) CHECK(claim.judge(Trace()).verdict == Verdict::kNotTestable);
}

TEST_CASE("a doctored trace changes each measured answer") {
  CHECK(answer_of(doctored(), "order") == Words{letter_of(config_of({}), kOrder)});
  CHECK_FALSE(answer_of(doctored({.order = 1e-2}), "order"));
  CHECK_FALSE(answer_of(doctored({.ulp = std::ldexp(1.0, -7)}), "norm"));
  CHECK(answer_of(doctored(), "stale") == Words{letter_of(config_of({}), kStale)});
  CHECK(answer_of(doctored(), "agree") == Words{kBucket});
  CHECK(answer_of(doctored({.stale_agrees = false}), "agree") == Words{kBucket, kStale});
  CHECK(answer_of(doctored(), "far") == Words{"less than 1 in 10,000"});
  CHECK(answer_of(doctored({.order = 0}), "far") == Words{"not one bit"});
  CHECK(answer_of(doctored({.order = 0.02}), "far") == Words{"about a percent"});
  CHECK(answer_of(doctored({.order = 0.3}), "far") == Words{"as far as two seeds"});
  for (const PredictionSpec& one : lesson().predictions)
    CHECK_FALSE(one.words->measured(Trace()).has_value());
}
