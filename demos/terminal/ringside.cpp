// The program that people call. It reads and checks the command line and answers
// `list`, `plan` and `--help` by itself, in milliseconds. What needs the lessons goes
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

[[noreturn]] void become_runner(char** argv) {
  std::error_code unreadable;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", unreadable);
  const std::string runner = (self.parent_path() / "ringside-run").string();
  execv(runner.c_str(), argv);
  throw MissingError(runner + ": " + std::strerror(errno) +
                     "; build it with: cmake --build BUILD_FOLDER --target ringside");
}

ExitCode dispatch(const Options& options, std::ostream& out, char** argv) {
  switch (options.command) {
    case Command::kHelp:
      out << options.help;
      return ExitCode::kOk;
    case Command::kList:
      return list_lessons(options, out);
    case Command::kPlan:
      return plan_zero(options, out);
    case Command::kRun:
    case Command::kLessonHelp:
    case Command::kVersion:
      become_runner(argv);
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
