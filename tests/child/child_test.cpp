#include "ringside/child/child.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "catch.h"
#include "check_text.h"
#include "patience.h"
#include "ringside/base/clock.h"
#include "ringside/child/python.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// What the script's events say under "n".
std::vector<int64_t> numbers(Child& child) {
  std::vector<int64_t> said;
  child.each([&](const JsonObject& event) { said.push_back(event.integer("n", -1000, 1000)); });
  return said;
}

// The code and the message of the error that the script's run ends with.
std::pair<ExitCode, std::string> failure(const std::string& script, ChildLimits limits = {}) {
  RunControl control;
  Child child(python_command(script), control, limits);
  try {
    numbers(child);
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {ExitCode::kOk, "no error"};
}

bool is_there(int64_t process) { return ::kill(static_cast<pid_t>(process), 0) == 0; }

// Whoever took the place of its parent need not have reaped it.
bool is_running(int64_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string number, name, state;
  return (file >> number >> name >> state) && state != "Z";
}

size_t open_files() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

// Runs the script until it has told its pid and that of what it started.
constexpr char kSleepers[] =
    "import json, os, subprocess, time\n"
    "other = subprocess.Popen(['sleep', '1000'])\n"
    "print(json.dumps({'own': os.getpid(), 'other': other.pid}), flush=True)\n"
    "time.sleep(1000)\n";

struct Sleepers {
  int64_t own = 0, other = 0;
};
Sleepers meet(Child& child) {
  Sleepers met;
  child.next([&](const JsonObject& event) {
    met = {event.integer("own", 1, INT32_MAX), event.integer("other", 1, INT32_MAX)};
  });
  return met;
}

}  // namespace

TEST_CASE("a child's events arrive in order, and it is told things") {
  RunControl control;
  Child child(python_command("import sys\n"
                             "for line in sys.stdin: print('{\"n\": %d}' % (2 * int(line)), flush=True)\n"),
              control);
  std::vector<int64_t> answers;
  for (int64_t n = 0; n < 3; ++n) {
    child.send(std::to_string(n));
    CHECK(child.next([&](const JsonObject& event) { answers.push_back(event.integer("n", 0, 10)); }));
  }
  child.end_input();
  CHECK(numbers(child).empty());
  CHECK(answers == std::vector<int64_t>{0, 2, 4});
}

TEST_CASE("asked a line, a child answers with its events up to the one that has done") {
  RunControl control;
  Child child(python_command("import sys\n"
                             "for line in sys.stdin:\n"
                             "  for n in range(int(line)): print('{\"n\": %d}' % n)\n"
                             "  print('{\"done\": 1}', flush=True)\n"),
              control);
  std::vector<int64_t> answers;
  for (const char* line : {"2", "0", "1"})
    child.ask(line, [&](const JsonObject& event) { answers.push_back(event.integer("n", 0, 10)); });
  CHECK(answers == std::vector<int64_t>{0, 1, 0});
  child.end_input();
  CHECK(numbers(child).empty());
}

TEST_CASE("arguments reach the script; a child that fails is an error with the end of its stderr") {
  RunControl control;
  Child child(
      python_command("import sys\nsys.stdout.write('{\"n\": %s}\\n{\"n\": 2}' % sys.argv[1])", {"-1"}),
      control);
  CHECK(numbers(child) == std::vector<int64_t>{-1, 2});
  const auto [code, message] = failure("print('{\"n\": 1}')\nraise ValueError('nothing\\x1b fits')");
  CHECK(code == ExitCode::kInternal);
  CHECK(lacks(message, {"python3 ended with exit code 1", "ValueError: nothing? fits"}) == "");
  CHECK(lacks(failure("import os; os.kill(os.getpid(), 9)").second, {"was ended by signal 9"}) == "");
  const std::string last =
      failure("import sys\nfor i in range(100000): print('line', i, file=sys.stderr)\nsys.exit(3)").second;
  CHECK(lacks(last, {"exit code 3", "line 99999", "line 99988"}) == "");
  CHECK(last.find("line 99987") == std::string::npos);
}

