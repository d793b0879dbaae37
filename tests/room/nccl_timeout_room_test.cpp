// The timeout lesson as a learner meets it: every picture of a real run drawn without a fault, and a case
// solved by hand.
#include "in_room.h"
#include "ringside/session/session.h"
#include "ringside/trace/files.h"

namespace ringside::gui {
namespace {

// One run for all tests: they read it from its file.
const std::filesystem::path& saved_run() {
  static const Folder folder;
  static const std::filesystem::path path = [] {
    const Lesson& lesson = find_lesson("nccl_timeout");
    Session session(lesson, Config::parse("nccl_timeout", lesson.parameters, {"deadline=0.3"}));
    REQUIRE(testing::finishes(session));
    write_trace_file(session.result(), folder.path() / "run.jsonl", TraceFormat::kJsonl);
    return folder.path() / "run.jsonl";
  }();
  return path;
}

RoomOptions looking() {
  RoomOptions options = options_for("nccl_timeout");
  options.trace = saved_run();
  return options;
}
bool has_read(const nlohmann::json& state) { return state.at("run").at("file") == true; }

// The section's attribute, which the experiment wrote and the panel keeps for itself.
std::string truth(const std::string& section, const std::string& key) {
  static const Trace trace = read_jsonl(saved_run());
  return trace.find(section)->attributes().at(key);
}

}  // namespace

TEST_CASE("every step and picture of the timeout lesson is drawn without a fault") {
  const auto [width, height, scale, mode] = GENERATE(
      std::tuple{1440.f, 900.f, 1.f, ui::Mode::kDark}, std::tuple{1440.f, 900.f, 2.f, ui::Mode::kLight},
      std::tuple{900.f, 600.f, 1.f, ui::Mode::kLight}, std::tuple{900.f, 600.f, 2.f, ui::Mode::kDark});
  RoomOptions options = looking();
  options.mode = mode;
  InRoom in(options, width * scale, height * scale, scale);
  INFO(width << " x " << height << " at " << scale);
  REQUIRE(in.until(has_read));
  for (const char* step : {"guess", "watch", "break", "say"}) {
    in.command(std::string("step ") + step);
    INFO(step);
    CHECK(in.faults() == "");
  }
  in.command("step watch");
  for (const char* section :
       {"symptom", "fix timeout", "plan 7B", "V1 mismatch", "live", "case 1", "case 3 check"}) {
    in.command(std::string("watch ") + section);
    for (const char* picture : {"sequences", "memory", "bucket", "tensor"}) {
      in.command(std::string("picture ") + picture);
      INFO(section << ", " << picture);
      CHECK(in.faults() == "");
    }
  }
  in.command("picture sequences");
  in.command("watch live");
  for (const char* part : {"0", "0.1", "0.13", "0.5", "1"}) {
    in.command(std::string("playhead ") + part);
    INFO("playhead " << part);
    CHECK(in.faults() == "");
  }
}

TEST_CASE("cases are solved by hand, with the looks that it took") {
  InRoom in(looking(), 1440, 1400);
  REQUIRE(in.until(has_read));
  in.command("step watch");
  in.command("picture sequences");
  for (int number = 1; number <= 4; ++number) {
    const std::string name = "case " + std::to_string(number);
    INFO(name);
    in.command("watch " + name);
    CHECK(in.at<std::string>("/panel/lanes") == "one");
    in.click("look.dump");
    CHECK(in.at<std::string>("/panel/lanes") == "all");
    CHECK(in.at<std::string>("/panel/missing") != "");
    in.click("look.counters");
    in.click("culprit=rank " + truth(name, "culprit"));
    in.click("cause." + truth(name, "cause"));
    in.click("answer");
    CHECK(in.at<std::string>("/panel/verdict") == "right");
    CHECK(in.at<std::string>("/panel/looks") == "2");
    CHECK(in.faults() == "");
    in.click("case.check");
    CHECK(in.at<std::string>("/playhead/section") == name + " check");
    in.click("case.fix");
    CHECK(in.at<std::string>("/playhead/section") == name + " fixed");
    CHECK(in.at<std::string>("/panel/ended") == "completed");
    CHECK(in.faults() == "");
  }
}

TEST_CASE("the source's bucket comes to the logged number") {
  InRoom in(looking());
  REQUIRE(in.until(has_read));
  in.command("step watch");
  in.command("picture bucket");
  in.click("bucket.all");
  CHECK(in.at<std::string>("/panel/bucket_sum") == "467019003");
  CHECK(in.at<std::string>("/panel/bucket_bounced") == "yes");
}

TEST_CASE("an open question does not find its answer in the picture") {
  InRoom in(looking());
  REQUIRE(in.until(has_read));
  in.command("ask first_bucket");
  CHECK(in.at<std::string>("/picture") == "bucket");
  in.click("plan=the model here");
  CHECK(ui::find_item("bucket.sum") == nullptr);
  in.command("ask timeout_x3");
  CHECK(in.at<std::string>("/playhead/section") == "symptom");
  CHECK(ui::find_item("fix.timeout") == nullptr);
}

TEST_CASE("a fix that was not run is run, and then watched") {
  InRoom in(options_for("nccl_timeout", {"act=1", "fix=outputs", "deadline=0.2"}));
  REQUIRE(in.until_ended());
  in.command("step watch");
  in.command("picture sequences");
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

}  // namespace ringside::gui
