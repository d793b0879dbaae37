// `ringside bench`: what can be timed, and the one that was asked for.
#include <ostream>

#include "bench_run.h"
#include "commands.h"
#include "ringside/base/text.h"
#include "ringside/lesson/called.h"
#include "ringside/lesson/suggest.h"

namespace ringside {
namespace {

struct Subject {
  const char *name, *arguments, *meaning;
  BenchResult (*measure)(BenchRun& run);
};
// `ringside` becomes ringside-ps for it.
BenchResult bench_elsewhere(BenchRun&) { throw UsageError("bench server: call ringside, not ringside-run"); }

constexpr Subject kSubjects[] = {
    {"step", "\"LINE\" \"LINE\"", "a training step of either scenario", bench_step},
    {"optimizers", "[NAME...]", "each update's one pass over memory, beside torch's loop", bench_optimizers},
    {"norms", "[NAME...]", "layer norm and RMS norm, beside LibTorch's", bench_norms},
    {"collectives", "[NAME...]", "ranks as threads, over sockets, over Gloo, and Gloo's own",
     bench_collectives},
    {"server", "", "a parameter server of processes: kills, recovery, throughput", bench_elsewhere},
};

}  // namespace

ExitCode bench(const Options& options, std::ostream& out) {
  std::vector<std::string> names;
  for (const Subject& subject : kSubjects) {
    if (options.bench.subject == subject.name) return run_bench(subject.name, subject.measure, options, out);
    names.emplace_back(subject.name);
  }
  if (!options.bench.subject.empty())
    throw UsageError("bench: " + no_such("subject", options.bench.subject, names));
  if (options.json) throw UsageError("bench: which subject? There are: " + join(names));
  for (const Subject& subject : kSubjects)
    out << as_called("ringside bench ") << pad(std::string(subject.name) + " " + subject.arguments, 24) << "   "
        << subject.meaning << '\n';
  return ExitCode::kOk;
}

}  // namespace ringside
