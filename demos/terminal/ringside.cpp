// The program that people call. It reads and checks the command line and answers `list`, `say` and `--help`
// by itself, in milliseconds. For the rest it becomes another program beside it, by exec: one process id,
// signals and terminal as they were. So each is built when it is asked for, and only those that need LibTorch
// load it, which alone takes 0.3 s (1 s cold).
//   ringside-run    run, help LESSON, --version: lessons, with LibTorch
//   ringside-plan   plan, flight, autopsy, ps simulate
//   ringside-bench  bench
//   ringside-convert  convert
//   ringside-review review, mock, path, drill, on_call
//   ringside-gui    gui: the study room
//   ringside-ps     ps node, bench server: with libzmq
//   ringside-learn  train, evaluate, predict: with LibTorch
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <ostream>

#include "commands.h"
#include "program.h"
#include "ringside/base/source_tree.h"
#include "ringside/launch/ranks.h"
#include "ringside/lesson/modules.h"

namespace ringside {
namespace {

// Where there is no such program, `missing` says what to do.
[[noreturn]] void become(const std::string& name, char** argv, const std::string& missing) {
  const auto program = program_folder() / name;
  if (std::filesystem::exists(program) && !is_current(program))
    throw MissingError(name + " was built from older sources; " + missing);
  // A rank uses one; by default each core gets one at the start.
  setenv("OPENBLAS_NUM_THREADS", "1", /*overwrite=*/0);
  execv(program.c_str(), argv);
  throw MissingError(program.string() + ": " + std::strerror(errno) + "; " + missing);
}

std::string built_by(const std::string& words) { return "./run " + words + " builds it"; }

// A build without the study room says why it has none.
[[noreturn]] void become_gui(char** argv) {
  const std::string why = RINGSIDE_GUI_ABSENT;
  become("ringside-gui", argv,
         why.empty() ? built_by("gui")
                     : "this build has no study room: " + why + ". In the terminal: ringside run LESSON");
}

[[noreturn]] void become_ps(char** argv) {
  become("ringside-ps", argv, built_by("bench server") + ", with the package libzmq3-dev");
}

// This program as so many ranks: the same words without --processes and --restarts. Of a trace that is kept
// no rank's rows are lost with it.
ExitCode start_processes(const Options& options, char** argv) {
  RanksToStart start{.ranks = options.launch.processes,
                     .command = {(program_folder() / "ringside").string()},
                     .watched = !options.trace_file.empty(),
                     .restarts = options.launch.restarts};
  for (char** word = argv + 1; *word != nullptr; ++word) {
    const std::string_view text(*word);
    const bool is_ours = text == "--processes" || text == "--restarts";
    if (is_ours && word[1] != nullptr)
      ++word;
    else if (!text.starts_with("--processes=") && !text.starts_with("--restarts="))
      start.command.emplace_back(text);
  }
  return static_cast<ExitCode>(start_ranks(start));
}

ExitCode dispatch(const Options& options, std::ostream& out, char** argv) {
  switch (options.command) {
    case Command::kHelp: out << options.help; return ExitCode::kOk;
    case Command::kList: return list_lessons(options, out);
    case Command::kSay: return say_lesson(options, out);
    case Command::kPlan:
    case Command::kFlight:
    case Command::kAutopsy: become("ringside-plan", argv, built_by("plan"));
    case Command::kReview:
    case Command::kMock:
    case Command::kDrill:
    case Command::kOnCall:
    case Command::kPath: become("ringside-review", argv, built_by("review"));
    case Command::kPs:
      if (options.ps.kind != PsKind::kSimulate) become_ps(argv);
      become("ringside-plan", argv, built_by("ps simulate"));
    case Command::kBench:
      if (options.bench.subject == "server") become_ps(argv);
      become("ringside-bench", argv, built_by("bench"));
    case Command::kConvert: become("ringside-convert", argv, built_by("convert"));
    case Command::kEnv: return show_environment(options, out);
    case Command::kRun:
      if (options.launch.processes > 0) return start_processes(options, argv);
      become("ringside-run", argv, built_by("run"));
    case Command::kTrain:
    case Command::kEvaluate:
    case Command::kPredict:
      if (options.train.print_config) return print_train_config(options, out);
      if (options.command == Command::kTrain) check_train_words(options);
      if (options.launch.processes > 0) return start_processes(options, argv);
      become("ringside-learn", argv, built_by("train"));
    case Command::kAsk:
    case Command::kLessonHelp:
    case Command::kVersion: become("ringside-run", argv, built_by("run"));
    case Command::kGui: become_gui(argv);
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
