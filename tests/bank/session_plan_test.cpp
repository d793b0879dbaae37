#include "session_plan.h"

#include <catch.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "exchange.h"
#include "ringside/base/error.h"
#include "temp_folder.h"

namespace ringside {
namespace {

constexpr int64_t kToday = 1'767'268'800'000;

std::vector<Card> own_cards(int count) {
  std::vector<Card> cards;
  for (int i = 0; i < count; ++i)
    cards.push_back({.id = "drill/" + std::to_string(i), .topic = i % 2 == 0 ? "memory" : "traffic"});
  return cards;
}
ReviewEntry on_day(int card, int day, Rating rating = Rating::kGood, int64_t ms = 20'000) {
  return {.id = std::to_string(card) + "." + std::to_string(day) + std::to_string(static_cast<int>(rating)),
          .card = "drill/" + std::to_string(card),
          .at = kToday + day * kDayMs,
          .ms = ms,
          .rating = rating};
}
std::vector<std::string> ids(const SessionPlan& plan) {
  std::vector<std::string> all;
  for (const PlannedCard& one : plan.cards) all.push_back(one.card.id.substr(6));
  return all;
}
using Ids = std::vector<std::string>;

TEST_CASE("due cards come before new ones, the least recalled first, as many as fit into the minutes") {
  SessionWishes wishes{.now = kToday, .minutes = 3};
  CHECK(ids(plan_session(own_cards(9), {}, wishes)) == Ids{"0", "1", "2", "3"});  // 45 s each
  const std::vector<ReviewEntry> log = {on_day(5, 0, Rating::kGood), on_day(6, 0, Rating::kAgain),
                                        on_day(7, 0, Rating::kEasy)};
  wishes.now = kToday + kDayMs;
  CHECK(ids(plan_session(own_cards(9), log, wishes)) == Ids{"6", "5", "0", "1"});  // 7 is not due
  wishes.minutes = 0.5;
  const SessionPlan one = plan_session(own_cards(9), log, wishes);
  CHECK(ids(one) == Ids{"6"});
  CHECK(one.due == 2);
  CHECK(one.left_out == 1);
  // Due at this very moment; and what is due is left out before what is new, though that would fit.
  Memories memories = replay({on_day(0, 0), on_day(1, 0)}, wishes.fsrs);
  wishes = {.now = memories.at("drill/0").due, .minutes = 1};
  std::vector<Card> cards = own_cards(3);
  cards[2].kind = CardKind::kCode;
  CHECK(plan_session(cards, memories, {{CardKind::kCode, 10}}, wishes).due == 2);
  CHECK(ids(plan_session(cards, memories, {{CardKind::kCode, 10}}, wishes)).size() == 1);
  wishes.now -= 1;
  CHECK(plan_session(cards, memories, {}, wishes).due == 0);
}

TEST_CASE("what cards of a kind took before says how many fit") {
  std::vector<ReviewEntry> log;
  for (int i = 0; i < 10; ++i) log.push_back(on_day(i, 0, Rating::kEasy, 10'000));
  const SessionPlan plan = plan_session(own_cards(40), log, {.now = kToday + 1000, .minutes = 2});
  CHECK(plan.cards.size() == 12);
}

TEST_CASE("leeches come last; topics leave others out, and one that is none is named") {
  std::vector<ReviewEntry> log;
  for (int i = 0; i < 20; ++i) log.push_back(on_day(0, 3 * i, i % 2 == 0 ? Rating::kEasy : Rating::kAgain));
  for (int i = 0; i < 17; ++i)
    log.push_back({.id = "e" + std::to_string(i),
                   .card = "drill/0",
                   .at = kToday + (70 + 3 * i) * kDayMs,
                   .rating = i % 2 == 0 ? Rating::kGood : Rating::kAgain});
  log.push_back(on_day(2, 100));
  const SessionPlan plan = plan_session(own_cards(4), log, {.now = kToday + 400 * kDayMs});
  CHECK(plan.leeches == 1);
  CHECK(ids(plan) == Ids{"2", "0", "1", "3"});
  CHECK(ids(plan_session(own_cards(4), log, {.now = kToday + 400 * kDayMs, .topics = {"traffic"}})) ==
        Ids{"1", "3"});
  CHECK_THROWS_WITH(plan_session(own_cards(4), log, {.topics = {"memry"}}),
                    ContainsSubstring("did you mean memory"));
}

TEST_CASE("what a lesson was answered wrongly becomes a card, first on the path, until it is right") {
  StudyRecord record{{}};
  Attempt attempt;
  attempt.lesson = "nolesson";
  attempt.prediction = "sent";
  attempt.question = "How much is sent?";
  attempt.scenario = "nolesson ranks=4";
  attempt.right = 3;
  attempt.errors = {"counted once"};
  record.add(attempt);
  std::vector<Card> cards = bank_cards(record);
  CHECK(cards.front().id == "asked/nolesson/sent");
  CHECK(cards.front().mistake);
  const auto asked = ask_card(cards.front(), 1, record);
  REQUIRE(asked);
  CHECK(asked->by_person);
  CHECK(asked->spec.question == "How much is sent?");
  CHECK(asked->ten_seconds == "3.00");
  CHECK(asked->minute == "You once said: counted once. ");
  CHECK(asked->see == "ringside run nolesson ranks=4");
  attempt.correct = true;
  record.add(attempt);
  CHECK_FALSE(bank_cards(record).front().mistake);
}

TEST_CASE("a question that a built lesson no longer asks leads to the lesson, without the old parameters") {
  StudyRecord record{{}};
  Attempt attempt;
  attempt.lesson = "generators";
  attempt.prediction = "no longer asked";
  attempt.question = "What was asked?";
  attempt.scenario = "generators gone=4";
  record.add(attempt);
  const auto asked = ask_card(bank_cards(record).front(), 1, record);
  REQUIRE(asked);
  CHECK(asked->spec.question == "What was asked?");
  CHECK(asked->see == "ringside run generators");
}

TEST_CASE("the bank goes to JSON and its reviews come back; to Anki go lines of four fields") {
  const testing::TempFolder folder;
  const StudyRecord record{{}};
  const std::vector<Card> cards = bank_cards(record);
  const std::vector<ReviewEntry> log = {on_day(1, 0), on_day(2, 1, Rating::kHard)};
  std::ostringstream json, tsv;
  write_bank(cards, record, log, json);
  folder.write("bank.json", json.str());
  const auto back = read_bank_reviews(folder.file("bank.json"));
  REQUIRE(back.size() == 2);
  CHECK(back[1].card == "drill/2");
  CHECK(back[1].rating == Rating::kHard);
  ReviewLog kept(folder.path);
  CHECK(kept.add_missing(back) == 2);
  CHECK(kept.add_missing(back) == 0);
  CHECK(kept.read().size() == 2);
  folder.write("bank.json", R"({"kind":"other"})");
  CHECK_THROWS_WITH(read_bank_reviews(folder.file("bank.json")), ContainsSubstring("bank.json: "));
  write_anki(
      cards, record, [](const Card&) { return std::string(); }, tsv);
  std::istringstream lines(tsv.str());
  size_t rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    ++rows;
    REQUIRE(std::count(line.begin(), line.end(), '\t') == 3);
    REQUIRE(line.find('"') == line.npos);
  }
  CHECK(rows == cards.size());
}

}  // namespace
}  // namespace ringside
