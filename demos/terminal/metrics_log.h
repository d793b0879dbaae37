// The figures of a run as they come: metrics.jsonl, a JSON object a line, and the same for TensorBoard.
//
//   {"step": 1, "loss": 2.9, "gradient_norm": 1.1, "learning_rate": 0.0002, "ms": 12.5}
//   {"step": 50, "evaluation": {"loss": 1.2, "accuracy": 0.71, "macro_f1": 0.70, "samples": 512}}
//
// step: that had been taken. Errors: InputError where a file cannot be written.
#pragma once

#include <fstream>

#include "ringside/data/class_metrics.h"
#include "ringside/trace/event_file.h"
#include "ringside/train/trainer.h"
#include "run_folder.h"

namespace ringside {

class MetricsLog {
 public:
  // resume: what is there stays, up to the step at which the run goes on.
  MetricsLog(const RunFolder& folder, bool resume);
  void step(const StepMetrics& metrics);
  void evaluation(int64_t steps, const Confusion& counts, double loss);

 private:
  void drop_behind(int64_t steps);
  void write(const std::string& line);

  const std::filesystem::path file_;
  std::ofstream out_;
  EventFile events_;
  bool resumes_;
};

}  // namespace ringside
