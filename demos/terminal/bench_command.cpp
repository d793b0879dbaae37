// `ringside bench`: what can be timed, and the one that was asked for.
#include <map>
#include <ostream>

#include "bench_run.h"
#include "commands.h"
#include "ringside/base/text.h"
#include "ringside/lesson/called.h"
#include "ringside/lesson/suggest.h"

namespace ringside {
namespace {

// `ringside` becomes ringside-ps for it.
BenchResult bench_elsewhere(BenchRun&) { throw UsageError("bench server: call ringside, not ringside-run"); }

const std::map<std::string, BenchResult (*)(BenchRun&)> kMeasure = {{"step", bench_step},
                                                                    {"optimizers", bench_optimizers},
                                                                    {"norms", bench_norms},
                                                                    {"collectives", bench_collectives},
                                                                    {"server", bench_elsewhere}};

}  // namespace

ExitCode bench(const Options& options, std::ostream& out) {
  const std::string& asked = options.bench.subject;
  if (!asked.empty()) return run_bench(asked.c_str(), kMeasure.at(asked), options, out);
  std::vector<std::string> names;
  for (const BenchSubject& subject : bench_subjects()) names.push_back(subject.name);
  if (options.json) throw UsageError("bench: which subject? There are: " + join(names));
  for (const BenchSubject& subject : bench_subjects())
    out << as_called("ringside bench ") << pad(subject.name + " " + subject.arguments, 24) << "   "
        << subject.meaning << '\n';
  return ExitCode::kOk;
}

}  // namespace ringside
