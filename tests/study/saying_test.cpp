#include "saying.h"

#include <catch.h>

#include "refuted.h"
#include "temp_folder.h"

namespace ringside {
namespace {

const char* kText =
    "# T\n## Say it\n**In short.** One `is`. Two of 3.5 are more! And three\nare enough.\n\n**In depth.** "
    "More.\n"
    "## They will ask next\n- Why? So.\n- No question.\n- **And *you*?** Me.\n";
const char* kPoints = "## Key points\n- `a` is\n  a point.\n- [b](<run:zero>) too.\n";

TEST_CASE("points are those of the text, or else its short answer's sentences") {
  const Saying without = saying_of(kText);
  CHECK(without.points ==
        std::vector<std::string>{"One is.", "Two of 3.5 are more!", "And three are enough."});
  REQUIRE(without.follow_ups.size() == 2);
  CHECK(without.follow_ups[1].answer == "Me.");
  CHECK(without.answers.find("In depth") != std::string::npos);
  const Saying with = saying_of(std::string(kText) + kPoints);
  CHECK(with.points == std::vector<std::string>{"a is a point.", "b too."});
  CHECK(saying_of("nothing").points.empty());
}

TEST_CASE("words tell a point in other forms and another order, and not from small words") {
  const char* point = "Stage 3 gathers the parameters for forward and again for backward.";
  CHECK(shares_words(point, "in backward stage 3 is gathering its parameter once more"));
  CHECK_FALSE(shares_words(point, "Stage 1 splits the optimizer state, which each rank needs for that."));
  CHECK(shares_words("Stages send 2Ψ.", "2Ψ are sent: all stages send 2Ψ"));
  CHECK_FALSE(shares_words(point, ""));
  CHECK_FALSE(shares_words("", "anything"));
}

TEST_CASE("half of the points are enough, and an error counts against one") {
  const Saying saying = saying_of(kText);  // three points
  CHECK(points_to_pass(3) == 2);
  CHECK(points_attempt("zero", saying, {true, false, true}).correct);
  CHECK_FALSE(points_attempt("zero", saying, {true, false, true}, 1).correct);
  CHECK(points_attempt("zero", saying, {true, true, true}, 1).correct);
  CHECK_FALSE(points_attempt("zero", saying, {true, true}).correct);  // not reached
}

TEST_CASE("a session asks five follow-ups at most, those not answered well first") {
  std::string text = "## They will ask next\n";
  for (int i = 0; i < 7; ++i) text += "- Why " + std::to_string(i) + "? So.\n";
  const Saying saying = saying_of(text);
  StudyRecord record("");
  CHECK(follow_ups_now("zero", saying, record).size() == kFollowUps);
  record.add(follow_up_attempt("zero", saying.follow_ups[0], true));
  record.add(follow_up_attempt("zero", saying.follow_ups[1], false));
  CHECK(follow_ups_now("zero", saying, record)[0].question == "Why 1?");
  CHECK(follow_ups_now("norms", saying, record)[0].question == "Why 0?");
}

TEST_CASE("what a run refuted is kept: claims that failed, then named errors") {
  Lesson lesson;
  lesson.predictions = {{"p", "what?", "B", always(1.0), {{"half of it", always(2.0)}}}};
  lesson.predictions[0].name = "bytes";
  const auto store = TraceStore::create("zero");
  TraceRows rows;
  rows.claims = {{"a", "B1", "all is free", Verdict::kFails, ""},
                 {"b", "B1", "it is so", Verdict::kHolds, ""}};
  store->set_rows(rows);
  const auto all = refuted_by(lesson, Config::parse("zero", {}, {}), store->snapshot());
  CHECK(all == std::vector<std::string>{"all is free", "bytes: half of it"});
  const testing::TempFolder folder;
  keep_refuted(folder.path, "zero", all);
  CHECK(kept_refuted(folder.path, "zero") == all);
  CHECK(kept_refuted(folder.path, "norms").empty());
  keep_refuted("/proc/nothing", "zero", all);  // no error
}

TEST_CASE("what was said comes back on the ladder, and counts as no guess") {
  const Saying saying = saying_of(std::string(kText) + kPoints);
  StudyRecord record("");
  const auto at = [](Attempt attempt, int64_t time) {
    attempt.time = time;
    return attempt;
  };
  record.add(at(points_attempt("zero", saying, {false, false}), 1000));
  record.add(at(follow_up_attempt("zero", saying.follow_ups[0], true), 1000));
  record.add(at(follow_up_attempt("zero", saying.follow_ups[1], false), 1001));
  CHECK(record.progress("zero").asked == 0);
  const auto redo = record.to_redo("zero", 1001 + 24 * 60 * 60);
  REQUIRE(redo.size() == 2);
  CHECK(redo[0].due);
  CHECK(redo[0].prediction == kSaidPoints);
  CHECK(redo[0].errors == std::vector<std::string>{"a is a point.", "b too."});
  CHECK(redo[1].prediction == said_id(saying.follow_ups[1]));
  CHECK(is_said(redo[1].prediction));
  CHECK(is_said(kSaidPoints));
  CHECK_FALSE(is_said("say it again"));
  record.add(points_attempt("zero", saying, {true, true}));
  CHECK(record.attempts().back().correct);
}

TEST_CASE("points that were not reached are neither said nor missed, and come again") {
  const Saying saying = saying_of(std::string(kText) + kPoints);
  const Attempt attempt = points_attempt("zero", saying, {true});
  CHECK_FALSE(attempt.correct);
  CHECK(attempt.errors.empty());
  CHECK(attempt.right_words.size() == 1);
}

TEST_CASE("a long question's id is what the record keeps of it") {
  const FollowUp one{std::string(200, 'q') + "?", "a"};
  StudyRecord record("");
  record.add(follow_up_attempt("zero", one, false));
  CHECK(record.attempts()[0].prediction == said_id(one));
}

}  // namespace
}  // namespace ringside
