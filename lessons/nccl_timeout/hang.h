// One training that may break: run, watched by flight recorders, and written down.
#pragma once

#include <string>
#include <vector>

#include "cases.h"
#include "ringside/flight/report.h"
#include "ringside/lesson/lesson.h"

namespace ringside::nccl_lesson {

struct HangSetup {
  std::string section, act, kind, title;  // names.h
  Training training;
  FaultPlan faults = {};
  Culprit culprit = {};
  std::string dumps = {};  // a folder; "" for none
};

struct HangResult {
  std::string ended = "completed";  // timeout, mismatch, peer_lost, not_finite, error
  FlightReport report = {};         // nothing stuck where it completed
  TrainResult training = {};        // where it completed
};

// Runs it as a section of the context's store, with the attributes and rows of names.h. CancelledError where
// the watcher cancelled.
HangResult run_hang(const HangSetup& setup, const Dataset& dataset, const RunContext& context);

}  // namespace ringside::nccl_lesson
