// The program that people call. It reads and checks the command line and answers
// `list`, `plan`, `say` and `--help` by itself, in milliseconds. What needs the lessons goes
// on in ringside-run, which lies beside it and is linked with LibTorch: loading that
// alone takes 0.3 s (1 s cold), so two programs, the small one becoming the large one
// by exec: one process id, signals and terminal as they were, and no dlopen, under
// which a static library's state would exist twice.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <ostream>

#include "commands.h"
#include "program.h"

namespace ringside {
namespace {

// Returns only where there is no such program.
std::string become(const char* name, char** argv) {
  std::error_code unreadable;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", unreadable);
  const std::string program = (self.parent_path() / name).string();
  execv(program.c_str(), argv);
  return program + ": " + std::strerror(errno);
}

[[noreturn]] void become_runner(char** argv) {
  throw MissingError(become("ringside-run", argv) +
                     "; build it with: cmake --build BUILD_FOLDER --target ringside");
}

// A build without the study room says why it has none.
[[noreturn]] void become_gui(char** argv) {
  const std::string reason = become("ringside-gui", argv);
  if (*RINGSIDE_GUI_ABSENT == '\0')
    throw MissingError(reason + "; build it with: cmake --build BUILD_FOLDER --target ringside");
  throw MissingError("this build has no study room: " RINGSIDE_GUI_ABSENT
                     ". In the terminal: ringside run LESSON");
}

[[noreturn]] void become_ps(char** argv) {
  throw MissingError(become("ringside-ps", argv) +
                     "; this build has no network for the parameter server: install libzmq3-dev, then ./run "
                     "bench server");
}

ExitCode plan(const Options& options, std::ostream& out) {
  if (options.plan.kind == PlanKind::kBuckets) return plan_reducer(options, out);
  if (options.plan.kind == PlanKind::kSteps) return plan_steps(options, out);
  return options.plan.kind == PlanKind::kExplain ? plan_explain(options, out) : plan_zero(options, out);
}

ExitCode dispatch(const Options& options, std::ostream& out, char** argv) {
  switch (options.command) {
    case Command::kHelp:
      out << options.help;
      return ExitCode::kOk;
    case Command::kList:
      return list_lessons(options, out);
    case Command::kPlan:
      return plan(options, out);
    case Command::kFlight:
      return merge_flight(options, out);
    case Command::kSay:
      return say_lesson(options, out);
    case Command::kPs:
      if (options.ps.kind == PsKind::kSimulate) return ps_simulate(options, out);
      become_ps(argv);
    case Command::kBench:
      if (options.bench.subject == "server") become_ps(argv);
      become_runner(argv);
    case Command::kRun:
    case Command::kAsk:
    case Command::kLessonHelp:
    case Command::kVersion:
      become_runner(argv);
    case Command::kGui:
      become_gui(argv);
  }
  throw InvariantError("a command without an answer");
}

}  // namespace
}  // namespace ringside

int main(int argc, char** argv) {
  return ringside::run_program(argc, argv, [&](const ringside::Options& options, std::ostream& out) {
    return ringside::dispatch(options, out, argv);
  });
}
