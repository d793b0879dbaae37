// On call in the room: a log that is pasted, files that are dropped, what cannot be read, a long log.
#include <fmt/format.h>

#include "flight_dumps.h"
#include "in_room.h"
#include "ringside/base/error.h"
#include "ringside/flight/files.h"
#include "room_log_lines.h"

namespace ringside::gui {
namespace {

std::string timeout(int rank) {
  return fmt::format(
      "[rank{0}]:[E ProcessGroupNCCL.cpp:607] [Rank {0}] Watchdog caught collective operation timeout: "
      "WorkNCCL(SeqNum=5, OpType=ALLREDUCE, NumelIn=467019003, NumelOut=467019003, Timeout(ms)=600000) ran "
      "for 600013 milliseconds before timing out.\n",
      rank);
}
// Rank 3 is silent; the first timeout is line 9.
std::string silent() {
  std::string log;
  for (int rank = 0; rank < 8; ++rank) log += fmt::format("[rank{}]: step 4 on gpu-7.example.com\n", rank);
  for (const int rank : {0, 1, 2, 4, 5, 6, 7}) log += timeout(rank);
  return log;
}

struct OnCallRoom : InRoom {
  explicit OnCallRoom(std::vector<std::string> paths = {}) : InRoom(options(std::move(paths))) {}
  static RoomOptions options(std::vector<std::string> paths) {
    RoomOptions options;
    options.lesson = paths.empty() ? "example" : "";
    options.autopsy = std::move(paths);
    return options;
  }
  bool read() {
    return until([](const auto& s) { return s.at("run").at("busy") == false; });
  }
  std::string text(const char* what) { return at<std::string>((std::string("/autopsy/") + what).c_str()); }
  void paste(const std::string& log) {
    ImGui::SetClipboardText(log.c_str());
    key(ui::Key::kV, true);
  }
};

TEST_CASE("a pasted log: what stopped first, its line in the log, what is copied, redacted and saved") {
  const TempFolder folder;
  OnCallRoom in;
  in.key(ui::Key::kO, true);
  CHECK(ui::find_item("on_call.first_example") != nullptr);
  in.key(ui::Key::kL);  // the keys are in the field: a log is no path
  in.paste(silent());
  REQUIRE(in.read());
  CHECK(in.text("told") == "pasted");
  CHECK(in.at<std::vector<int>>("/autopsy/first/ranks") == std::vector<int>{3});
  CHECK(in.text("first/sure") == "likely");
  CHECK(in.at<int>("/autopsy/line") == 9);
  CHECK(ui::find_item("log.line=9") != nullptr);
  CHECK(ui::find_item("on_call.waits.1") != nullptr);
  in.key(ui::Key::kEscape);
  in.key(ui::Key::kEnd);
  in.command("autopsy redact on");
  CHECK(in.faults() == "");
  in.click("on_call.variables");
  CHECK(std::string(ImGui::GetClipboardText()).starts_with("export TORCH_NCCL_TRACE_BUFFER_SIZE=2000 "));
  in.key(ui::Key::kC);
  CHECK_THAT(ImGui::GetClipboardText(), ContainsSubstring("- Rank 3 did not come"));
  in.key(ui::Key::kW);  // the keys are in the field of the file's name
  CHECK(in.text("save_as").ends_with(".html"));
  in.type(folder.file("report.html"));
  in.key(ui::Key::kEnter);
  CHECK(in.text("note").starts_with("Saved: "));
  CHECK_THAT(folder.read("report.html"), ContainsSubstring("Rank 3 did not come"));
  in.key(ui::Key::kEscape);
  CHECK_FALSE(in.at<bool>("/autopsy/open"));
}

TEST_CASE(
    "dropped files: a folder of dumps, a model's config.json behind a log; what cannot be read loses "
    "nothing") {
  const TempFolder folder;
  for (const int rank : {0, 1, 2})
    folder.write(fmt::format("dumps/trace_{}.json", rank),
                 flight_json(testing::dump_of(rank, rank == 1 ? 4 : 5)));
  folder.write("train.log", silent());
  folder.write("other.log", "[rank3]: KeyError: 'x'\n");
  folder.write("config.json",
               R"({"model_type":"llama","hidden_size":64,"intermediate_size":128,"num_hidden_layers":2,)"
               R"("num_attention_heads":4,"num_key_value_heads":4,"vocab_size":100})");
  folder.write("core", std::string("\x7f"
                                   "ELF\0",
                                   5));
  folder.write("nccl_trace_rank_7",
               "\x80\x02"
               "cposix\nsystem\n.");
  std::filesystem::create_directories(folder.path / "empty");
  OnCallRoom in({(folder.path / "dumps").string()});  // ringside gui --autopsy: no lesson runs
  REQUIRE(in.read());
  CHECK(in.at<bool>("/run/ended") == false);
  CHECK(in.at<std::vector<int>>("/autopsy/first/ranks") == std::vector<int>{1});
  CHECK(in.at<int>("/autopsy/waits") == 1);
  const auto drop = [&](const char* name) {
    in.room->take_dropped({folder.path / name});
    REQUIRE(in.read());
    in.frames(2);
    CHECK(in.faults() == "");
    return in.text("fault");
  };
  CHECK(drop("train.log") == "");
  CHECK(in.text("file") == "train.log");
  in.room->take_dropped({folder.path / "train.log", folder.path / "other.log"});
  REQUIRE(in.read());
  CHECK(in.text("file") == "other.log (2 of 2)");
  in.click("on_call.evidence=2");
  CHECK(in.text("file") == "train.log (1 of 2)");
  CHECK(in.at<int>("/autopsy/line") == 1);  // of the last step
  CHECK(drop("train.log") == "");
  CHECK(drop("config.json") == "");
  CHECK_THAT(in.text("told"), ContainsSubstring("with config.json"));
  CHECK_THAT(drop("nccl_trace_rank_7"), ContainsSubstring("posix.system"));
  CHECK_THAT(drop("core"), ContainsSubstring("no text"));
  CHECK_THAT(drop("empty"), ContainsSubstring("no file in it"));
  CHECK_THAT(drop("nowhere"), ContainsSubstring("there is no such file"));
  CHECK_THAT(in.text("told"), ContainsSubstring("with config.json"));
  CHECK(in.at<std::vector<int>>("/autopsy/first/ranks") == std::vector<int>{3});
}

TEST_CASE("a log of a million lines: the last reading counts, and only lines that are seen are drawn") {
  const TempFolder folder;
  std::string log;
  for (int line = 0; line < 1'000'000; ++line) log += "[rank0]: step\n";
  folder.write("long.log", log + "\x1b[31m[rank2]: KeyError: 'x'\x1b[0m\n[rank1]: the last");
  folder.write("short.log", silent());
  OnCallRoom in;
  in.room->take_dropped({folder.path / "short.log"});  // it is no trace: the page opens
  in.room->take_dropped({folder.path / "long.log"});
  REQUIRE(in.read());
  CHECK_THAT(in.text("told"), ContainsSubstring("long.log"));
  CHECK(in.at<int>("/autopsy/lines") == 1'000'002);
  CHECK(in.at<int>("/autopsy/line") == 1'000'001);
  const size_t drawn = in.vertices();
  in.key(ui::Key::kHome);
  CHECK(in.at<int>("/autopsy/first_line") == 1);
  in.key(ui::Key::kPageDown);
  CHECK(in.at<int>("/autopsy/first_line") > 10);
  CHECK(in.vertices() < 2 * drawn);
  in.key(ui::Key::kRightBracket);
  CHECK(ui::find_item("log.line=1000001") != nullptr);
  LogLines lines((folder.path / "long.log").string());
  while (lines.counting()) std::this_thread::yield();
  CHECK(lines.line(1) == "[rank0]: step");
  CHECK(lines.line(1'000'001) == "[rank2]: KeyError: 'x'");
  CHECK(lines.line(1'000'002) == "[rank1]: the last");
  CHECK(lines.line(1'000'003).empty());
  OnCall bounded;
  bounded.paste(std::string(kMostPasted + 1, 'x'));
  CHECK_THAT(bounded.note, ContainsSubstring("Only the first 64.00 MiB"));
}

TEST_CASE("an example, an empty page and a mistake in every size") {
  OnCallRoom in;
  const auto looks_well = [&](float width, float height, float scale, ui::Mode mode) {
    in.reshape(width, height, scale, mode);
    in.frames(3);
    CHECK(in.faults() == "");
  };
  in.command("autopsy page");
  looks_well(1024, 700, 1, ui::Mode::kLight);
  in.command("autopsy read /nowhere");
  REQUIRE(in.read());
  looks_well(1280, 800, 2, ui::Mode::kDark);
  in.command("autopsy example");
  REQUIRE(in.read());
  CHECK(in.text("told") == "example 1");
  CHECK(in.text("first/cause") == "absent");
  CHECK(in.text("fault").empty());
  looks_well(1280, 800, 1, ui::Mode::kDark);
  looks_well(1024, 700, 1, ui::Mode::kLight);
  looks_well(1920, 1080, 2, ui::Mode::kLight);
  in.key(ui::Key::kE);
  REQUIRE(in.read());
  CHECK(in.text("told") == "example 2");
  CHECK_THROWS_AS(in.command("autopsy nonsense"), UsageError);
}

}  // namespace
}  // namespace ringside::gui
