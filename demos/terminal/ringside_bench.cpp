// Times in turns; `ringside` becomes it for `bench`. A program of its own: nobody else needs its loops.
#include "build_info.h"
#include "commands.h"
#include "program.h"
#include "ringside/base/prepare_process.h"
#include "torch_loops.h"

namespace ringside {
namespace {

ExitCode dispatch(const Options& options, std::ostream& out) {
  if (options.command == Command::kBench) return bench(options, out);
  throw UsageError("ringside-bench is what ringside calls; call ringside");
}

}  // namespace
}  // namespace ringside

int main(int argc, char** argv) {
  ringside::prepare_process();
  ringside::know_torch();
  ringside::know_torch_loops();
  return ringside::run_program(argc, argv, ringside::dispatch);
}
