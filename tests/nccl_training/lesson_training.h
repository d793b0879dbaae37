// The tiny training of tests/train as the timeout lesson trains it.
#pragma once

#include "../train/tiny_training.h"
#include "training.h"

namespace ringside::testing {

inline nccl_lesson::Training tiny_lesson_training(int ranks, int stage) {
  nccl_lesson::Training training;
  static_cast<TrainerConfig&>(training) = tiny_config(ranks, stage);
  return training;
}

inline Audit audit_lesson(const nccl_lesson::Training& training, const Dataset& dataset,
                          const BitReference* reference = nullptr) {
  return audit(nccl_lesson::assembled(training), dataset, {}, reference);
}

inline std::vector<int64_t> gathered_bytes(const Audit& run) {
  const Trace trace = run.store->snapshot();
  return nccl_lesson::gathered_bytes(trace, *trace.find("run"));
}

}  // namespace ringside::testing
