#include "flight_log.h"

#include "ringside/flight/report.h"

namespace ringside {

FlightLog::FlightLog(const TrainerHooks& hooks, int ranks) : recorders_(hooks.flights) {
  if (!recorders_.empty()) return;
  for (int rank = 0; rank < ranks; ++rank) {
    own_.push_back(std::make_unique<FlightRecorder>(rank));
    recorders_.push_back(own_.back().get());
  }
}

void FlightLog::leaves_no_dump(int rank) {
  const std::lock_guard lock(mutex_);
  gone_.insert(rank);
}

std::string FlightLog::report() const {
  std::vector<FlightDump> dumps;
  for (const FlightRecorder* recorder : recorders_)
    if (!gone_.contains(recorder->rank())) dumps.push_back(recorder->dump());
  return report_text(merge_flights(dumps));
}

void FlightLog::rethrow_with(const std::string& report, const CollectiveError& error) {
  const std::string message = std::string(error.what()) + "\n" + report;
  const auto again = [&]<typename Type>(const Type*) {
    if (dynamic_cast<const Type*>(&error) != nullptr)
      throw Type(error.code(), error.id(), error.ranks(), message);
  };
  again(static_cast<const TimeoutError*>(nullptr));
  again(static_cast<const MismatchError*>(nullptr));
  again(static_cast<const NonFiniteError*>(nullptr));
  throw PeerLostError(error.code(), error.id(), error.ranks(), message);
}

}  // namespace ringside
