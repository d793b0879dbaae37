// The path from a log of reviews: strengths, what comes next, the days until an interview, the placement.
#include "path.h"

#include <catch.h>

#include <set>

#include "day_plan.h"
#include "mock_interview.h"
#include "placement.h"
#include "review_session.h"
#include "temp_folder.h"

namespace ringside {
namespace {

constexpr int64_t kNoon = 1'767'268'800'000;  // Thu 1 Jan 2026, 12:00 UTC

// `right` of the first `of` drills of that topic were right on that day.
void answer(std::vector<ReviewEntry>& log, const std::string& topic, int of, int right, int day = 0) {
  int n = 0;
  for (const Drill& drill : drills())
    if (drill.topic == topic && n < of)
      log.push_back({.id = drill.id + std::to_string(day),
                     .card = "drill/" + drill.id,
                     .at = kNoon + day * kDayMs,
                     .rating = n++ < right ? Rating::kGood : Rating::kAgain});
}

struct Study {
  StudyRecord record{{}};
  std::vector<ReviewEntry> log = {};
  SessionWishes wishes{.now = kNoon};
  std::vector<Card> cards() const { return bank_cards(record); }
  StudyPath path() const { return study_path(cards(), log, record, wishes); }
  std::vector<PlannedDay> days() const { return plan_days(path(), cards(), log, wishes); }
};

TEST_CASE("a share has its Beta interval, and under five answers it cannot be told") {
  CHECK(beta_interval(8, 10).low == Approx(0.48224415));  // as scipy.stats.beta.ppf has it
  CHECK(beta_interval(8, 10).high == Approx(0.93978227));
  CHECK(beta_interval(0, 0).low == Approx(0.025));
  CHECK(strength_of("memory", 20, 4, 4).in_words() == "4 of 4 right: cannot be told yet");
  CHECK(strength_of("memory", 20, 10, 10).standing == Standing::kStrong);
  CHECK(strength_of("memory", 20, 10, 7).standing == Standing::kCannotTell);
  CHECK(strength_of("memory", 20, 10, 2).standing == Standing::kWeak);
  PathTopic topic;
  topic.strength = strength_of("memory", 20, 10, 5);
  CHECK_FALSE(topic.known());  // half is not more than half
  topic.strength = strength_of("memory", 20, 10, 6);
  CHECK(topic.known());
}

TEST_CASE("a card counts by the first rating of its last day") {
  Study study;
  answer(study.log, "memory", 6, 0, 0);
  answer(study.log, "memory", 1, 1, 0);  // later on the same day
  CHECK(find_topic(study.path(), "memory")->strength.right == 0);
  answer(study.log, "memory", 2, 2, 1);
  const TopicStrength strength = find_topic(study.path(), "memory")->strength;
  CHECK(strength.seen == 6);
  CHECK(strength.right == 2);
}

TEST_CASE("each topic comes after what it needs, and each of the bank is on the map once") {
  const StudyPath path = Study().path();
  std::set<std::string> before;
  for (const PathTopic& one : path.topics) {
    CAPTURE(one.topic);
    for (const std::string& need : one.needs) CHECK(before.contains(need));
    CHECK(before.insert(one.topic).second);
    CHECK_FALSE(one.lessons.empty());
  }
  for (const Drill& drill : drills()) CHECK(before.contains(drill.topic));
  CHECK(find_topic(path, "pipeline")->code.size() == 1);
  CHECK(map_of(path).nodes.size() == path.topics.size());
  CHECK(find_topic(path, "memory")->opens == std::vector<std::string>{"traffic", "speed"});
}

TEST_CASE("what comes next: the placement, what is due, a weak topic, then the map") {
  Study study;
  CHECK(study.path().next.front().command() == "ringside path --placement");
  answer(study.log, "memory", 13, 13);
  CHECK(study.path().next.front().command() == "ringside run zero");
  CHECK(study.path().next.front().why ==
        "traffic comes next on the map: it needs memory (13 of 13 right: 77 to 100 %).");
  answer(study.log, "numbers", 12, 2);
  CHECK(study.path().here == "numbers");
  CHECK(study.path().next.front().why == "numbers is weak: 2 of 12 right: 5 to 45 %.");
  Attempt attempt;
  attempt.lesson = "rounding";
  study.record.add(attempt);
  CHECK(study.path().next.front().command() == "ringside run optimizers");  // the next one of that topic
  study.wishes.now += 2 * kDayMs;
  const PathStep due = study.path().next.front();
  CHECK(due.command() == "ringside review");
  CHECK(due.why.find(std::to_string(study.path().today.due) + " cards are due") == 0);
}

TEST_CASE("the days until an interview keep to the minutes, with a mock and a last day of due cards") {
  Study study;
  study.wishes.minutes = 15;
  study.wishes.fsrs.interview = kNoon - kDayMs / 2 + 9 * kDayMs;
  const std::vector<PlannedDay> days = study.days();
  REQUIRE(days.size() == 9);
  size_t fresh = 0;
  for (const PlannedDay& day : days) {
    CHECK(day.minutes <= 15.0);
    fresh += day.fresh;
  }
  CHECK(days[0].lesson == "zero");
  CHECK(fresh > 30);
  CHECK(days[7].mock_minutes == 15);
  CHECK(days[8].fresh == 0);
  CHECK(days[8].due > 0);
  study.wishes.minutes = 60;
  CHECK(study.days().back().fresh == 0);
  CHECK(in_words(days[0]).starts_with("read zero, "));
  study.wishes.fsrs.interview = kNoon - kDayMs / 2 + 2 * kDayMs;
  REQUIRE(study.days().size() == 2);
  CHECK(study.days()[0].mock_minutes == 0);  // two days are too few for one
  study.wishes.fsrs.interview = 0;
  CHECK(study.days().empty());
}

TEST_CASE("a mock about a program shows it") {
  const StudyRecord record{{}};
  ReviewLog log{{}};
  const MockInterview mock(log, record, {.seed = 1, .topics = {"generators"}}, kNoon);
  CHECK(mock.question().size() > 5);
}

TEST_CASE("a placement spreads over topics and levels, repeats by its seed, and sets what is due") {
  std::set<std::string> topics, levels, ids;
  for (const Card& card : placement_cards(7)) {
    topics.insert(card.topic);
    levels.insert(std::to_string(card.level));
    ids.insert(card.id);
  }
  CHECK(topics.size() == 9);
  CHECK(levels.size() == 3);
  CHECK(ids.size() == kPlacementQuestions);
  for (const Card& card : placement_cards(7)) CHECK(ids.contains(card.id));
  CHECK(placement_cards(8).front().id != placement_cards(7).front().id);

  const testing::TempFolder folder;
  ReviewLog log(folder.path);
  Study study;
  ReviewSession session(log, study.record, {.cards = placement_cards(7), .seed = 7}, kNoon);
  const AskedCard first = session.asked();
  const std::string right = first.spec.words ? first.spec.words->right(first.config)[0]
                                             : std::to_string(first.spec.formula(first.config));
  const std::string known = session.card().id;
  CHECK(session.answer(right, kNoon) == "");
  session.rate(session.proposed(), kNoon);
  for (; !session.over(); session.rate(session.proposed(), kNoon)) session.show(kNoon);
  CHECK(session.reviewed() == 12);  // none is asked again
  study.log = log.read();
  study.wishes.now = kNoon + kDayMs;
  const StudyPath path = study.path();
  CHECK(path.today.due == 11);
  for (const PlannedCard& one : path.today.cards) CHECK(one.card.id != known);
}

}  // namespace
}  // namespace ringside
