// The questions of the ZeRO lesson: answered by hand, held against the run, revealed.
#include "drawn_text.h"
#include "ringside/lesson/front_matter.h"
#include "zero_runs.h"

namespace ringside::gui {

TEST_CASE("guesses are held against what the run measured") {
  Looking in;
  REQUIRE(in.until([](const auto& s) { return s.at("answers").at("state_stage_2").contains("measured"); }));
  CHECK(in.at<double>("/answers/copies_stage_0/measured") == Approx(75));
  CHECK(in.at<double>("/answers/state_stage_2/measured") == Approx(5.5).epsilon(0.01));
  in.command("predict state_stage_2 2P+14P/N");
  CHECK(in.at<double>("/answers/state_stage_2/guess") == Approx(5.5));
  in.command("again ranks=2");
  CHECK(in.at<double>("/answers/state_stage_2/right") == Approx(9));
}

TEST_CASE("a formula that is right at this N alone is not right, and the record says so") {
  const TempFolder folder;
  RoomOptions options = looking();
  options.data_folder = folder.path;
  Looking in(options);
  REQUIRE(in.until([](const auto& s) { return s.at("answers").at("state_stage_1").contains("measured"); }));
  in.command("predict state_stage_1 2P+20P/N");  // 7 at 4 ranks, as is 4Ψ + 12Ψ/N
  in.command("step reveal");
  CHECK(in.at<std::string>("/caption").starts_with("Right at 4 ranks, wrong at 64: your formula gives 2.31"));
  CHECK(ui::find_item("reveal.curves") != nullptr);
  CHECK(in.faults() == "");
  std::ifstream file(folder.path / "progress.json");
  const auto attempt = nlohmann::json::parse(file).at("attempts").at(0);
  CHECK(attempt.at("correct") == false);
  CHECK(attempt.at("errors").at(0) == "right at 4 ranks, wrong at 64");
  in.command("predict state_stage_1 16P/N");
  in.command("step reveal");
  CHECK(in.at<std::string>("/caption") == "Your error has a name: everything split, as in stage 3.");
  CHECK(test::drawn_text().find("Stage 1 splits the optimizer's state alone.") != std::string::npos);
}

TEST_CASE("a percentage is read as in the terminal, and one that no share can have is refused") {
  Looking in;
  const auto type = [&](const std::string& text) {
    in.command("ask copies_stage_0");
    in.frames(2);
    in.key(ui::Key::kA, true);
    in.type(text);
    in.key(ui::Key::kEnter);
    in.frames(2);
  };
  for (const char* typed : {"75%", "75 %", "0.75", "100(N-1)/N"}) {
    INFO(typed);
    type(typed);
    CHECK(in.at<double>("/answers/copies_stage_0/guess") == 75);
    in.command("step reveal");
    CHECK(in.at<std::string>("/caption").starts_with("Right: "));
  }
  type("-50");
  CHECK(in.at<double>("/answers/copies_stage_0/guess") == 75);  // refused: the one before stays
  CHECK(test::drawn_text().find("is outside of 0 to 100") != std::string::npos);
  CHECK(test::drawn_text().find("are copies, you say") == std::string::npos);
}

TEST_CASE("questions of one board are answered by one commit, and watched together") {
  Looking in;
  in.command("ask state_stage_1");
  for (const char* cell : {"build.state_stage_1.P.3", "build.state_stage_2.G.1", "build.state_stage_3.O.5"})
    in.click(cell);
  in.click("next");
  for (const auto& [id, value] :
       {std::pair{"state_stage_1", 2.0}, std::pair{"state_stage_2", 1.0}, std::pair{"state_stage_3", 3.0}})
    CHECK(in.at<double>((std::string("/answers/") + id + "/guess").c_str()) == value);
  in.click("next");
  CHECK(in.at<std::string>("/step") == "Watch");
  CHECK(in.at<std::string>("/question") == "state_stage_1");
  in.click("next");
  for (const char* id : {"state_stage_1", "state_stage_2", "state_stage_3"}) {
    CHECK(in.at<std::string>("/step") == "Reveal");
    CHECK(in.at<std::string>("/question") == id);
    in.click("next");
  }
  CHECK(in.at<std::string>("/question") == "sent_stage_0");
  // By keys: Enter keeps a row and goes to the next one that is open.
  for (const char* formula : {"2", "2", "2", "3"}) {
    in.frames(2);
    in.type(formula);
    in.key(ui::Key::kEnter);
  }
  CHECK(in.at<double>("/answers/sent_stage_0/guess") == 2);
  CHECK(in.at<double>("/answers/sent_stage_3/guess") == 3);
}

TEST_CASE("the first question is answered by dragging over the columns, and its Reveal lets copies fall") {
  Looking in;
  in.command("ask copies_stage_0");
  in.frames(2);
  const ui::Item from = *ui::find_item("blocks.r3.P"), to = *ui::find_item("blocks.r1.P");
  const ImVec2 last(from.max.x + 6, from.min.y);
  in.drag(last, {to.min.x - 6, to.min.y});
  CHECK(in.at<std::string>("/panel/called_copies") == "75");
  in.key(ui::Key::kEscape);  // out of the field
  in.key(ui::Key::kK);
  in.key(ui::Key::kRight);
  CHECK(in.at<std::string>("/panel/called_copies") == "50");
  in.key(ui::Key::kLeft);
  in.key(ui::Key::kEnter);
  CHECK(in.at<double>("/answers/copies_stage_0/guess") == 75);
  in.command("step reveal");
  in.frames(2);
  CHECK(ui::find_item("hero") != nullptr);
  CHECK(in.faults() == "");
}

TEST_CASE("what is typed moves with N; what tells the answer is closed while its question is open") {
  Looking in;
  in.command("ask state_stage_2");
  CHECK(in.at<std::string>("/playhead/section") == "stage 0");
  CHECK(in.at<std::string>("/picture") == "blocks");
  in.command("ask sent_stage_3");
  CHECK(in.at<std::string>("/picture") == "traffic");
  CHECK(in.faults() == "");
  in.command("ask state_stage_2");
  in.command("picture scale");
  CHECK(ui::find_item("figure.scale.closed") != nullptr);
  in.command("picture stages");  // its rows are closed one by one
  REQUIRE(in.until([](const auto& s) { return s.at("panel").value("rows", "") == "4"; }));
  CHECK(test::drawn_text().find("guess first") != std::string::npos);
  CHECK(test::drawn_text().find("4.00") == std::string::npos);
  in.command("picture loss");
  CHECK(ui::find_item("figure.loss.closed") == nullptr);
  in.command("predict copies_stage_0 75");
  in.command("picture scale");
  in.command("step watch");
  CHECK(ui::find_item("figure.scale.closed") == nullptr);
  CHECK(ui::find_item("hero") != nullptr);
}

TEST_CASE("The rail shows all lessons, or says that more follow", "[rail]") {
  Looking in;
  const auto ends_above_pages = [] {
    const ui::Item* last = ui::find_item("lesson=" + lesson_catalogue().back().id);
    return last != nullptr && last->max.y <= ui::find_item("area.rail.pages")->min.y;
  };
  in.reshape(1280, 800, 1, ui::Mode::kDark);
  in.frames(3);
  CHECK(ends_above_pages());
  CHECK(test::drawn_text().find("more ▾") == std::string::npos);
  in.reshape(1024, 600, 1, ui::Mode::kDark);
  in.frames(3);
  CHECK_FALSE(ends_above_pages());
  CHECK(test::drawn_text().find("more ▾") != std::string::npos);
  CHECK(in.faults() == "");
}

TEST_CASE("Watch opens in the stage that was asked about, at the start of its third backward") {
  Looking in;
  in.command("predict state_stage_2 2P+14P/N");
  in.command("step watch");
  CHECK(in.at<std::string>("/playhead/section") == "stage 2");
  CHECK(in.at<int64_t>("/moment/step") == 2);
  CHECK(in.at<std::string>("/moment/phase") == "backward");
  CHECK(in.at<std::string>("/caption").starts_with("Rank 0 is in backward"));
}

TEST_CASE("what is measured is revealed while the run goes on") {
  InRoom in(options_for("zero", small({"steps=60", "proof=off"})));
  in.command("predict state_stage_1 7");
  in.command("step reveal");
  REQUIRE(in.until([](const auto& s) { return s.at("answers").at("state_stage_1").contains("measured"); }));
  CHECK_FALSE(in.at<bool>("/run/ended"));
  CHECK(in.at<std::string>("/caption").starts_with("Right: 7"));
  in.key(ui::Key::kX);
}

}  // namespace ringside::gui
