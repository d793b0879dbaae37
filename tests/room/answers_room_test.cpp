// Answers that are typed: what is refused is corrected in its field, and what the picture shows is what
// stands there.
#include "drawn_text.h"
#include "in_room.h"
#include "ringside/base/error.h"
#include "ringside/widgets/items.h"

namespace ringside::gui {
namespace {

// Types into the field of the question asked, in the place of what stood there.
void answer(InRoom& in, const std::string& utf8) {
  in.key(ui::Key::kEscape);
  in.key(ui::Key::kG);
  in.frames(2);
  in.key(ui::Key::kA, true);
  ImGui::GetIO().AddInputCharactersUTF8(utf8.c_str());
  in.frames(2);
  in.key(ui::Key::kEnter);
  in.frames(2);
}

}  // namespace

TEST_CASE("a refused answer keeps its field, and what is typed next takes its place") {
  Ended in(options_for("example", {"steps=3"}));
  answer(in, "abc");
  CHECK_FALSE(is_guessed(in, "sent"));
  in.type("25");
  in.key(ui::Key::kEnter);
  CHECK(in.at<std::string>("/step") == "Guess");
  CHECK(in.at<double>("/answers/sent/guess") == 25);
  // The scenario line likewise.
  in.key(ui::Key::kL);
  in.frames(2);
  in.type("example rank=4");
  in.key(ui::Key::kEnter);
  in.frames(3);
  REQUIRE(in.at<std::string>("/line_mistake") != "");
  in.type("example ranks=2");
  in.key(ui::Key::kEnter);
  in.frames(3);
  CHECK(in.at<std::string>("/scenario") == "example ranks=2");
}

TEST_CASE("full-width signs are read, and drawn where a font has them") {
  Ended in(options_for("example", {"steps=3"}));
  answer(in, "２×（５０－１）");
  CHECK(in.at<double>("/answers/sent/guess") == 98);
  in.frames(2);
  if (!in.look().fonts.lacks_chinese()) CHECK(in.faults() == "");
}

TEST_CASE("digits are for as many rows as a question has, and the steps' keys from there on") {
  Ended in(options_for("faults"));
  in.command("ask choice");
  in.frames(2);
  const size_t rows = in.at<Words>("/answers/choice/options").size();
  REQUIRE(rows == 3);
  in.key(ui::Key::k3);
  CHECK(in.at<std::string>("/step") == "Guess");
  in.key(ui::Key::k4);
  CHECK(in.at<std::string>("/step") == "Break it");
}

TEST_CASE("what is kept in memory alone is not called kept") {
  const TempFolder folder;
  std::ofstream(folder.path / "in_the_way") << "a file";
  RoomOptions options = options_for("example", {"steps=3"});
  options.data_folder = folder.path / "in_the_way" / "below";
  Ended in(options);
  in.command("predict sent 100");
  in.frames(2);
  CHECK(test::drawn_text().find("Kept until the room is closed") != std::string::npos);
  in.command("step reveal");
  in.frames(2);
  CHECK(test::drawn_text().find("Kept until the room is closed") != std::string::npos);
  CHECK(test::drawn_text().find("It is asked again") == std::string::npos);
}

TEST_CASE("the button that waits for an answer says for which, and is no lit one") {
  Ended in(options_for("example", {"steps=3"}));
  in.hover("next");
  in.frames(30);
  CHECK(test::drawn_text().find("type a number first") != std::string::npos);
  in.command("ask sent");
  in.hover("step=Guess");  // of the step that is shown: its tip would lie over the question
  in.frames(30);
  CHECK(ui::find_item("tip") == nullptr);
}

TEST_CASE("the field of an answer is wide enough in a small window of large letters") {
  InRoom in(options_for("example", {"steps=3"}));
  in.reshape(512, 350, 2, ui::Mode::kDark);
  in.frames(3);
  const ui::Item* field = ui::find_item("answer");
  REQUIRE(field != nullptr);
  CHECK(field->max.x - field->min.x >= 2 * 120);
  CHECK(field->max.x <= 1024);
}

TEST_CASE("a mistake in the scenario line covers nothing of the answer") {
  Ended in(options_for("example", {"steps=3"}), 1280, 800);
  CHECK_THROWS_AS(in.room->command("scenario exampel"), UsageError);
  in.key(ui::Key::kL);
  in.frames(2);
  in.type("exampel");
  in.key(ui::Key::kEnter);
  in.frames(3);
  REQUIRE(ui::find_item("scenario.mistake") != nullptr);
  REQUIRE(ui::find_item("area.answer") != nullptr);
  CHECK(ui::find_item("area.answer")->max.y <= ui::find_item("scenario.mistake")->min.y);
  CHECK(in.faults() == "");
}

TEST_CASE("the page of keys is read to its end by keys") {
  Ended in(options_for("example", {"steps=3"}), 1024, 500);
  in.key(ui::Key::kF1);
  const auto end = [] { return ui::find_item("help.last")->max.y; };
  const float at_first = end();
  CHECK(at_first > 500);
  in.key(ui::Key::kPageDown);
  CHECK(end() < at_first);
  in.key(ui::Key::kEnd);
  CHECK(end() <= 500);
  in.key(ui::Key::kHome);
  CHECK(end() == at_first);
}

}  // namespace ringside::gui
