// A training that may break, watched: a flight recorder a rank, the end of each rank, the merged report. What
// came of it is written into its section as trace/hang_rows.h says.
#pragma once

#include <string>

#include "ringside/flight/report.h"
#include "ringside/train/mistakes.h"

namespace ringside::inline training {

struct WatchedSetup {
  TrainerConfig config;
  FaultPlan faults = {};
  LoopMistake mistake = {};
  Attributes attributes = {};  // of the section, beside those of hang_rows.h
  std::string dumps = {};      // a folder for the dumps of what broke; "" for none
};

struct Watched {
  std::string ended = "completed";  // timeout, mismatch, peer_lost, not_finite, error
  FlightReport report = {};         // nothing stuck where it completed
  TrainResult training = {};        // where it completed
};

// CancelledError where `control` cancelled it; a collective that fails, a planned error and numbers that are
// not finite are an end like others.
Watched train_watched(const WatchedSetup& setup, const Dataset& dataset, TraceStore& store,
                      const std::string& section, RunControl& control);

}  // namespace ringside::inline training