TEST_CASE("what is no event, too long, too much or too late is refused; no program is missing") {
  CHECK(lacks(failure("print('{\"n\": 1}'); print('hello')").second, {"event 2: "}) == "");
  CHECK(failure("print('{\"m\": 1}')").first == ExitCode::kInput);
  CHECK(lacks(failure("print('x' * 200)", {.line_bytes = 100}).second, {"longer than 100 bytes"}) == "");
  CHECK(lacks(failure("while True: print('{\"n\": 1}')", {.total_bytes = 100000}).second,
              {"more than 100000 bytes"}) == "");
  const auto [code, message] = failure("import time\ntime.sleep(1000)", {.seconds = 0.1});
  CHECK(code == ExitCode::kTimeout);
  CHECK(lacks(message, {"was not done after 0.1 s"}) == "");
  CHECK(failure("import os, time\nos.close(1)\ntime.sleep(1000)", {.seconds = 0.1}).first ==
        ExitCode::kTimeout);
  RunControl control;
  for (const char* name : {"no-such-program", "/no/such/program", "/etc/passwd"})
    CHECK_THROWS_AS(Child({name}, control), MissingError);
}

TEST_CASE("a child ends with its owner, with what it started, and leaves nothing behind") {
  RunControl control;
  const size_t files = open_files();
  Sleepers met;
  {
    Child child(python_command(kSleepers), control);
    met = meet(child);
    CHECK(is_there(met.own));
    CHECK(is_there(met.other));
  }
  CHECK_FALSE(is_there(met.own));  // reaped as well: a zombie would still be there
  CHECK(eventually([&] { return !is_running(met.other); }));
  CHECK(open_files() == files);
}

TEST_CASE("what holds a child's stdout open does not keep the run waiting") {
  RunControl control;
  Child child(python_command("import subprocess\nsubprocess.Popen(['sleep', '1000'])\nprint('{\"n\": 7}')"),
              control, {.seconds = 60});
  CHECK(numbers(child) == std::vector<int64_t>{7});
}

TEST_CASE("a cancelled run ends its child while it waits for it") {
  RunControl control;
  Child child(python_command(kSleepers), control);
  const Sleepers met = meet(child);
  std::thread watcher([&] { control.cancel(); });
  CHECK_THROWS_AS(numbers(child), CancelledError);
  watcher.join();
  CHECK_FALSE(is_there(met.own));
}

TEST_CASE("a child inherits neither descriptors nor blocked signals") {
  const int open_to_all = ::open("/dev/null", O_RDONLY);  // NOLINT: without O_CLOEXEC
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  RunControl control;
  Child child(python_command(
                  "import json, os, signal\n"
                  "files = [f for f in os.listdir('/proc/self/fd') if os.path.exists('/proc/self/fd/' + f)]\n"
                  "print(json.dumps({'n': len(files)}))\n"
                  "print(json.dumps({'n': len(signal.pthread_sigmask(signal.SIG_BLOCK, []))}))"),
              control);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  CHECK(numbers(child) == std::vector<int64_t>{3, 0});
  ::close(open_to_all);
}

TEST_CASE("writing to a child that has gone is no signal, and its end is still told") {
  RunControl control;
  Child child(python_command("import sys\nsys.exit(5)"), control);
  CHECK_THROWS_AS(numbers(child), ChildFailed);
  child.send("step");
  CHECK_THROWS_AS(numbers(child), ChildFailed);
}

TEST_CASE("a child that reads nothing does not block who sends") {
  RunControl control;
  Child child(python_command("import time\ntime.sleep(1000)"), control);
  CHECK_THROWS_AS(
      [&] {
        for (int i = 0; i < 1000; ++i) child.send(std::string(10000, 'x'));
      }(),
      InputError);
}

TEST_CASE("which Python, and what it lacks") {
  RunControl control;
  CHECK(missing_modules({"json", "no_such_module", "sys"}, control) ==
        std::vector<std::string>{"no_such_module"});
  CHECK(debian_package("numpy") == "python3-numpy");
  CHECK(why_no_python({"json"}, control) == "");
  CHECK(why_no_python({"json", "no_such_module"}, control) ==
        "this Python has no no_such_module; Debian's package is python3-no_such_module");
  ::setenv("RINGSIDE_PYTHON", "/no/python", 1);
  CHECK(why_no_python({"json"}, control) == "RINGSIDE_PYTHON=/no/python: no such program");
  CHECK_THROWS_AS(python_path(), MissingError);
  ::setenv("RINGSIDE_PYTHON", "/bin/sh", 1);
  CHECK(python_path() == "/bin/sh");
  ::unsetenv("RINGSIDE_PYTHON");
}
