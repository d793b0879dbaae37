// Buckets of every size, of planted times; and the lesson as a front end runs it.
#include "bucket_size/parts.h"
#include "run_a_lesson.h"

namespace ringside::lessons::bucket_size {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("bucket_size", make_lesson());

struct Planted {
  double small_bucket = 1.0;  // s in buckets of 1 Ki
  double large_bucket = 0.1;  // s in one bucket
  double odd_size = 1;        // times as long as it should, in buckets of 32 Ki
  int64_t rounds = 9;
  int64_t sums = 2;  // of the step
};

Trace planted(const Planted& of = {}) {
  const auto store = TraceStore::create("bucket_size");
  Recorder& step = *store->add_section(kStep, {}, 2).front();
  for (int64_t sum = 0; sum < of.sums; ++sum) record_row(step, BucketRow{"bucket", 1000, 2000});
  Attributes attributes = link_attributes({"", 0.001, 1e6});
  attributes[kStretched] = 2.0;
  Recorder& sweep = *store->add_section(kSweep, attributes, 2).front();
  for (int64_t round = 0; round < of.rounds; ++round)
    for (int64_t bucket = kLeast; bucket <= kLargest; bucket *= 2) {
      const double calls = double(kLargest) / double(bucket), a = (of.small_bucket - of.large_bucket) / 1023;
      record_row(sweep, Pass{bucket, int64_t(calls), 1 << 20,
                             (of.large_bucket - a + a * calls) * (bucket == 1 << 15 ? of.odd_size : 1)});
    }
  return store->snapshot();
}

}  // namespace

TEST_CASE("bucket size: the fit recovers a planted a and b") {
  std::vector<Pass> passes;
  for (const int64_t calls : {1, 8, 64, 1024})
    passes.push_back({0, calls, 1 << 20, 3e-4 * double(calls) + 2e-9 * (1 << 20)});
  const TwoCoefficients line = fit(passes).value();
  CHECK(line.a == Approx(3e-4));
  CHECK(line.b == Approx(2e-9));
  CHECK_FALSE(fit({passes[0], passes[0]}));
  CHECK_FALSE(fit({}));
}

TEST_CASE("bucket size: a doctored trace changes each verdict and each measured answer") {
  const auto verdict = [](const char* claim, const Planted& of) {
    return verdict_alone(kLesson, claim, planted(of));
  };
  CHECK(verdicts_of(kLesson, planted()) == "larger holds, a_plus_bn holds");
  CHECK(verdict("larger", {.small_bucket = 0.1}) == "fails");
  CHECK(verdict("larger", {.rounds = 1}) == "not_testable");
  CHECK(verdict("a_plus_bn", {.odd_size = 3}) == "fails");
  CHECK(verdict("a_plus_bn", {.small_bucket = 10}) ==
        "not_testable");  // a call of 10 ms, and 1 ms of the link
  CHECK(large_enough(sweep_of(planted())) == kLargest);
  const auto answer = [](const char* id, const Planted& of) { return answer_of(kLesson, id, planted(of)); };
  CHECK(answer("buckets", {}) == Words{"2 to 20 times as long"});
  CHECK(answer("buckets", {.small_bucket = 10}) == Words{"more than 20 times as long"});
  CHECK(question_of(kLesson, "calls").measured(planted({.sums = 3})) == 3);
  check_says_nothing(kLesson);
}

TEST_CASE("bucket size: every byte is explained, the step's collectives are those of the formula") {
  const auto words = GENERATE(
      values<std::vector<std::string>>({{}, {"ranks=3", "bucket=4Ki", "link=nvlink"}, {"link=none"}}));
  std::vector<std::string> quick = words;
  quick.push_back("rounds=1");
  const Config config = scenario_of(kLesson, quick);
  const Trace trace = run_lesson(kLesson, quick);
  INFO(trace.scenario());
  CHECK(kLesson.failed_check(trace).empty());
  CHECK(!trace.rows().ledger.empty());
  const PredictionSpec& calls = question_of(kLesson, "calls");
  CHECK(*calls.measured(trace) == calls.formula(config));
  CHECK(sweep_of(trace).medians.size() == 6);
  CHECK_FALSE(large_enough(sweep_of(trace)));  // one round tells nothing
  check_shown(kLesson, trace);
}

TEST_CASE("bucket size: how many collectives can be asked wherever buckets are small or large") {
  for (const char* bucket : {"bucket=256Ki", "bucket=4Ki"})
    CHECK(askable(question_of(kLesson, "calls"), scenario_of(kLesson, {bucket})));
}

}  // namespace ringside::lessons::bucket_size
