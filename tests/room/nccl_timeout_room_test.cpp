// The timeout lesson as a learner meets it: every picture of a real run drawn without a fault, and a case
// solved by hand. A run of all acts leaves a million events: one run, read once, in one room.
#include "in_room.h"
#include "ringside/session/session.h"
#include "ringside/trace/files.h"

namespace ringside::gui {
namespace {

Trace run_lesson(const std::vector<std::string>& words) {
  const Lesson& lesson = find_lesson("nccl_timeout");
  Session session(lesson, Config::parse("nccl_timeout", lesson.parameters, words));
  REQUIRE(testing::finishes(session));
  return session.result();
}

// To open `run` from a file: on a busy machine a second run may end otherwise.
RoomOptions of_file(const Trace& run, const TempFolder& folder) {
  RoomOptions options = options_for("nccl_timeout");
  options.trace = folder.path / "run.jsonl";
  write_trace_file(run, *options.trace, TraceFormat::kJsonl);
  return options;
}

bool has_read(const nlohmann::json& state) { return state.at("run").at("file") == true; }

void draw_every_step_and_picture(InRoom& in) {
  for (const char* step : {"guess", "watch", "break", "say"}) {
    in.command(std::string("step ") + step);
    INFO(step);
    CHECK(in.faults() == "");
  }
  in.command("step watch");
  for (const char* section : {"symptom", "fix timeout", "plan 7B", "V1 mismatch", "live", "case 1"}) {
    in.command(std::string("watch ") + section);
    for (const char* picture : {"log", "calls", "time", "logs", "counters", "stacks", "waits", "outcomes",
                                "bucket", "numbers", "tensor", "memory", "curve"}) {
      in.command(std::string("picture ") + picture);
      INFO(section << ", " << picture);
      CHECK(in.faults() == "");
    }
  }
  in.command("picture calls");
  in.command("watch live");
  for (const char* part : {"0", "0.1", "0.13", "0.5", "1"}) {
    in.command(std::string("playhead ") + part);
    INFO("playhead " << part);
    CHECK(in.faults() == "");
  }
}

// A case is solved by hand: a wrong answer lets look on, the right one opens its fix and its check. The
// experiment wrote the truth; the panel keeps it to itself.
void solve(InRoom& in, const Trace& run, const std::string& name) {
  const SectionView& truth = *run.find(name);
  INFO(name << ", " << truth.text("cause"));
  in.command("watch " + name);
  CHECK(in.at<std::string>("/panel/lanes") == "one");
  in.click("look.stacks");
  CHECK(in.at<std::string>("/picture") == "stacks");
  in.click("look.dump");
  CHECK(in.at<std::string>("/panel/lanes") == "all");
  in.click("culprit=" + std::string(truth.text("culprit") == "1" ? "2" : "1"));
  in.click("cause." + truth.text("cause"));
  in.click("answer");
  CHECK(in.at<std::string>("/panel/verdict") == "only cause");
  CHECK(ui::find_item("case.fix") == nullptr);
  in.click("culprit=" + truth.text("culprit"));
  in.click("answer");
  CHECK(in.at<std::string>("/panel/verdict") == "right");
  CHECK(in.at<std::string>("/panel/looks") == "2");
  CHECK(in.at<std::string>("/panel/tries") == "2");
  CHECK(in.faults() == "");
  in.click("case.check");
  CHECK(in.at<std::string>("/playhead/section") == name + " check");
  in.click("case.fix");
  CHECK(in.at<std::string>("/playhead/section") == name + " fixed");
  CHECK(in.at<std::string>("/panel/ended") == "completed");
  CHECK(in.faults() == "");
}

// The source's bucket comes to the logged number.
void fill_the_bucket(InRoom& in) {
  in.command("step watch");
  in.command("picture bucket");
  in.click("bucket.all");
  CHECK(in.at<std::string>("/panel/bucket_sum") == "467019003");
  CHECK(in.at<std::string>("/panel/bucket_bounced") == "yes");
}

// An open question does not find its answer in the picture.
void ask(InRoom& in) {
  in.command("ask first_bucket");
  CHECK(in.at<std::string>("/picture") == "log");
  in.command("picture bucket");
  CHECK(ui::find_item("bucket.sum") == nullptr);
  in.command("ask what");
  CHECK(in.at<std::string>("/picture") == "log");
  in.command("ask timeout_x3");
  CHECK(in.at<std::string>("/playhead/section") == "symptom");
  CHECK(ui::find_item("fix.timeout") == nullptr);
}

}  // namespace

TEST_CASE("a fix that was not run is run, and then watched") {
  InRoom in(options_for("nccl_timeout", {"act=1", "fix=outputs", "deadline=0.2"}));
  REQUIRE(in.until_ended());
  in.command("step watch");
  in.command("picture calls");
  in.click("fix.timeout");
  std::string faults;  // while it trains, hangs and ends
  REQUIRE(in.until([&](const auto& s) {
    faults += in.faults();
    return s.at("playhead").at("section") == "fix timeout" && s.at("run").at("ended") == true;
  }));
  CHECK(faults == "");
  CHECK(in.at<std::string>("/panel/tried") == "outputs,timeout");
  CHECK(in.at<std::string>("/scenario").find("deadline=0.2") != std::string::npos);
  CHECK(in.faults() == "");
}

TEST_CASE("a run of all acts in the room") {
  const TempFolder folder;
  InRoom in(of_file(run_lesson({"ranks=3", "deadline=0.3"}), folder), 1440, 1400);
  REQUIRE(in.until(has_read));
  fill_the_bucket(in);
  ask(in);
  for (const auto& [width, height, scale, mode] :
       {std::tuple{1440.f, 900.f, 1.f, ui::Mode::kDark}, std::tuple{1440.f, 900.f, 2.f, ui::Mode::kLight},
        std::tuple{900.f, 600.f, 1.f, ui::Mode::kLight}, std::tuple{900.f, 600.f, 2.f, ui::Mode::kDark}}) {
    INFO(width << " x " << height << " at " << scale);
    in.reshape(width, height, scale, mode);
    draw_every_step_and_picture(in);
  }
}

// Each case whole: the four of one line in one run, the others in a run each.
TEST_CASE("every case is solved in the room, with a wrong answer and the right one") {
  for (int which = 4; which <= 13; ++which) {
    const bool four = which == 4;
    std::vector<std::string> words = {"act=5", "ranks=3", "deadline=1"};  // a fixed run ends before it
    if (!four) words.push_back("case=" + std::to_string(which));
    const Trace run = run_lesson(words);
    const TempFolder folder;
    InRoom in(of_file(run, folder), 1440, 1400);
    REQUIRE(in.until(has_read));
    in.command("step watch");
    for (int number = four ? 1 : which; number <= which; ++number)
      solve(in, run, "case " + std::to_string(number));
  }
}

}  // namespace ringside::gui
