// Who comes back to a lesson, in the same room or another day, finds the scenario and what was answered.
#include "drawn_text.h"
#include "in_room.h"
#include "ringside/widgets/items.h"

namespace ringside::gui {
namespace {

// The folders of one learner.
struct Learner {
  TempFolder folder;
  RoomOptions options(const std::string& lesson = "") const {
    RoomOptions all = options_for(lesson);
    all.data_folder = folder.path / "data";
    all.config_folder = folder.path / "config";
    return all;
  }
};

}  // namespace

TEST_CASE("a lesson that is left has its scenario and its answers when it is opened again") {
  InRoom in(options_for("faults", {"label=mine"}));
  in.command("predict p 2");
  in.command("predict choices view|expand");
  in.click("lesson=example");
  REQUIRE(in.at<std::string>("/lesson") == "example");
  in.click("lesson=faults");
  CHECK(in.at<std::string>("/scenario") == "faults label=mine");
  CHECK(in.at<double>("/answers/p/guess") == 2);
  CHECK(in.at<Words>("/answers/choices/guess") == Words{"view", "expand"});
  CHECK_FALSE(is_guessed(in, "order"));
  CHECK(in.at<std::string>("/question") == "none");  // the first that is open
  in.frames(2);
  CHECK(test::drawn_text().find("You have answered 2 of") != std::string::npos);
}

TEST_CASE("another day the answers at this scenario are there, and no others") {
  const Learner learner;
  {
    InRoom in(learner.options("faults"));
    in.command("predict p 2");
    in.command("predict text [0, 1]");
  }
  {
    InRoom in(learner.options());  // as it was left
    CHECK(in.at<std::string>("/lesson") == "faults");
    CHECK(in.at<double>("/answers/p/guess") == 2);
    CHECK(in.at<Words>("/answers/text/guess") == Words{"[0, 1]"});
    CHECK(in.at<std::string>("/question") == "none");
    in.command("ask p");
    in.command("step reveal");
    CHECK(in.faults() == "");
  }
  RoomOptions elsewhere = learner.options("faults");
  elsewhere.words = {"how=brief"};
  InRoom in(elsewhere);
  CHECK_FALSE(is_guessed(in, "p"));
  CHECK(in.at<std::string>("/question") == "p");
}

}  // namespace ringside::gui
