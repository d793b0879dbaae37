#include "script.h"

#include <catch.h>

#include <temp_folder.h>
#include "ringside/widgets/draw.h"
#include "windowless.h"

namespace ringside::gui {
namespace {

std::vector<ScriptLine> parse(const std::string& text) {
  std::istringstream in(text);
  return parse_script(in, "a.script");
}
std::string fault(const std::string& text) {
  try {
    parse(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("lines, words, quotes and comments; what is no script is refused with its line") {
  const auto lines = parse(
      "# a comment\n\n  click  next   # the button\r\nclick \"stage \\\"3\\\" # 4\"\n\tset ranks=8 # two\n");
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].number == 3);
  CHECK(lines[0].command == "click");
  CHECK(lines[0].words == std::vector<std::string>{"next"});
  CHECK(lines[0].text == "click  next");
  CHECK(lines[1].words == std::vector<std::string>{"stage \"3\" # 4"});
  CHECK(lines[2].text == "set ranks=8");
  for (const char* text : {"click",         "click a b",        "click \"a",
                           "drag a 1",      "drag a b c",       "wheel a b",
                           "key Hyper+Q",   "wait /a == 1",     "wait /a == 1 soon",
                           "wait a == 1 5", "wait /a = 1 5",    "expect /a",
                           "expect",        "expect /a == 1 5", "wait item",
                           "frames x",      "size 3",           "theme blue",
                           "sleep",         "frames 1e999",     "frames nan"})
    CHECK(fault(std::string("frames 1\n") + text).starts_with("a.script:2: "));
  CHECK(fault("wait /a/b == true 5\nexpect item \"a b\"\ndrag a to b\ndrag a -3 4.5\nstep reveal\nquit")
            .empty());
  CHECK(fault(std::string(5000, 'x')).find("too long") != std::string::npos);
  CHECK_THROWS_AS(read_script("/nowhere/at/all"), UsageError);
  CHECK_THROWS_AS(read_script("/tmp"), UsageError);
}

TEST_CASE("conditions on the state, and what is said where they do not hold") {
  const auto state = nlohmann::json::parse(
      R"({"run": {"finished": false, "steps": 7, "name": "stage 2"}, "list": [1, "two"], "none": null})");
  const auto says = [&](const char* pointer, const char* op, const char* value) {
    return unmet(state, pointer, op, value);
  };
  CHECK(says("/run/finished", "==", "false").empty());
  CHECK(says("/run/finished", "==", "true") == "it is false");
  CHECK(says("/run/name", "==", "stage 2").empty());
  CHECK(says("/run/name", "contains", "2").empty());
  CHECK(says("/run/steps", ">=", "7").empty());
  CHECK(says("/run/steps", ">", "7") == "it is 7");
  CHECK(says("/run/steps", "<", "7.5").empty());
  CHECK(says("/run/steps", "!=", "8").empty());
  CHECK(says("/list", "contains", "1").empty());
  CHECK(says("/list", "contains", "two").empty());
  CHECK(says("/list/1", "==", "two").empty());
  CHECK(says("/run", "contains", "steps").empty());
  CHECK(says("/run/name", ">", "1") == "it is \"stage 2\"");
  CHECK(says("/none", "==", "null").empty());
  CHECK(says("/run/finishd", "==", "true") == "there is no /run/finishd; there are: finished, name, steps");
  CHECK(says("/gone/deep", "==", "1") == "there is no /gone; there are: list, none, run");
  CHECK(says("/list/9", "==", "1") == "there is no /list/9");
  CHECK(says("/list/x", "==", "1").find("/list") != std::string::npos);
  CHECK(says("/run/steps/3", "==", "1").find("there is no") == 0);
}

// Two buttons, a slider, a field, and a counter of seconds.
struct Stage {
  test::Windowless windowless{500, 400};
  InputQueue input;
  double now = 0;
  int clicks = 0, scrolled = 0, halves = 0;
  float slider = 0;
  char text[64] = "";
  bool off_screen = false;
  std::vector<std::string> commands;

  ScriptStage hooks() {
    return {
        .state =
            [this](const std::string&) {
              return nlohmann::json{{"clicks", clicks},
                                    {"now", now},
                                    {"slider", slider},
                                    {"text", text},
                                    {"run", {{"done", std::floor(std::min(now, 3.0) * 2)}}}};
            },
        .command =
            [this](const std::string& line) {
              if (line.starts_with("bad")) throw UsageError("no such command");
              commands.push_back(line);
            },
        .screenshot =
            [this](const std::filesystem::path& file) { commands.push_back("picture " + file.string()); },
        .resize = [this](int w, int h) { commands.push_back(std::to_string(w) + "x" + std::to_string(h)); },
        .scale = [this](float scale) { commands.push_back("scale " + std::to_string(scale)); }};
  }
  void draw() {
    if (ui::button("press", "press")) ++clicks;
    ui::button("never", "never", false, false);
    ImGui::SliderFloat("slide", &slider, 0, 1);
    ui::mark("slide");
    ImGui::InputText("text", text, sizeof text);
    ui::mark("text");
    ui::mark("far", {2000, 0}, {2010, 10});
    if (now > 1) ui::mark("late", {0, 0}, {1, 1});
    ImGui::BeginChild("low", {100, 20});  // most of its button is clipped
    if (ImGui::Button("half", {80, 100})) ++halves;
    ui::mark("half");
    ImGui::EndChild();
    scrolled += static_cast<int>(ImGui::GetIO().MouseWheel);
  }
  // "" or what went wrong.
  std::string play(const std::string& script) {
    ScriptPlayer player(parse(script), "a.script", hooks());
    try {
      for (int i = 0; i < 10'000 && !player.finished(); ++i) {
        player.before_frame(now, input);
        input.feed();
        windowless.in_window([&] { draw(); });
        now += 0.02;
      }
    } catch (const ScriptError& error) {
      CHECK(error.code() == ExitCode::kCheckFailed);
      return error.what();
    }
    return player.finished() ? "" : "it never ended";
  }
};

TEST_CASE("a script clicks where an item is seen, drags and types; the rest goes where it belongs") {
  Stage stage;
  CHECK(stage.play("click press\nexpect /clicks == 1\ndouble_click press\nexpect /clicks == 3\n"
                   "drag slide -400 0\nexpect /slider == 0\ndrag slide 400 0\nexpect /slider == 1\n"
                   "click text\ntype \"14 P\"\nkey Left\ntype é\nkey Home\ntype \"#\"\nframes 2\n") == "");
  CHECK(stage.play("click half\nframes 2") == "");
  CHECK(stage.halves == 1);
  CHECK(stage.play("click text\ntype 14P\nkey Ctrl+A\ntype x\nframes 2\nexpect /text == x") == "");
  CHECK(stage.play("hover press\nwheel press 2\nframes 2") == "");
  CHECK(stage.scrolled == 2);
  CHECK(stage.play("set ranks=8\npredict p \"2P + 14P/N\"\nscreenshot a.png\nsize 800 600\nscale 2\ntheme "
                   "light\nquit\n"
                   "expect /clicks == 99") == "");
  CHECK(stage.commands == std::vector<std::string>{"set ranks=8", "predict p \"2P + 14P/N\"", "picture a.png",
                                                   "800x600", "scale 2.000000", "theme light"});
}

TEST_CASE("waiting ends when it holds, or at its deadline") {
  Stage stage;
  CHECK(stage.play(
            "wait /now > 0.5 10\nwait item late 5\nwait no_item gone 1\nexpect item press\nsleep 0.2") == "");
  CHECK(stage.now < 3);
  stage.now = 10;  // the run stands still by then
  CHECK(stage.play("\nwait /clicks == 1 0.5") == "a.script:2: wait /clicks == 1 0.5: it is 0");
  CHECK(stage.play("wait item never_there 0.5").find("there is no item 'never_there'") != std::string::npos);
}

TEST_CASE("a wait lasts as long as the run makes progress, and its seconds more") {
  Stage stage;  // progress every half second, for three
  SECTION("in time") { CHECK(stage.play("wait /now > 3.2 0.6") == ""); }
  SECTION("too late") {
    CHECK(stage.play("wait /now > 4 0.6").starts_with("a.script:1: wait /now > 4 0.6: it is 3.6"));
  }
}

TEST_CASE("what is not there, or cannot be touched, is named; dumps are JSON") {
  Stage stage;
  CHECK(
      stage.play("click pres")
          .find("a.script:1: click pres: there is no item 'pres' (did you mean press?); there are: press") ==
      0);
  CHECK(stage.play("click never").find("cannot be used now") != std::string::npos);
  CHECK(stage.play("hover far").find("lies outside the window") != std::string::npos);
  CHECK(stage.play("drag press to nothing").find("'nothing'") != std::string::npos);
  CHECK(stage.play("\n\nbad thing") == "a.script:3: bad thing: no such command");
  CHECK(stage.play("expect /clicks == 7") == "a.script:1: expect /clicks == 7: it is 0");
  CHECK(stage.play("dump /nowhere/at/all.json").find("cannot be written") != std::string::npos);
  const testing::TempFolder folder;
  const std::string path = folder.path.string();
  CHECK(stage.play("frames 2\ndump " + path + "/state.json\nitems " + path + "/items.json") == "");
  CHECK(nlohmann::json::parse(folder.read("state.json"))["clicks"] == 0);
  const auto items = nlohmann::json::parse(folder.read("items.json"));
  CHECK(items[0]["name"] == "press");
  CHECK(items[1]["enabled"] == false);
  CHECK(items[0]["rect"].size() == 4);
}

}  // namespace
}  // namespace ringside::gui
