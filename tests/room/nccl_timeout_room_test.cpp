// The timeout lesson as a learner meets it: every picture of a real run drawn without a fault, nothing shown
// before its question, the bucket filled, the first act and the cases solved by hand. A run of all acts
// leaves a million events: one run, read once, in one room.
#include <fmt/format.h>

#include "in_room.h"
#include "ringside/lesson/investigation.h"
#include "ringside/session/session.h"
#include "ringside/trace/files.h"
#include "ringside/trace/hang_rows.h"
#include "ringside/trace/measure.h"
#include "walk.h"

namespace ringside::gui {
namespace {

constexpr int kCases = 13;

Trace run_lesson(const std::vector<std::string>& words) {
  const Lesson& lesson = find_lesson("nccl_timeout");
  Session session(lesson, Config::parse("nccl_timeout", lesson.parameters, words));
  REQUIRE(testing::finishes(session));
  return session.result();
}

// To open `run` from a file: on a busy machine a second run may end otherwise.
RoomOptions of_file(const Trace& run, const TempFolder& folder) {
  RoomOptions options = options_for("nccl_timeout");
  options.data_folder = folder.path;
  options.trace = folder.path / "run.jsonl";
  write_trace_file(run, *options.trace, TraceFormat::kJsonl);
  return options;
}

void draw_all_of_it(InRoom& in) {
  for (const char* step : {"guess", "watch", "break", "say"}) {
    in.command(std::string("step ") + step);
    INFO(step);
    CHECK(in.faults() == "");
  }
  in.command("step watch");
  for (const char* section :
       {"symptom", "fix timeout", "plan 7B", "V1 mismatch", "live", "case 1", "case 3"}) {
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

std::string panel(const InRoom& in, const char* name) { return in.state().at("panel").value(name, ""); }
std::string caption(const InRoom& in) { return in.at<std::string>("/caption"); }
std::string next(const InRoom& in) { return in.at<std::string>("/next"); }
bool is_drawn(const std::string& item) { return ui::find_item(item) != nullptr; }
bool can_click(const std::string& item) { return is_drawn(item) && ui::find_item(item)->enabled; }

void watch(InRoom& in, const std::string& section) {
  in.command("watch " + section);
  CHECK(in.at<std::string>("/playhead/section") == section);
}

void answer(InRoom& in, const std::string& rank, const std::string& cause, const char* verdict) {
  in.click("culprit=" + rank);
  if (!cause.empty()) in.click("cause." + cause);
  in.click("answer");
  CHECK(panel(in, "verdict") == verdict);
}

// The first act: fixes are watched where they are recorded, and the rank is found by looking.
void try_fixes(InRoom& in, const Trace& run) {
  watch(in, "symptom");
  CHECK(panel(in, "lanes") == "one");
  CHECK_FALSE(is_drawn("look.dump"));
  in.click("fix.timeout");
  CHECK(in.at<std::string>("/playhead/section") == "fix timeout");
  CHECK(panel(in, "tried") == "timeout");
  CHECK(in.at<std::string>("/picture") == "outcomes");
  CHECK(next(in) == "try: no hidden states ▸");
  in.click("fix.none");
  CHECK(in.at<std::string>("/playhead/section") == "symptom");
  in.click("fix.rank");
  CHECK_FALSE(is_drawn("cause.killed"));  // the rank alone is asked for
  in.click("look.dump");
  CHECK(panel(in, "lanes") == "all");
  const std::string culprit = attribute(*run.find("symptom"), kCulprit);
  answer(in, culprit == "1" ? "2" : "1", "", "wrong");
  answer(in, culprit, "", "right");
  CHECK(next(in) == "run the fix ▸");
}

// One rank until somebody looks, and each look is counted.
void look_around(InRoom& in, const Trace& run, const std::string& name) {
  watch(in, name);
  CHECK(in.at<std::string>("/picture") == "calls");
  CHECK(panel(in, "lanes") == "one");
  CHECK(is_drawn("figure.calls.1.0"));  // the logger's rows, one a group
  CHECK_FALSE(is_drawn("figure.calls.2.0"));
  CHECK(caption(in).ends_with("Its log does not say which rank is missing."));
  for (const std::string closed : {"logs", "counters", "stacks", "waits"}) {
    in.command("picture " + closed);
    CHECK(panel(in, "looks") == "0");
    CHECK_FALSE(is_drawn("figure." + closed + ".0"));
  }
  in.click("look.counters");
  CHECK(in.at<std::string>("/picture") == "counters");
  CHECK(panel(in, "lanes") == "one");
  in.click("look.dump");
  CHECK_FALSE(can_click("look.dump"));
  CHECK(panel(in, "lanes") == "all");
  CHECK(is_drawn("figure.calls.5.0"));  // three ranks in two groups
  CHECK(caption(in).find(" for rank") != std::string::npos);
  const std::string truth = attribute(*run.find(name), kSentence);
  in.command("picture waits");
  CHECK(caption(in) != truth);  // the verdict is a look of its own
  in.click("look.verdict");
  CHECK(panel(in, "looks") == "3");
  CHECK(caption(in) == truth);
}

// The dump opens a hole: a clock, then the threads.
void open_the_hole(InRoom& in, const std::string& name) {
  watch(in, name);
  in.look().motion = true;
  in.click("look.dump");
  CHECK(panel(in, "hole") == "clock");
  CHECK(is_drawn("lanes.clock"));
  std::string seen;
  for (int i = 0; i < 120; ++i) {
    in.frames();
    CHECK(in.faults() == "");
    if (const std::string now = panel(in, "hole"); !now.empty() && !seen.ends_with(now)) seen += " " + now;
  }
  CHECK(seen == " clock threads");
  CHECK(is_drawn("lanes.threads"));
  in.look().motion = false;
}

// The answer alone: every cause can be named.
void find_out(InRoom& in, const Trace& run, const std::string& name) {
  INFO(name);
  watch(in, name);
  answer(in, attribute(*run.find(name), kCulprit), attribute(*run.find(name), kCause), "right");
  CHECK(in.faults() == "");
}

// A case is solved by hand: a wrong answer lets look on, the right one opens its fix and its check. The
// experiment wrote the truth; the panel keeps it to itself.
void solve(InRoom& in, const Trace& run, const std::string& name) {
  const SectionView& truth = *run.find(name);
  const std::string culprit = attribute(truth, kCulprit), cause = attribute(truth, kCause);
  const std::vector<std::string> options = split(attribute(truth, kOptions), ',');
  INFO(name << ", " << cause);
  watch(in, name + " check");
  CHECK_FALSE(is_drawn("figure.calls.0.0"));
  in.click("case.back");
  CHECK(in.at<std::string>("/playhead/section") == name);
  CHECK_FALSE(can_click("answer"));
  in.click("look.stacks");
  CHECK(in.at<std::string>("/picture") == "stacks");
  answer(in, culprit == "1" ? "2" : "1", cause, "only cause");
  CHECK_FALSE(is_drawn("case.fix"));
  answer(in, "nobody", "", "only cause");
  answer(in, culprit, options[options[0] == cause ? 1 : 0], "only rank");
  answer(in, culprit, cause, "right");
  CHECK(panel(in, "looks") == "1");
  CHECK(panel(in, "tries") == "4");
  CHECK(in.faults() == "");
  in.click("case.check");
  CHECK(in.at<std::string>("/playhead/section") == name + " check");
  CHECK(in.at<std::string>("/picture") == "outcomes");
  const std::string killed = "The check compares calls; rank " + culprit + " made none. It cannot help here.";
  if (cause == "killed") CHECK(caption(in) == killed);
  // On a busy machine the deadline may end it before the check does.
  const bool is_late = attribute(*run.find(name + " check"), kEnded) == "timeout";
  CHECK(caption(in).starts_with("The check compares calls") == is_late);
  CHECK((caption(in).find(" Without the check: silence, then ") != std::string::npos) != is_late);
  in.click("case.fix");
  CHECK(in.at<std::string>("/playhead/section") == name + " fixed");
  CHECK(panel(in, "ended") == "completed");
  CHECK(in.faults() == "");
}

// Watch opens where the question is, with its picture.
void back_to(InRoom& in, const std::string& name) {
  in.command("step watch");
  watch(in, name);
  in.command("picture calls");
}

// By the next button: through a case, and on to one that is not solved.
void go_through(InRoom& in, const Trace& run, const std::string& name, const TempFolder& folder) {
  const SectionView& truth = *run.find(name);
  watch(in, name);
  CHECK(next(in) == "look at the logs ▸");
  in.command("next");
  CHECK(in.at<std::string>("/picture") == "logs");
  in.click("culprit=" + attribute(truth, kCulprit));
  in.click("cause." + attribute(truth, kCause));
  in.command("step reveal");
  CHECK(caption(in).find("is open: 2 looks used") != std::string::npos);
  back_to(in, name);
  CHECK(next(in) == "check my answer");
  in.command("next");
  CHECK(panel(in, "verdict") == "right");
  in.command("step reveal");
  CHECK(caption(in).ends_with(": solved with 2 looks."));
  back_to(in, name);
  in.click("card");
  const std::string card = folder.read("cards/" + name + " seed 0.svg");
  CHECK(card.find(name + ", 2 looks, rank " + attribute(truth, kCulprit)) != std::string::npos);
  in.click("message.close");
  for (const char* part : {" fixed", " check"}) {
    in.command("next");
    CHECK(in.at<std::string>("/playhead/section") == name + part);
  }
  CHECK(next(in).starts_with("next case ▸ ("));
  in.command("next");
  CHECK_FALSE(in.at<std::string>("/playhead/section").starts_with(name));
}

// The source's bucket comes to the logged number, whose digits lock from the right.
void fill_the_bucket(InRoom& in) {
  in.command("picture bucket");
  CHECK(panel(in, "bucket_sum") == "0");
  in.click("bucket.next");
  CHECK(panel(in, "bucket_sum") == "251");
  in.click("bucket.layer");
  CHECK(panel(in, "bucket_sum") == "899835");
  in.click("bucket.all");
  CHECK(panel(in, "bucket_sum") == "467019003");
  CHECK(panel(in, "bucket_bounced") == "yes");
  CHECK_FALSE(can_click("bucket.next"));
  in.key(ui::Key::kK);
  in.key(ui::Key::kLeft);
  CHECK(panel(in, "bucket_bounced") == "no");
  in.key(ui::Key::kHome);
  CHECK(panel(in, "bucket_sum") == "0");
  in.click("bucket.play");  // without motion
  CHECK(panel(in, "digits") == "9");
  CHECK(is_drawn("bucket.equal"));
  in.click("bucket.empty");
  CHECK(panel(in, "digits") == "0");
  in.look().motion = true;
  in.key(ui::Key::kK);
  in.key(ui::Key::kSpace);
  in.frames(15);
  CHECK(in.room->idle_seconds() < 0.05);
  CHECK(std::stoll(panel(in, "bucket_sum")) < 467019003);
  for (int i = 0; i < 900 && panel(in, "bucket_bounced") != "yes"; ++i) in.frames();
  CHECK(panel(in, "bucket_sum") == "467019003");
  in.look().motion = false;
  in.key(ui::Key::kEscape);
}

// An open question does not find its answer in the picture.
void ask(InRoom& in) {
  for (const char* question : {"first_bucket", "what"}) {
    in.command(std::string("ask ") + question);
    CHECK(in.at<std::string>("/picture") == "log");
    in.command("picture bucket");
    CHECK(is_drawn("figure.bucket.closed"));
    CHECK_FALSE(is_drawn("bucket.sum"));
  }
  for (const std::string picture : {"tensor", "numbers"}) {  // of "what"
    in.command("picture " + picture);
    CHECK(is_drawn("figure." + picture + ".closed"));
  }
  in.command("ask timeout_x3");
  CHECK(in.at<std::string>("/playhead/section") == "symptom");
  CHECK_FALSE(is_drawn("fix.timeout"));
}

}  // namespace

TEST_CASE("a fix that was not run is run, and then watched") {
  Ended in(options_for("nccl_timeout", {"act=1", "fix=outputs", "deadline=0.2"}));
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
  const Trace run = run_lesson({"ranks=3", "deadline=0.3"});
  InRoom in(of_file(run, folder), 1440, 1400);
  REQUIRE(in.until(has_read));
  in.reshape(1440, 900, 2, ui::Mode::kLight);
  draw_all_of_it(in);
  in.reshape(1440, 1400, 1, ui::Mode::kDark);
  ask(in);
  walk(in, "nccl_timeout");
  in.command("ask first_bucket");
  in.command("step reveal");
  CHECK(in.at<std::string>("/picture") == "bucket");
  CHECK(panel(in, "plan") == "plan here");
  CHECK(std::stod(panel(in, "bucket_sum")) == in.at<double>("/answers/first_bucket/measured"));
  in.command("step watch");
  in.click("plan=the source's 7B");
  fill_the_bucket(in);
  try_fixes(in, run);
  for (int number = 1; number <= kCases; ++number) find_out(in, run, fmt::format("case {}", number));
  for (const auto& [width, height, scale, mode] :
       {std::tuple{900.f, 600.f, 1.f, ui::Mode::kLight}, std::tuple{900.f, 600.f, 2.f, ui::Mode::kDark}}) {
    INFO(width << " x " << height << " at " << scale);
    in.reshape(width, height, scale, mode);
    draw_all_of_it(in);
  }
}

// A line of cases alone has each one's fix and check as well; a fixed run ends before the deadline.
TEST_CASE("the cases of a line are solved in the room, each in its way") {
  const TempFolder folder;
  const Trace run = run_lesson({"act=5", "ranks=3", "deadline=1"});
  InRoom in(of_file(run, folder), 1440, 1400);
  REQUIRE(in.until(has_read));
  in.command("step watch");
  look_around(in, run, "case 1");
  open_the_hole(in, "case 2");
  go_through(in, run, "case 2", folder);
  solve(in, run, "case 3");
  solve(in, run, "case 4");
}

TEST_CASE("a fault that nothing noticed does not look healthy") {
  Ended in(options_for("nccl_timeout", {"faults=other_tensor", "ranks=3", "deadline=10"}));
  in.command("step watch");
  in.command("picture calls");
  CHECK(caption(in).starts_with("Nothing noticed the fault"));
  CHECK(next(in) == "the same with check=on ▸");
}

}  // namespace ringside::gui
