#include "missing_gradient/parts.h"
#include "ringside/figures/instant.h"
#include "run_a_lesson.h"

namespace ringside::lessons::missing_gradient {
using namespace testing;

namespace {

const Lesson kLesson = lesson_alone("missing_gradient", make_lesson());

struct Doctored {
  size_t late_from = kExpertBucket;  // the absent rank's first bucket behind its backward
  double moved = 0.75, moved_unused = 0.1, moved_in_ddp = 0, other_value = 1;
  bool completes_rest = true;
  std::string error = "rank 1 differs";
};

Trace doctored_trace(const Doctored& of) {
  const auto store = TraceStore::create("missing_gradient");
  const auto add = [&](const char* section, double moved, int64_t step, double other_value) {
    const auto pens = store->add_section(section, {{kAbsent, "1"}, {kError, of.error}}, 2);
    for (Recorder* pen : pens) {
      pen->span("backward", 100, 200, 0);
      for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
        CollectiveEvent event;
        event.tag = pen->name("gradients");
        event.unit = pen->name("bucket " + std::to_string(bucket));
        event.rank = pen->rank();
        event.collective_seq_id = int64_t(bucket);
        event.state = CollectiveState::kCompleted;
        const bool late = pen->rank() == 1 && bucket >= of.late_from;
        event.time_created_ns = late ? 210 : 110 + int64_t(bucket);
        event.time_completed_ns = 300 + int64_t(bucket);
        pen->collective(event);
      }
      record_row(*pen, MoveRow{pen->rank(), step, moved, pen->rank() == 0 ? 1 : other_value});
    }
  };
  add(kAll, 1, 0, 1);
  add(kOne, of.moved, 0, 1);
  add(kUnused, of.moved_unused, 1, 1);
  add(kLikeDdp, of.moved_in_ddp, 1, 1);
  add(kSkipsNone, 1, 0, of.other_value);
  add(kSkips, 1, 0, 1);
  if (of.completes_rest) add(kSilent, 1, 0, 1);
  return store->snapshot();
}

std::string verdict(const std::string& claim, const Doctored& of) {
  return verdict_alone(kLesson, claim, doctored_trace(of));
}

}  // namespace

TEST_CASE("missing gradient: one rank without it delays every bucket behind it, whichever rank it is") {
  const std::vector<std::string> words =
      GENERATE(values<std::vector<std::string>>({{}, {"ranks=3", "absent=0"}, {"absent=3"}}));
  const Trace trace = run_lesson(kLesson, words);
  INFO(trace.scenario());
  const int64_t absent = trace.find(kOne)->integer(kAbsent);
  const auto with = reduced(trace, kAll), without = reduced(trace, kOne);
  for (size_t rank = 0; rank < without.size(); ++rank)
    for (size_t bucket = 0; bucket < kBuckets; ++bucket) {
      INFO("rank " << rank << " bucket " << bucket);
      CHECK(without[rank].at(bucket).in_backward == (int64_t(rank) != absent || bucket < kExpertBucket));
      CHECK(with[rank].at(bucket).in_backward);
    }
  check_answers(kLesson, words, trace, 1e-4);
  for (const MoveRow& row : rows_in<MoveRow>(trace.find(kLikeDdp))) CHECK((row.moved > 0) == (row.step == 0));
  CHECK(time_range(*trace.find(kSilent)).length() > 900'000'000);  // the ranks' wait is there to be watched
  CHECK(trace.find(kSkips)->has(kBroke));
  CHECK(verdicts_of(trace) == "delays holds, none fails, check holds, silent fails");
}

TEST_CASE("missing gradient: a doctored trace changes each verdict and each measured answer") {
  CHECK(verdicts_of(kLesson, doctored_trace({})) == "delays holds, none fails, check holds, silent fails");
  CHECK(verdict("none", {.other_value = 2}) == "fails");
  CHECK(verdict("none", {.moved_unused = 0}) == "holds");
  CHECK(verdict("none", {.moved_unused = 0, .moved_in_ddp = 0.1}) == "fails");
  CHECK(verdict("check", {.error = "it went wrong"}) == "fails");
  CHECK(verdict("silent", {.completes_rest = false}) == "not_testable");
  check_says_nothing(kLesson);
  const auto answer = [](const char* question, const Doctored& of) {
    return answer_of(kLesson, question, doctored_trace(of)).at(0);
  };
  CHECK(answer("waits", {}) == "that bucket is late, and all behind it");
  CHECK(answer("waits", {.late_from = kBuckets}) == "that bucket is late, the others are not");
  CHECK(*question_of(kLesson, "share").measured(doctored_trace({.moved = 1})) == 100);
  CHECK(answer("moves", {}) == "in flat buffers yes, in DDP no");
  CHECK(answer("moves", {.moved_unused = 0}) == "no, in neither");
  CHECK(answer("moves", {.moved_in_ddp = 0.1}) == "yes, in both");
  Session session(kLesson, scenario_of(kLesson, {"ranks=3", "absent=3"}));
  finishes(session);
  CHECK_THROWS_AS(session.result(), UsageError);
}

}  // namespace ringside::lessons::missing_gradient
