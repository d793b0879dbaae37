// Of a run whose ranks are processes: what each recorded comes together in all, when it is over or broken.
#pragma once

#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "ringside/flight/dump.h"
#include "ringside/trace/rank_part.h"
#include "ringside/world/world.h"

namespace ringside::inline world {

class SharedRun {
 public:
  explicit SharedRun(const WorldOptions& options);  // before the run
  // After it, once in every process. `broke`: with the rank's flight dump. Where this rank's own run has not
  // broken: PeerLostError naming who went away, TimeoutError naming who is there and has said nothing by the
  // deadline.
  void share(const FlightRecorder& flight, bool broke);
  const std::vector<FlightDump>& dumps() const { return dumps_; }  // of all whose run broke

 private:
  void take(int rank, std::string_view said);
  void miss(int rank);
  void throw_where_missing(const ProcessWiring::Shared& all) const;
  void follow(const std::stop_token& stop);
  void post_what_is_new(TrackMarks& posted);
  void take_what_has_come();

  const WorldOptions& options_;
  ProcessWiring& process_;
  TrackMarks marks_;
  std::vector<FlightDump> dumps_;
  std::unique_ptr<ProcessWiring::Live> live_;  // null: nobody watches
  std::vector<TrackMarks> known_;              // (rank) what has come of it already
  std::jthread following_;                     // the last member
};

}  // namespace ringside::inline world
