// Processes that belong together: what they write, how they end, and that none is left behind.
#include "ringside/launch/launcher.h"

#include <catch.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "check_text.h"
#include "patience.h"
#include "ringside/base/clock.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

std::vector<std::string> shell(const std::string& script) { return {"/bin/sh", "-c", script}; }
int64_t patience_ns() { return now_ns() + std::chrono::nanoseconds(kPatience).count(); }

// Whoever took the place of its parent need not have reaped it.
bool is_there(int64_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string number, name, state;
  return (file >> number >> name >> state) && state != "Z";
}

std::string failure_of(Launcher& launcher) {
  try {
    launcher.watch(patience_ns(), [] { return false; });
  } catch (const ProcessLostError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("launcher: each line of each process is heard, and stdin reaches it") {
  std::vector<std::string> heard(2);
  Launcher launcher([&](size_t child, const std::string& line) { heard[child] += line + ";"; });
  const size_t first =
      launcher.start("first", shell("echo a; echo b; read word; echo got $word; sleep 1000"));
  const size_t second = launcher.start("second", shell("echo c; sleep 1000"));
  launcher.say(first, "this");
  CHECK(launcher.watch(patience_ns(),
                       [&] { return heard[first] == "a;b;got this;" && heard[second] == "c;"; }));
  CHECK(launcher.runs(first));
  CHECK(!launcher.watch(now_ns() - 1, [] { return false; }));  // the time is over: it does not wait
}

TEST_CASE("launcher: who ends without being let go is named, with its last words") {
  Launcher launcher;
  launcher.start("server 3", shell("echo it is full >&2; exit 3"));
  CHECK(lacks(failure_of(launcher), {"server 3 (process ", "ended with exit code 3", "it is full"}) == "");
  Launcher other;
  other.start("worker 1", shell("kill -9 $$"));
  CHECK(lacks(failure_of(other), {"worker 1", "was ended by signal 9"}) == "");
  Launcher third;
  third.start("worker 2", shell("exit 4"));
  try {
    third.watch(patience_ns(), [] { return false; });
    FAIL("it ended, and nobody said so");
  } catch (const ProcessLostError& error) {
    CHECK(error.exit_code == 4);
  }
  CHECK_THROWS_AS(other.start("none", {"/no/such/program"}), MissingError);
}

TEST_CASE("launcher: one that was let go may end, and its last line is heard") {
  std::string heard;
  Launcher launcher([&](size_t, const std::string& line) { heard += line; });
  const size_t child = launcher.start("one", shell("read word; echo the end; exit 7"));
  launcher.let_go(child);
  launcher.say(child, "go");
  CHECK(launcher.watch(patience_ns(), [&] { return !launcher.runs(child); }));
  launcher.watch(0, [] { return true; });
  CHECK(launcher.exit_code(child) == 7);
  CHECK(heard == "the end");
}

TEST_CASE("launcher: kill is at once, and touches no other") {
  Launcher launcher;
  const size_t first = launcher.start("first", shell("trap '' TERM; sleep 1000"));
  const size_t second = launcher.start("second", shell("sleep 1000"));
  launcher.kill(first);
  CHECK(!launcher.runs(first));
  CHECK(launcher.exit_code(first) == 128 + SIGKILL);
  CHECK(!launcher.watch(now_ns() + 50'000'000, [] { return false; }));  // no error
  CHECK(launcher.runs(second));
}

TEST_CASE("launcher: one that stands still is there, goes on, and ends with the others") {
  int64_t heard = 0;
  Launcher launcher([&](size_t, const std::string&) { ++heard; });
  const size_t child = launcher.start("one", shell("while read word; do echo $word; done; sleep 1000"));
  launcher.say(child, "a");
  CHECK(launcher.watch(patience_ns(), [&] { return heard == 1; }));
  launcher.stand_still(child);
  launcher.say(child, "b");
  CHECK(!launcher.watch(now_ns() + 50'000'000, [&] { return heard == 2; }));
  CHECK(launcher.runs(child));
  launcher.go_on(child);
  CHECK(launcher.watch(patience_ns(), [&] { return heard == 2; }));
  launcher.stand_still(child);  // SIGTERM alone would wait
}

TEST_CASE("launcher: all end with it, also those that do not heed SIGTERM, and what they started") {
  std::vector<int64_t> processes;
  {
    Launcher launcher([&](size_t, const std::string& line) { processes.push_back(std::stoll(line)); });
    launcher.start("deaf", shell("trap '' TERM; echo $$; sleep 1000"));
    launcher.start("parent", shell("sleep 1000 & echo $!; echo $$; wait"));
    launcher.watch(patience_ns(), [&] { return processes.size() == 3; });
  }
  for (const int64_t process : processes) CHECK(eventually([&] { return !is_there(process); }));
}

TEST_CASE("launcher: no orphan is left where its own process is killed") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const pid_t starter = ::fork();
  if (starter == 0) {
    Launcher launcher;
    int64_t started[3] = {};
    for (int64_t& process : started)
      process = launcher.process_id(launcher.start("child", shell("trap '' TERM HUP; exec sleep 1000")));
    [[maybe_unused]] const ssize_t told = ::write(ends[1], started, sizeof started);
    ::raise(SIGKILL);
  }
  int64_t processes[3] = {};
  REQUIRE(::read(ends[0], processes, sizeof processes) == sizeof processes);
  ::waitpid(starter, nullptr, 0);
  for (const int64_t process : processes) CHECK(eventually([&] { return !is_there(process); }));
  for (const int end : ends) ::close(end);
}
