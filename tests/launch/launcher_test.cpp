// Processes that belong together: what they write, how they end, and that none is left behind.
#include "ringside/launch/launcher.h"

#include <catch.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

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

TEST_CASE("launcher: each line is heard, stdin reaches it, and one that was let go may end") {
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
  std::string last;
  Launcher let([&](size_t, const std::string& line) { last += line; });
  const size_t child = let.start("one", shell("read word; echo the end; exit 7"));
  let.let_go(child);
  let.say(child, "go");
  CHECK(let.watch(patience_ns(), [&] { return !let.runs(child); }));
  let.watch(0, [] { return true; });
  CHECK(let.exit_code(child) == 7);
  CHECK(last == "the end");
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

TEST_CASE("launcher: kill is at once and touches no other; all end with it") {
  Launcher launcher;
  const size_t first = launcher.start("first", shell("trap '' TERM; sleep 1000"));
  const size_t second = launcher.start("second", shell("sleep 1000"));
  launcher.kill(first);
  CHECK(!launcher.runs(first));
  CHECK(launcher.exit_code(first) == 128 + SIGKILL);
  CHECK(!launcher.watch(now_ns() + 50'000'000, [] { return false; }));  // no error
  CHECK(launcher.runs(second));
  std::vector<int64_t> ended;
  {
    Launcher all([&](size_t, const std::string& line) { ended.push_back(std::stoll(line)); });
    all.start("deaf", shell("trap '' TERM; echo $$; sleep 1000"));
    all.start("parent", shell("sleep 1000 & echo $!; echo $$; wait"));
    all.watch(patience_ns(), [&] { return ended.size() == 3; });
  }
  for (const int64_t process : ended) CHECK(eventually([&] { return !is_there(process); }));
}

TEST_CASE("launcher: one that stands still ends with the others; no orphan is left") {
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
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const pid_t starter = ::fork();
  if (starter == 0) {
    Launcher orphaned;
    int64_t started[3] = {};
    for (int64_t& process : started)
      process = orphaned.process_id(orphaned.start("child", shell("trap '' TERM HUP; exec sleep 1000")));
    [[maybe_unused]] const ssize_t told = ::write(ends[1], started, sizeof started);
    ::raise(SIGKILL);
  }
  int64_t processes[3] = {};
  REQUIRE(::read(ends[0], processes, sizeof processes) == sizeof processes);
  ::waitpid(starter, nullptr, 0);
  for (const int64_t process : processes) CHECK(eventually([&] { return !is_there(process); }));
  for (const int end : ends) ::close(end);
}
