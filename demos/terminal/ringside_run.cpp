// Runs lessons, each loaded from its module; `ringside` becomes it where needed.
#include <ostream>

#include "build_info.h"
#include "commands.h"
#include "program.h"
#include "ringside/base/prepare_process.h"

namespace ringside {
namespace {

ExitCode dispatch(const Options& options, std::ostream& out) {
  if (options.command == Command::kRun) return run_lesson(options, out);
  if (options.command == Command::kAsk) return ask_lesson(options, out);
  if (options.command == Command::kLessonHelp) return help_lesson(options, out);
  if (options.command == Command::kVersion) return show_version(out);
  throw UsageError("ringside-run is what ringside calls; call ringside");
}

}  // namespace
}  // namespace ringside

int main(int argc, char** argv) {
  ringside::prepare_process();
  ringside::know_torch();
  return ringside::run_program(argc, argv, ringside::dispatch);
}
