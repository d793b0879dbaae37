// What the subjects of `ringside bench` have in common: rounds in turns until Ctrl-C, a line of progress, the
// medians of ratios, and the text or document that comes of it. A subject says what it measures and found.
#pragma once

#include <iosfwd>

#include "interrupt.h"
#include "json_text.h"
#include "options.h"
#include "progress_line.h"
#include "ringside/base/error.h"
#include "ringside/base/ratio.h"
#include "ringside/base/turns.h"

namespace ringside {

class BenchRun {
 public:
  explicit BenchRun(const Options& options);

  const Options& options;
  const BenchOptions& wanted;
  const size_t width;  // columns of the text

  bool stop();                                 // whether Ctrl-C came; answers SIGQUIT
  bool complete() const { return complete_; }  // false: stop() said so
  void draw(const Progress& now);
  void clear() { line_.clear(); }  // the line of progress is gone
  double seconds() const;          // so far
  // The sides' ms in whole rounds, behind --warmup rounds that are not counted.
  RoundsMs in_turns(const std::vector<std::function<void()>>& sides, int64_t default_rounds,
                    const Progress& now);

 private:
  InterruptScope interrupt_;
  ProgressLine line_;
  TimePoint start_ = SteadyClock::now();
  bool complete_ = true;
};

struct BenchResult {
  std::string what;    // the first line, behind "bench SUBJECT: "
  Json fields;         // of the document, behind those that every subject has
  std::string text;    // below the first line; its lines fit the width
  bool passed = true;  // false: exit code 4
};

ExitCode run_bench(const char* subject, BenchResult (*measure)(BenchRun&), const Options& options,
                   std::ostream& out);

// Of the rounds' a/b, each times `factor`; none where no round has both.
std::optional<RatioInterval> ratio_of(const std::vector<double>& a, const std::vector<double>& b,
                                      double factor = 1);
Json ratio_json(const std::optional<RatioInterval>& ratio);         // null for none
std::string ratio_text(const std::optional<RatioInterval>& ratio);  // "-" for none

std::string labelled(const std::string& label, const std::string& text, size_t indent, size_t width);
// The subjects.
BenchResult bench_step(BenchRun& run);
BenchResult bench_optimizers(BenchRun& run);
BenchResult bench_norms(BenchRun& run);
BenchResult bench_collectives(BenchRun& run);
BenchResult bench_server(BenchRun& run);  // of ringside-ps

}  // namespace ringside
