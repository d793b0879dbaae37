// One training that may break: run, watched by flight recorders, and written down.
#pragma once

#include <string>
#include <vector>

#include "causes.h"
#include "ringside/flight/report.h"
#include "ringside/lesson/lesson.h"

namespace ringside::nccl_lesson {

struct HangSetup {
  std::string section, act, kind, title;  // names.h
  Training training;
  FaultPlan faults;
  Culprit culprit{};    // rank -1: none
  std::string dumps{};  // a folder; "" for none
};

struct HangResult {
  std::string ended;    // completed, timeout, mismatch, peer_lost, not_finite, error
  double ended_ms = 0;  // from the first rank's entry into the stuck collective until the last rank's end
  FlightReport report;  // nothing stuck where it completed
  std::vector<std::string> logs;  // (rank) the last line that it printed; "" where it printed nothing
  std::string shown_log;          // of a rank that waits for gradients
  TrainResult training;           // where it completed
};

// Runs it as a section of the context's store, with the attributes of names.h. CancelledError where the
// watcher cancelled.
HangResult run_hang(const HangSetup& setup, const Dataset& dataset, const RunContext& context);

}  // namespace ringside::nccl_lesson
