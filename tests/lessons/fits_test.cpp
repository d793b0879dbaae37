#include "check_text.h"
#include "fits/parts.h"
#include "run_a_lesson.h"

namespace ringside::lessons::fits {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("fits", make_lesson());

struct Doctored {
  int64_t counted = 16000, activations_of_3 = 5000, extra = 0;
  double card = 80e9;
  ActivationTerms layer{34, 5};
  double larger = 1;  // the sizes kept aside, times what the coefficients give
};

std::vector<SizeRow> sizes_of(const Doctored& of) {
  std::vector<SizeRow> sizes;
  for (const ActivationSizes& shape : {ActivationSizes{1, 32, 32, 4, 1},
                                       {2, 32, 32, 4, 2},
                                       {1, 64, 64, 4, 3},
                                       {1, 128, 32, 4, 2},
                                       {3, 64, 128, 4, 1},
                                       {1, 256, 64, 4, 1},
                                       {4, 256, 128, 4, 6}}) {
    const bool kept_aside = shape.b == 4;
    const double bytes = of.layer.bytes(shape) * (kept_aside ? of.larger : 1);
    sizes.push_back({.b = shape.b,
                     .s = shape.s,
                     .h = shape.h,
                     .a = shape.a,
                     .L = shape.L,
                     .counted = std::llround(bytes),
                     .role = kept_aside ? kPredicted : kFitted});
  }
  return sizes;
}

Trace doctored_trace(const Doctored& of) {
  const auto store = TraceStore::create("fits");
  Recorder& pen = *store->add_section("sizes", {}, 1).front();
  const int64_t state[] = {of.counted, 5500, 3750, 2000};  // of 1000 parameters
  for (int64_t stage = 0; stage < kStages; ++stage) {
    const auto bytes = state[static_cast<size_t>(stage)];
    const double each = double(bytes) / 1000, scaled = each * 7.6e9;
    record_row(pen,
               StateRow{stage, bytes, 0, bytes + of.extra, each, stage == 3 ? of.activations_of_3 : 5000});
    record_row(pen, CardRow{stage, scaled / 8, scaled / 8, scaled * 3 / 4, of.card, stage == 3});
  }
  auto sizes = sizes_of(of);
  record_fit(pen, fit_sizes(sizes), budget_of(scenario_of(kLesson, {})), rows_in<CardRow>(store->snapshot()));
  return store->snapshot();
}

std::string verdict(const std::string& claim, const Doctored& of) {
  return verdict_alone(kLesson, claim, doctored_trace(of));
}

}  // namespace

TEST_CASE("fits: what is predicted is what is counted, of other proportions too") {
  const Trace trace = run_lesson(kLesson, {});
  const Config config = scenario_of(kLesson, {});
  for (const LedgerRow& row : trace.rows().ledger) CHECK(row.unexplained() == 0);
  const FitRow fit = row_of<FitRow>(trace);
  const ActivationTerms listed = listed_terms(budget_of(config).model.text);
  INFO(fit.hidden << " " << fit.scores);
  CHECK(fit.hidden == Approx(listed.hidden).epsilon(0.03));
  CHECK(fit.scores == Approx(listed.scores).epsilon(0.03));
  CHECK(fit.error < 3);
  CHECK(rows_where<SizeRow>(trace, having(&SizeRow::role, kPredicted)).size() == 2);
  check_answers(kLesson, {}, trace, 0.02);
  CHECK(verdicts_of(trace) == "formula holds, weights fails, activations partly, shards fails");
  CHECK(kLesson.readouts({config, trace}).at(0).value == "15.2 GB");
  const Config llama = scenario_of(kLesson, {"model=llama_2_7b", "cards=3"});
  const Trace padded = run_lesson(kLesson, {"model=llama_2_7b", "cards=3"});  // its shards have padding
  CHECK(row_of<StateRow>(padded, 3).padding > 0);
  CHECK(row_of<StateRow>(padded, 3).each == Approx(16 / 3.0).epsilon(1e-5));
  CHECK(row_of<CardRow>(padded, 3).state() == Approx(budget_of(llama).state(3).total()).epsilon(1e-5));
  const FitRow other = row_of<FitRow>(padded);
  INFO(other.hidden << " " << other.scores);
  CHECK(other.hidden == Approx(listed_terms(budget_of(llama).model.text).hidden).epsilon(0.03));
  CHECK(other.scores == Approx(6).epsilon(0.03));
}

TEST_CASE("fits: any model can be asked about; a fit finds the coefficients behind the bytes") {
  for (const char* model : {"model=qwen2_5_7b", "model=llama_2_7b", "model=llama_3_2_1b"})
    for (const char* words : {"cards=1", "stage=0", "tokens=128", "memory=24"}) {
      const Config config = scenario_of(kLesson, {model, words});
      INFO(config.scenario());
      for (const PredictionSpec& spec : kLesson.predictions) CHECK(contradiction_in(spec, config).empty());
    }
  CHECK_NOTHROW(scenario_of(kLesson, {"model=llama_2_7b"}));
  const std::string refusal = message_of<UsageError>([] { scenario_of(kLesson, {"model=gpt_9"}); });
  CHECK(lacks(refusal, {"model=gpt_9", "llama_2_7b", "path of a config.json"}) == "");
  auto sizes = sizes_of({.larger = 2});
  const FitRow found = fit_sizes(sizes);
  CHECK(found.hidden == Approx(34).epsilon(0.01));
  CHECK(found.scores == Approx(5).epsilon(0.01));
  CHECK(found.error == Approx(50).epsilon(0.02));
}

TEST_CASE("fits: A doctored trace changes each verdict and each measured answer") {
  CHECK(verdicts_of(kLesson, doctored_trace({})) ==
        "formula holds, weights fails, activations holds, shards fails");
  CHECK(verdict("formula", {.extra = 1}) == "fails");
  CHECK(verdict("weights", {.card = 200e9}) == "holds");
  CHECK(verdict("weights", {.card = 130e9}) == "partly");  // the state fits, and no sequence beside it
  CHECK(verdict("weights", {.card = 1e9}) == "not_testable");
  CHECK(verdict("activations", {.layer = {60, 6}}) == "partly");
  CHECK(verdict("activations", {.larger = 2}) == "fails");
  CHECK(verdict("shards", {.activations_of_3 = 1000}) == "holds");
  check_says_nothing(kLesson);

  const auto words = [](const char* id, const Doctored& of) {
    return answer_of(kLesson, id, doctored_trace(of));
  };
  const auto number = [](const char* id, const Doctored& of) {
    return *question_of(kLesson, id).measured(doctored_trace(of));
  };
  CHECK(number("state_one_card", {}) == Approx(121.6));
  CHECK(number("state_one_card", {.counted = 8000}) == Approx(60.8));
  CHECK(words("fits", {}) == Words{"stage 1", "stage 2", "stage 3"});
  CHECK(words("fits", {.card = 20e9}) == Words{"stage 3"});
  CHECK(words("fits", {.card = 1e9}) == Words{"none"});
  CHECK(words("dominates", {}) == Words{"activations"});
  CHECK(words("dominates", {.layer = {1, 0}}) == Words{"optimizer state"});
  CHECK(number("most", {}) == 2);
  CHECK(number("most", {.layer = {60, 6}}) == 1);
}

}  // namespace ringside::lessons::fits
