// The figures of a run as they come: metrics.jsonl, a JSON object a line, and the same for TensorBoard.
//
//   {"training": {"steps": 400, "samples_per_step": 32, "watch": "loss", "classes": ["a", "b"]}}
//   {"step": 1, "loss": 2.9, "gradient_norm": 1.1, "learning_rate": 0.0002, "ms": 12.5}
//   {"step": 50, "evaluation": {"loss": 1.2, "accuracy": 0.71, "macro_f1": 0.70, "samples": 512,
//                               "confusion": [[250, 6], [9, 247]]}}
//   {"ended": {"step": 400, "complete": true, "stopped_early": false, "error": ""}}
//
// step: that had been taken. gradient_norm: before clipping; it is left out with clip_norm=0. classes and
// confusion (label, answer): of at most kMostClasses. A run that was killed has no "ended". Errors:
// InputError where a file cannot be written.
#pragma once

#include <fstream>

#include "ringside/base/json.h"
#include "ringside/data/class_metrics.h"
#include "ringside/trace/event_file.h"
#include "ringside/train/trainer.h"
#include "run_folder.h"

namespace ringside {

class MetricsLog {
 public:
  static constexpr int64_t kMostClasses = 32;

  // resume: what is there stays, up to the step at which the run goes on. training: the first line's.
  MetricsLog(const RunFolder& folder, bool resume, const Json& training);
  void step(const StepMetrics& metrics);
  void evaluation(int64_t steps, const Confusion& counts, double loss);
  void ended(const Json& how);

 private:
  void drop_behind(int64_t steps);
  void write(const std::string& line);

  const std::filesystem::path file_;
  const std::string first_;  // line
  std::ofstream out_;
  EventFile events_;
  bool resumes_;
};

}  // namespace ringside
