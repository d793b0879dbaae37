// The parameter server over real processes: `ringside` becomes it for `ps node` and `bench server`. A program
// of its own, so that no other loads libzmq, and a build without it lacks this alone.
#include "bench_run.h"
#include "commands.h"
#include "program.h"

namespace ringside {
namespace {

ExitCode dispatch(const Options& options, std::ostream& out) {
  if (options.command == Command::kPs && options.ps.kind == PsKind::kNode) return ps_node(options, out);
  if (options.command == Command::kBench && options.bench.subject == "server")
    return run_bench("server", bench_server, options, out);
  throw UsageError("ringside-ps is what ringside calls; call ringside");
}

}  // namespace
}  // namespace ringside

int main(int argc, char** argv) { return ringside::run_program(argc, argv, ringside::dispatch); }
