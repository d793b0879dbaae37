#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/base/threads.h"
#include "ringside/comm/errors.h"
#include "ringside/comm/launch.h"
#include "ringside/flight/report.h"
#include "thread_wiring.h"

namespace ringside {
namespace {

std::string reason_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

// The flight recorders of a run: the caller's, or its own.
class Flights {
 public:
  explicit Flights(const WorldOptions& options) : recorders_(options.flights) {
    for (int rank = static_cast<int>(recorders_.size()); rank < options.ranks; ++rank) {
      own_.push_back(std::make_unique<FlightRecorder>(rank));
      recorders_.push_back(own_.back().get());
    }
  }
  const std::vector<FlightRecorder*>& recorders() const { return recorders_; }
  void leaves_no_dump(int rank) {
    const std::lock_guard lock(mutex_);
    gone_.insert(rank);
  }
  std::string report() const {
    std::vector<FlightDump> dumps;
    for (const FlightRecorder* recorder : recorders_)
      if (!gone_.contains(recorder->rank())) dumps.push_back(recorder->dump());
    return report_text(merge_flights(dumps));
  }

 private:
  std::vector<std::unique_ptr<FlightRecorder>> own_;
  std::vector<FlightRecorder*> recorders_;  // (rank)
  std::mutex mutex_;
  std::set<int> gone_;
};

// Breaks all groups off when the watcher cancels.
class CancelWatch {
 public:
  CancelWatch(RunControl* control, const std::vector<int>& ranks, Wiring& wiring) {
    if (control == nullptr) return;
    thread_ = std::jthread([this, control, ranks, &wiring](const std::stop_token& stop) {
      set_thread_name("cancel");
      while (!stop.stop_requested() && !control->cancelled()) std::this_thread::sleep_for(kLook);
      if (!control->cancelled()) return;
      cancelled_ = true;
      for (const int rank : ranks) wiring.abort(rank, {Failure::Kind::kPeerLost, {}, "cancelled"});
    });
  }
  bool cancelled() const { return cancelled_; }

 private:
  static constexpr std::chrono::milliseconds kLook{20};
  std::atomic<bool> cancelled_{false};
  std::jthread thread_;
};

// How one rank ended: what it threw, and whether the run throws it too.
class RankEnd {
 public:
  void run(World& world, const std::function<void(World&)>& rank_main, Flights& flights) {
    try {
      rank_main(world);
    } catch (const SharedError&) {
      error_ = std::current_exception();
      is_shared_ = true;
    } catch (const RankKilled& killed) {
      error_ = std::current_exception();
      is_planned_ = true;
      flights.leaves_no_dump(world.rank());
      if (!killed.silent()) world.abort(killed.what());
    } catch (...) {
      error_ = std::current_exception();
      world.abort(reason_of(error_));
    }
    world.drop_kept();
  }
  const std::exception_ptr& error() const { return error_; }
  void rethrow_own() const {
    if (error_ && !is_planned_ && !is_shared_) std::rethrow_exception(error_);
  }
  void rethrow_shared() const {
    if (is_shared_) std::rethrow_exception(error_);
  }

 private:
  std::exception_ptr error_;
  bool is_planned_ = false, is_shared_ = false;
};

void check_options(const WorldOptions& options) {
  RINGSIDE_CHECK_GE(options.ranks, 1);
  const auto fits = [&](size_t count) { return count == 0 || static_cast<int>(count) == options.ranks; };
  RINGSIDE_CHECK(fits(options.recorders.size()), "a recorder for each rank, or none");
  RINGSIDE_CHECK(fits(options.flights.size()), "a flight recorder for each rank, or none");
  if (options.process && options.process->size() != options.ranks)
    throw UsageError("a run of " + std::to_string(options.ranks) + " ranks, in a process that is one of " +
                     std::to_string(options.process->size()));
}

}  // namespace

void run_world(const WorldOptions& options, const std::function<void(World&)>& rank_main) {
  check_options(options);
  Flights flights(options);
  std::vector<int> ranks;  // that run here
  std::shared_ptr<Wiring> wiring = options.process;
  if (options.process) {
    ranks.push_back(options.process->rank());
  } else {
    for (int rank = 0; rank < options.ranks; ++rank) ranks.push_back(rank);
    wiring = std::make_shared<ThreadWiring>(flights.recorders());
  }
  std::vector<std::unique_ptr<World>> worlds;  // outlive every rank: a silent one goes unnoticed
  for (const int rank : ranks)
    worlds.push_back(
        std::make_unique<World>(options, *wiring, rank, *flights.recorders()[static_cast<size_t>(rank)]));
  std::vector<RankEnd> ends(worlds.size());  // likewise: ThreadSanitizer does not see exceptions' own counts
  const CancelWatch watch(options.cancel, ranks, *wiring);
  const auto run_rank = [&](int index) {
    const auto at = static_cast<size_t>(index);
    ends[at].run(*worlds[at], rank_main, flights);
    if (options.on_rank_end) options.on_rank_end(ranks[at], ends[at].error());
    ends[at].rethrow_own();
  };
  try {
    run_ranks(static_cast<int>(ranks.size()), run_rank, [&](int index, const std::string& reason) {
      worlds[static_cast<size_t>(index)]->abort(reason);
    });
  } catch (CollectiveError& error) {
    if (watch.cancelled()) throw CancelledError();
    if (!options.process) error.add_report(flights.report());  // else the others' records are out of sight
    throw;
  }
  for (const RankEnd& end : ends) end.rethrow_shared();
}

}  // namespace ringside
