#include "saying.h"

#include <catch.h>

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
  CHECK(sentences_of("").empty());
}

TEST_CASE("what was said comes back on the ladder, and counts as no guess") {
  const Saying saying = saying_of(std::string(kText) + kPoints);
  StudyRecord record("");
  const auto at = [](Attempt attempt, int64_t time) {
    attempt.time = time;
    return attempt;
  };
  record.add(at(points_attempt("zero", saying, {true, false}), 1000));
  record.add(at(follow_up_attempt("zero", saying.follow_ups[0], true), 1000));
  record.add(at(follow_up_attempt("zero", saying.follow_ups[1], false), 1001));
  CHECK(record.progress("zero").asked == 0);
  const auto redo = record.to_redo("zero", 1001 + 24 * 60 * 60);
  REQUIRE(redo.size() == 2);
  CHECK(redo[0].due);
  CHECK(redo[0].prediction == kSaidPoints);
  CHECK(redo[0].errors == std::vector<std::string>{"b too."});
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
