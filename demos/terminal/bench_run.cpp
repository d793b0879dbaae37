#include "bench_run.h"

#include <fmt/format.h>

#include <iostream>

#include "build_info.h"
#include "ringside/base/clock.h"
#include "ringside/base/text.h"
#include "ringside/base/threads.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "run_json.h"
#include "terminal.h"

namespace ringside {
namespace {

std::string build_line() {
  const BuildInfo build = build_info();
  return fmt::format("LibTorch {}, BLAS {}, {} thread{}, {}, commit {}, {} {}",
                     build.libtorch.value_or("none"), build.blas.value_or("none"), build.threads,
                     build.threads == 1 ? "" : "s", build.cpu, build.commit, build.compiler, build.flags);
}

}  // namespace

BenchRun::BenchRun(const Options& all)
    : options(all),
      wanted(all.bench),
      width(size_t(summary_width(all))),
      line_(can_redraw_stderr() && !all.quiet, std::cerr) {}

bool BenchRun::stop() {
  if (interrupt_.take_report_request()) {
    line_.clear();
    std::cerr << wait_report() << std::flush;
  }
  complete_ = complete_ && !interrupt_.interrupted();
  return !complete_;
}

void BenchRun::draw(const Progress& now) { line_.draw(now, stderr_width()); }

double BenchRun::seconds() const {
  return std::chrono::duration<double>(SteadyClock::now() - start_).count();
}

RoundsMs BenchRun::in_turns(const std::vector<std::function<void()>>& sides, int64_t default_rounds,
                            const Progress& now) {
  std::vector<SideMs> timed;
  for (const auto& side : sides)
    timed.emplace_back([&] {
      if (stop()) throw CancelledError();
      const int64_t start = now_ns();
      side();
      const int64_t end = now_ns();
      draw(now);
      return double(end - start) * 1e-6;
    });
  RoundsMs warm_up, ms(sides.size());
  try {
    take_turns(timed, wanted.warm_up, warm_up);
    take_turns(timed, wanted.rounds.value_or(default_rounds), ms);
  } catch (const CancelledError&) {
    // The rounds that it has.
  }
  return ms;
}

ExitCode run_bench(const char* subject, BenchResult (*measure)(BenchRun&), const Options& options,
                   std::ostream& out) {
  BenchRun run(options);
  const BenchResult result = measure(run);
  run.clear();
  if (options.json) {
    Json document = {{"bench", subject},
                     {"schema", kJsonSchema},
                     {"build", build_json(build_info())},
                     {"complete", run.complete()}};
    document.update(result.fields);
    write_json(document, out);
  } else {
    out << wrap(fmt::format("bench {}: {}, {}", subject, result.what, format_duration(run.seconds())),
                run.width, 0)
        << '\n'
        << result.text << labelled(tr("Build"), build_line(), 8, run.width);
    if (!run.complete()) out << tr("INCOMPLETE: interrupted; the figures cover what was done until then\n");
  }
  if (!run.complete()) return ExitCode::kInterrupted;
  return result.passed ? ExitCode::kOk : ExitCode::kCheckFailed;
}

std::optional<RatioInterval> ratio_of(const std::vector<double>& a, const std::vector<double>& b,
                                      double factor) {
  if (a.empty() || b.empty()) return std::nullopt;
  RatioInterval ratio = ratio_interval(a, b);
  for (double* value : {&ratio.median, &ratio.low, &ratio.high}) *value *= factor;
  return ratio;
}

Json ratio_json(const std::optional<RatioInterval>& ratio) {
  if (!ratio) return nullptr;
  return {{"median", ratio->median},
          {"low", ratio->low},
          {"high", ratio->high},
          {"confidence", ratio->confidence}};
}

std::string ratio_text(const std::optional<RatioInterval>& ratio) { return ratio ? to_text(*ratio) : "-"; }

std::string labelled(const std::string& label, const std::string& text, size_t indent, size_t width) {
  return pad(label, indent) + wrap(text, width, indent) + '\n';
}

}  // namespace ringside
