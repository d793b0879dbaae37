// Cases and fixes of the timeout lesson: an answer comes before the truth.
#include "nccl_seat.h"

using namespace ringside;
using ringside::test::Seat;

TEST_CASE("the truth waits for an answer, and a wrong one lets look on") {
  Seat seat(1056, 1000);
  seat.watch("case 2 check");
  seat.frame();
  CHECK(ui::find_item("figure.calls.0.0") == nullptr);
  REQUIRE(seat.click("case.back"));
  CHECK(seat.playhead.section == "case 2");
  CHECK_FALSE(seat.click("answer"));
  REQUIRE(seat.click("look.dump"));
  REQUIRE(seat.click("culprit=1"));
  REQUIRE(seat.click("cause.one_batch_more"));
  REQUIRE(seat.click("answer"));
  CHECK(seat.at("verdict") == "only cause");
  CHECK(ui::find_item("case.fix") == nullptr);
  REQUIRE(seat.click("culprit=nobody"));
  REQUIRE(seat.click("answer"));
  CHECK(seat.at("verdict") == "only cause");
  REQUIRE(seat.click("culprit=3"));
  REQUIRE(seat.click("cause.killed"));
  REQUIRE(seat.click("answer"));
  CHECK(seat.at("verdict") == "only rank");
  REQUIRE(seat.click("cause.one_batch_more"));
  REQUIRE(seat.click("answer"));
  CHECK(seat.at("verdict") == "right");
  CHECK(seat.at("tries") == "4");
  REQUIRE(seat.click("case.check"));
  CHECK(seat.playhead.section == "case 2 check");
  CHECK(seat.sentence.find("Without the check: silence") != std::string::npos);
  REQUIRE(seat.click("case.fix"));
  CHECK(seat.playhead.section == "case 2 fixed");
}

TEST_CASE("fixes of act 1 are watched where they are recorded, and run where they are not") {
  Seat seat(1056, 900);
  CHECK(seat.at("lanes") == "one");
  REQUIRE(seat.click("fix.timeout"));
  CHECK(seat.playhead.section == "fix timeout");
  CHECK(seat.at("tried") == "timeout");
  CHECK(seat.at("picture") == "outcomes");
  REQUIRE(seat.click("fix.barrier"));
  CHECK(seat.scenario == "nccl_timeout act=1 fix=barrier");
  REQUIRE(seat.click("fix.none"));
  CHECK(seat.playhead.section == "symptom");
}

TEST_CASE("where the check has nothing to compare, it says so") {
  Seat seat(1056, 1000);
  seat.watch("case 4");
  seat.frame();
  for (const char* item : {"look.dump", "culprit=1", "cause.killed", "answer", "case.check"})
    REQUIRE(seat.click(item));
  CHECK(seat.playhead.section == "case 4 check");
  CHECK(seat.at("picture") == "outcomes");
  CHECK(seat.sentence == "The check compares calls; rank 1 made none. It cannot help here.");
}

TEST_CASE("the next button goes through a case and on to the next one") {
  Seat seat(1056, 1000);
  seat.watch("case 2");
  seat.frame();
  CHECK(seat.next_label() == "look at the logs ▸");
  seat.next();
  CHECK(seat.at("picture") == "logs");
  seat.next();
  CHECK(seat.at("looks") == "2");
  CHECK(seat.at("lanes") == "one");
  REQUIRE(seat.click("look.dump"));
  CHECK(seat.at("lanes") == "all");
  REQUIRE(seat.click("culprit=3"));
  REQUIRE(seat.click("cause.one_batch_more"));
  CHECK(seat.next_label() == "check my answer");
  CHECK(seat.record().find("open") != std::string::npos);
  seat.next();
  CHECK(seat.at("verdict") == "right");
  CHECK(seat.record() == "Case 2: solved with 3 looks.");
  REQUIRE(seat.click("card"));
  REQUIRE(seat.saved);
  CHECK(seat.saved->name == "case 2 seed 0.svg");
  CHECK(seat.saved->text.find("case 2, 3 looks, rank 3") != std::string::npos);
  CHECK(seat.saved->text.find("missing") != std::string::npos);
  CHECK(seat.next_label() == "run the fix ▸");
  seat.next();
  CHECK(seat.playhead.section == "case 2 fixed");
  seat.next();
  CHECK(seat.playhead.section == "case 2 check");
  CHECK(seat.next_label() == "next case ▸ (1 of 4 solved)");
  seat.next();
  CHECK(seat.scenario == "nccl_timeout act=5 case=3");  // which this trace has not
}

TEST_CASE("an act leads to the next one, and the whole lesson follows its questions") {
  Seat seat(1056, 900);
  CHECK(seat.next_label() == "");
  REQUIRE(seat.click("fix.timeout"));
  CHECK(seat.next_label() == "try: no hidden states ▸");
  PredictionSpec asked;
  asked.id = "timeout_x3";
  seat.asked = &asked;
  seat.frame();
  seat.asked = nullptr;
  CHECK(seat.next_label() == "");
}
