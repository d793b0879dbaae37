// Runs lessons, each loaded from its module; `ringside` becomes it where needed.
#include "build_info.h"
#include "commands.h"
#include "program.h"
#include "ringside/base/prepare_process.h"

using namespace ringside;

int main(int argc, char** argv) {
  prepare_process();
  know_torch();
  return run_program(argc, argv,
                     {{Command::kRun, run_lesson},
                      {Command::kAsk, ask_lesson},
                      {Command::kLessonHelp, help_lesson},
                      {Command::kVersion, show_version}});
}
