#include "grouping/parts.h"
#include "run_a_lesson.h"

namespace ringside::lessons::grouping {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("grouping", make_lesson());

struct Doctored {
  double token_least = 1, group_most = 40, attention_token = 0.02, difference = 1e-7;
  double near = 80, above = 40, cold_signal = 0.2, cold_bias = 0.1, straight_bias = 0.4;
  double soft = 0.3, gumbel = 0.03, straight = 0.02;  // errors, made 0/1, of 0.03
  double accuracy = 95, tau = 1;
};

Trace doctored_trace(const Doctored& of) {
  const auto store = TraceStore::create(kLesson.id);
  const auto section = [&](const char* name) -> Recorder& {
    return *store->add_section(name, {}, 1).front();
  };
  record_row(section(kClusters), ClusterRow{70, 40});
  Recorder& same = section(kSame);
  record_row(same, SumRow{kAttention, of.attention_token, of.attention_token == 1 ? 1 : 0.08, 1, 1, 5, 0});
  record_row(same, SumRow{kGrouping, of.token_least, 1, 30, of.group_most, 144, of.difference});
  Recorder& dial = section(kDial);
  record_row(dial, DialRow{kGumbel, 0.05, 0.1, of.near, 1e-6, of.above, 0.1, 0});
  record_row(dial, DialRow{kGumbel, 0.1, 0.2, 60, 1e-2, of.above, of.cold_signal, of.cold_bias});
  record_row(dial, DialRow{kGumbel, 1, 1.3, 1, 1, 100, 0.8, 0.4});
  record_row(dial, DialRow{kStraight, 1, 0, 1, 1, 100, 0.5, of.straight_bias});
  for (const auto& [way, hard] : {std::pair{kSoft, of.soft}, {kGumbel, of.gumbel}, {kStraight, of.straight}})
    record_row(section(way), TrainedRow{way, 160, 0.03, hard, of.accuracy});
  record_row(store->recorder(kSoft, 0), SceneRow{of.tau, 0.03, of.soft});
  return store->snapshot();
}

std::string verdict(const std::string& claim, const Doctored& of) {
  return verdict_alone(kLesson, claim, doctored_trace(of));
}

}  // namespace

TEST_CASE("grouping: what is predicted is what is measured, and every byte is explained") {
  const std::vector<std::string> words = {"steps=80"};
  const Trace trace = run_lesson(kLesson, words);
  check_answers(kLesson, words, trace);
  check_shown(kLesson, trace);
  for (const LedgerRow& row : trace.rows().ledger) CHECK(row.unexplained() == 0);
  CHECK(verdicts_of(trace) ==
        "weights partly, clustering holds, cold partly, trade holds, biased holds, enough fails, k-means "
        "fails");
  for (const PictureRow& row : rows_in<PictureRow>(trace)) CHECK(row.tokens.size() == 144);
  std::set<double> errors;  // the noise is of both trainings that have it, and 0/1 of one of them
  for (const char* way : kWays) {
    const TrainedRow row = last_row_of<TrainedRow>(trace, way);
    CHECK(row.step == 80);
    errors.insert({row.error, row.hard});
  }
  CHECK(errors.size() == 6);
}

TEST_CASE("grouping: a claim follows the trace") {
  CHECK(verdicts_of(kLesson, doctored_trace({})) ==
        "weights partly, clustering holds, cold partly, trade holds, biased holds, enough fails, k-means "
        "fails");
  CHECK(verdict("weights", {.difference = 0.1}) == "holds");
  CHECK(verdict("weights", {.accuracy = 40}) == "fails");
  CHECK(verdict("clustering", {.token_least = 0.5}) == "partly");
  CHECK(verdict("clustering", {.attention_token = 1}) == "partly");
  CHECK(verdict("cold", {.above = 95}) == "holds");
  CHECK(verdict("cold", {.near = 10}) == "fails");
  CHECK(verdict("trade", {.cold_signal = 0.7}) == "partly");
  CHECK(verdict("trade", {.cold_bias = 0.4}) == "partly");
  CHECK(verdict("biased", {.straight_bias = 0.01}) == "fails");
  CHECK(verdict("enough", {.soft = 0.03}) == "holds");
  CHECK(verdict("k-means", {.accuracy = 68}) == "holds");
  CHECK(verdict("k-means", {.accuracy = 60}) == "fails");
  CHECK(answer_of(kLesson, "axis", doctored_trace({})) == Words{"over the groups, for each token"});
  CHECK(answer_of(kLesson, "axis", doctored_trace({.token_least = 0.5})) !=
        answer_of(kLesson, "axis", doctored_trace({})));
  CHECK(answer_of(kLesson, "alive", doctored_trace({.above = 60})) == Words{"about 6 in 10"});
  CHECK(answer_of(kLesson, "alive", doctored_trace({.above = 100})) == Words{"all"});
  CHECK(answer_of(kLesson, "rises", doctored_trace({})) == Words{"of the soft one"});
  CHECK(answer_of(kLesson, "rises", doctored_trace({.soft = 0.03})) == Words{"of none"});
  CHECK(answer_of(kLesson, "rises", doctored_trace({.tau = 5})).empty());
  check_says_nothing(kLesson);
}

}  // namespace ringside::lessons::grouping
