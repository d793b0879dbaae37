// `ringside bench`: what can be timed, and the one that was asked for.
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

// In the order of bench_subjects().
constexpr BenchResult (*kMeasure[])(BenchRun& run) = {bench_step, bench_optimizers, bench_norms,
                                                      bench_collectives, bench_elsewhere};

}  // namespace

ExitCode bench(const Options& options, std::ostream& out) {
  const std::vector<BenchSubject>& subjects = bench_subjects();
  std::vector<std::string> names;
  for (size_t i = 0; i < subjects.size(); ++i) {
    if (options.bench.subject == subjects[i].name)
      return run_bench(subjects[i].name.c_str(), kMeasure[i], options, out);
    names.push_back(subjects[i].name);
  }
  if (options.json) throw UsageError("bench: which subject? There are: " + join(names));
  for (const BenchSubject& subject : subjects)
    out << as_called("ringside bench ") << pad(subject.name + " " + subject.arguments, 24) << "   "
        << subject.meaning << '\n';
  return ExitCode::kOk;
}

}  // namespace ringside
