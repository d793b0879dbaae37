// The study room as a program; `ringside gui` becomes it. It loads each lesson from its module, as ringside-run does.
#include <iostream>

#include "build_info.h"
#include "loop.h"
#include "program.h"
#include "ringside/base/prepare_process.h"

namespace ringside {
namespace {

ExitCode dispatch(const Options& options, std::ostream&) {
  if (options.command != Command::kGui)
    throw UsageError("ringside-gui is what ringside calls; call ringside gui");
  const std::string warning = torch_warning();
  if (!warning.empty()) std::cerr << "ringside: " << warning << '\n';
  return gui::run_room(options.gui);
}

}  // namespace
}  // namespace ringside

int main(int argc, char** argv) {
  ringside::prepare_process();
  ringside::know_torch();
  return ringside::run_program(argc, argv, ringside::dispatch);
}
