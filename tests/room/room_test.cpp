// The room with the smallest lessons: what it keeps, what it does with mistakes, runs
// that fail, files that are damaged.
#include "drawn_text.h"
#include "in_room.h"
#include "ringside/base/error.h"
#include "ringside/session/session.h"
#include "ringside/trace/files.h"
#include "room_desk.h"

namespace ringside::gui {

TEST_CASE("a lesson without a panel of its own is drawn whole at three sizes and two scales") {
  const auto [width, height] =
      GENERATE(std::pair{1440.f, 900.f}, std::pair{1100.f, 700.f}, std::pair{900.f, 600.f});
  const float scale = GENERATE(1.f, 2.f);
  const ui::Mode mode = GENERATE(ui::Mode::kDark, ui::Mode::kLight);
  RoomOptions options = options_for("example");
  options.mode = mode;
  Ended in(options, width * scale, height * scale, scale);
  for (const char* step : {"guess", "watch", "reveal", "break", "say"}) {
    in.command(std::string("step ") + step);
    in.frames(2);
    INFO(step << " " << width << " x" << scale);
    CHECK(in.faults() == "");
    CHECK(in.vertices() > 500);
  }
  in.key(ui::Key::kF1);
  CHECK(in.faults() == "");
}

TEST_CASE("what was guessed wrongly is asked again from another lesson") {
  const TempFolder folder;
  RoomOptions options = options_for("example", {"steps=3"});
  options.data_folder = folder.path;
  InRoom in(options);
  in.command("predict sent 100");
  in.command("select faults");
  in.click("menu");
  in.click("redo.sent");
  CHECK(in.at<std::string>("/lesson") == "example");
  CHECK(in.at<std::string>("/question") == "sent");
  CHECK(in.at<std::string>("/step") == "Guess");
}

TEST_CASE("the whole lesson by keys alone") {
  Ended in(options_for("example", {"steps=3"}));
  in.key(ui::Key::kG);
  in.frames(2);
  in.type("1572864");
  in.key(ui::Key::kEnter);
  CHECK(in.at<double>("/answers/sent/guess") == 1572864);
  in.key(ui::Key::kEnter);
  CHECK(in.at<std::string>("/step") == "Watch");
  in.key(ui::Key::kHome);
  const auto before = in.at<int64_t>("/playhead/time_ns");
  in.key(ui::Key::kRight);
  CHECK(in.at<int64_t>("/playhead/time_ns") > before);
  in.key(ui::Key::kEnter);
  CHECK(in.at<std::string>("/step") == "Reveal");
  in.key(ui::Key::kEnter);  // the lesson asks more than one question
  CHECK(in.at<std::string>("/step") == "Guess");
  CHECK(in.at<std::string>("/question") != "sent");
  in.frames(2);
  in.key(ui::Key::kEscape);
  in.key(ui::Key::k4);
  CHECK(in.at<std::string>("/step") == "Break it");
  in.key(ui::Key::kEnter);
  CHECK(in.at<std::string>("/step") == "Say it");
}

TEST_CASE("the whole lesson by mouse alone") {
  Ended in(options_for("example", {"steps=3"}));
  in.click("answer.drag");  // the middle of the bar
  in.click("confidence=sure");
  in.click("next");
  CHECK(in.at<double>("/answers/sent/guess") == Approx(2'500'000).epsilon(0.05));
  in.click("next");
  CHECK(in.at<std::string>("/step") == "Watch");
  in.click("event.back");
  CHECK(in.at<bool>("/playhead/follow") == false);
  in.click("live");
  CHECK(in.at<bool>("/playhead/follow") == true);
  in.click("next");
  CHECK(in.at<std::string>("/step") == "Reveal");
  in.click("step=Break it");
  in.click("step=Say it");
  CHECK(in.at<std::string>("/step") == "Say it");
  in.click("help");
  CHECK(in.at<bool>("/help") == true);
  in.click("help.close");
  CHECK(in.at<bool>("/help") == false);
}

TEST_CASE("a scenario that is not allowed says why and changes nothing") {
  InRoom in(options_for("example"));
  const auto before = in.at<std::string>("/scenario");
  CHECK_THROWS_AS(in.room->command("scenario example ranks=99"), UsageError);
  CHECK_THROWS_AS(in.room->command("set ranks 99"), UsageError);
  CHECK_THROWS_AS(in.room->command("fly"), UsageError);
  CHECK(in.at<std::string>("/scenario") == before);
  in.command("scenario example ranks=2 steps=4");
  REQUIRE(in.until_ended());
  CHECK(in.at<std::string>("/scenario") == "example ranks=2 steps=4");
  CHECK_THROWS_AS(Room(options_for("nowhere"), ui::look()), UsageError);
}

TEST_CASE("what no run measures is called calculated") {
  Ended in(options_for("faults"));
  in.command("step reveal");
  CHECK(in.at<std::string>("/caption") == "Calculated: 1.00 B.");
  CHECK_FALSE(in.at<nlohmann::json>("/answers/p").contains("measured"));
  in.command("select example");
  REQUIRE(in.until([](const auto& s) { return s.at("answers").at("sent").contains("measured"); }));
  in.command("step reveal");
  CHECK(in.at<std::string>("/caption").starts_with("Measured: "));
}

TEST_CASE("a run that fails is told in words, and the next one runs") {
  InRoom in(options_for("faults", {"how=timeout"}));
  REQUIRE(in.until([](const auto& s) { return !s.at("messages").empty(); }));
  CHECK(in.faults() == "");
  in.click("message.close");
  CHECK(in.state().at("messages").empty());
  in.command("select example");
  REQUIRE(in.until_ended());
  CHECK(in.at<bool>("/run/complete"));
}

TEST_CASE("a run is stopped at its next step, and what it recorded stays") {
  InRoom in(options_for("example", {"steps=1000000"}));
  REQUIRE(in.until([](const auto& s) { return s.at("run").at("done") > 10; }));
  in.key(ui::Key::kX);
  REQUIRE(in.until_ended());
  CHECK_FALSE(in.at<bool>("/run/complete"));
  CHECK(in.at<size_t>("/run/sections") == 1);
  in.command("run");
  in.room->close();
  CHECK(in.until([&](const auto&) { return in.room->closing(); }));
}

TEST_CASE("no run has ended while the next one waits to take its place") {
  InRoom in(options_for("example", {"steps=1000000"}));
  REQUIRE(in.until([](const auto& s) { return s.at("run").at("done") > 10; }));
  in.command("set steps 3");
  REQUIRE(in.until([](const auto& s) { return s.at("run").at("ended") == true; }));
  CHECK_FALSE(in.at<bool>("/run/busy"));
  CHECK(in.at<bool>("/run/complete"));
}

TEST_CASE("a lesson whose run is stopped while it waits shows nothing of the lesson before") {
  Ended in(options_for("example", {"steps=3"}));
  in.command("set steps 1000000");
  REQUIRE(in.until([](const auto& s) { return s.at("run").at("done") > 10; }));
  in.room->command("select faults");
  in.room->command("stop");  // before the first run is at its step boundary
  REQUIRE(in.until([](const auto& s) { return s.at("run").at("busy") == false; }));
  in.command("step reveal");
  CHECK(in.at<std::string>("/lesson") == "faults");
  CHECK(in.at<size_t>("/run/sections") == 0);
  CHECK(in.at<size_t>("/ledger_rows") == 0);
  CHECK_FALSE(in.at<bool>("/run/ended"));
  in.command("run");
  REQUIRE(in.until_ended());
  CHECK(in.at<bool>("/run/complete"));
}

TEST_CASE("a saved trace opens like a run, a damaged one says where") {
  const TempFolder folder;
  const Lesson& lesson = find_lesson("example");
  Session session(lesson, Config::parse("example", lesson.parameters, {"steps=5", "ranks=3"}));
  REQUIRE(testing::finishes(session));
  write_trace_file(session.result(), folder.path / "run.jsonl", TraceFormat::kJsonl);
  std::ofstream(folder.path / "bad.jsonl") << "{\"ringside_trace\":1}\nnonsense\n";

  RoomOptions options = options_for("example");
  options.trace = folder.path / "run.jsonl";
  InRoom in(options);
  REQUIRE(in.until([](const auto& s) { return s.at("run").at("file") == true; }));
  CHECK(in.at<std::string>("/scenario") == "example ranks=3 steps=5");
  CHECK(in.at<std::string>("/step") == "Watch");
  in.room->take_dropped({folder.path / "bad.jsonl"});
  REQUIRE(in.until([](const auto& s) { return !s.at("messages").empty(); }));
  CHECK(in.state().at("messages")[0].get<std::string>().find("bad.jsonl") != std::string::npos);
  CHECK(in.at<std::string>("/scenario") == "example ranks=3 steps=5");
  in.command("open " + (folder.path / "nowhere.jsonl").string());
  REQUIRE(in.until([](const auto& s) { return s.at("messages").size() == 2; }));
}

TEST_CASE("Reveal without an answer tells a run that was cut off from one that has none") {
  const TempFolder folder;
  const auto revealed = [&](bool complete) {
    RoomOptions options = options_for("example");
    options.trace = folder.path / "run.jsonl";
    std::ofstream(*options.trace) << R"({"ringside_trace":3,"scenario":"example"})" << '\n'
                                  << R"({"type":"end","complete":)" << (complete ? "true}" : "false}") << '\n';
    InRoom in(options);
    REQUIRE(in.until(has_read));
    in.key(ui::Key::k3);
    in.frames(2);
    REQUIRE(in.at<std::string>("/step") == "Reveal");
    // the figures of a trace are measured on a thread
    REQUIRE(in.until([](const auto&) { return test::drawn_text().find("being measured") == std::string::npos; }));
    return test::drawn_text();
  };
  CHECK(revealed(true).find("This run has no answer to it") != std::string::npos);
  CHECK(revealed(false).find("run it to its end (R)") != std::string::npos);
}

TEST_CASE("a data folder that cannot be written is said, and nothing is lost in the room") {
  const TempFolder folder;
  std::ofstream(folder.path / "in_the_way") << "a file";
  RoomOptions options = options_for("example");
  options.data_folder = folder.path / "in_the_way" / "below";
  InRoom in(options);
  in.command("predict sent 100");
  REQUIRE(in.until([](const auto& s) { return !s.at("messages").empty(); }));
  CHECK(in.at<double>("/answers/sent/guess") == 100);
}

TEST_CASE("pinned, a run stays while the next is drawn; nothing lies over the page of keys") {
  Ended in(options_for("example", {"steps=3"}));
  in.key(ui::Key::kP);
  CHECK(in.at<std::string>("/pinned") != "");
  in.command("set ranks 2");
  REQUIRE(in.until_ended());
  CHECK(in.at<std::string>("/pinned").find("ranks=4") != std::string::npos);
  CHECK(in.faults() == "");
  in.key(ui::Key::kP);
  CHECK(in.at<std::string>("/pinned") == "");
  in.hover("next");
  in.frames(20);
  CHECK(ui::find_item("tip") != nullptr);
  in.key(ui::Key::kF1);
  in.frames(20);
  CHECK(ui::find_item("tip") == nullptr);
}

TEST_CASE("a scenario that cannot run is told at its line, until it is corrected") {
  Ended in(options_for("example", {"steps=3"}));
  const auto enter = [&](const std::string& text) {
    in.key(ui::Key::kL);
    in.frames(2);
    in.type(text);
    in.key(ui::Key::kEnter);
    in.frames(3);
  };
  enter("example rank=4");
  CHECK(in.at<std::string>("/line_mistake").find("ranks") != std::string::npos);
  CHECK(in.state().at("messages").empty());
  REQUIRE(ui::find_item("scenario.mistake") != nullptr);
  CHECK(ui::find_item("scenario.mistake")->max.y <= ui::find_item("scenario")->min.y);
  CHECK(in.faults() == "");
  enter("example ranks=2");
  CHECK(in.at<std::string>("/line_mistake") == "");
  CHECK(in.at<std::string>("/scenario") == "example ranks=2");
  enter("nothing");
  CHECK(in.at<std::string>("/line_mistake") != "");
  in.key(ui::Key::kEscape);
  in.key(ui::Key::kEscape);
  CHECK(in.at<std::string>("/line_mistake") == "");
}

TEST_CASE("the wrong word of a scenario line is found; letters grow with the window") {
  const auto word = [](const std::string& line, const std::string& why = "") {
    const auto mistake = mistake_in(line, why);
    return line.substr(mistake.at, mistake.size);
  };
  CHECK(word("exampel ranks=2") == "exampel");
  CHECK(word("./run example ranks=2 rank=4 steps=3") == "rank=4");
  CHECK(word("example ranks=99") == "ranks=99");
  CHECK(word("example ranks=2 ranks=3") == "ranks=3");
  CHECK(word("example ranks=2 steps=3", "steps=3: this machine has too little memory") == "steps=3");
  CHECK(word("") == "");
  const auto letters = [](float width, float height, float scale) {
    InRoom in(options_for("example", {"steps=3"}), width * scale, height * scale, scale);
    return 13 * in.room->scale() / scale;
  };
  CHECK(letters(1440, 900, 1) == Approx(13));
  CHECK(letters(1920, 1080, 1) == Approx(15));
  CHECK(letters(1440, 900, 2) == Approx(13));
  CHECK(letters(2560, 1440, 1) == Approx(18));
  CHECK(letters(1000, 1080, 1) == Approx(13));  // high, but narrow
}

}  // namespace ringside::gui
