
#include <atomic>
#include <chrono>
#include <thread>

#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/base/threads.h"
#include "ringside/comm/errors.h"
#include "ringside/comm/launch.h"
#include "ringside/comm/wiring.h"
#include "ringside/flight/report.h"
#include "ringside/world/world.h"
#include "shared_run.h"

namespace ringside::inline world {
namespace {

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

// How one rank ended: what it threw, and what that is to the run.
struct RankEnd {
  std::exception_ptr error{};
  enum class Kind { kFine, kFailed, kPlanned, kShared } kind = Kind::kFine;
};

RankEnd run_rank(World& world, const std::function<void(World&)>& rank_main) {
  RankEnd end;
  try {
    rank_main(world);
  } catch (const SharedError&) {
    end = {std::current_exception(), RankEnd::Kind::kShared};
  } catch (const RankKilled& killed) {
    end = {std::current_exception(), RankEnd::Kind::kPlanned};
    if (!killed.silent) world.abort(killed.what());
  } catch (...) {
    end = {std::current_exception(), RankEnd::Kind::kFailed};
    world.abort(reason_of(end.error));
  }
  world.drop_kept();
  return end;
}

// Of all ranks of a run of threads; a killed one leaves no dump.
std::string merged_report(const std::vector<FlightRecorder*>& flights, const std::vector<RankEnd>& ends) {
  std::vector<FlightDump> dumps;
  for (size_t rank = 0; rank < ends.size(); ++rank)
    if (ends[rank].kind != RankEnd::Kind::kPlanned) dumps.push_back(flights[rank]->dump());
  return report_text(merge_flights(dumps));
}

void check_options(const WorldOptions& options) {
  RINGSIDE_CHECK_GE(options.ranks, 1);
  const auto fits = [&](size_t count) { return count == 0 || int(count) == options.ranks; };
  RINGSIDE_CHECK(fits(options.recorders.size()), "a recorder for each rank, or none");
  RINGSIDE_CHECK(fits(options.hooks.flights.size()), "a flight recorder for each rank, or none");
  if (options.hooks.process && options.hooks.process->size() != options.ranks)
    throw UsageError("a run of {} ranks, in a process that is one of {}", options.ranks,
                     options.hooks.process->size());
}

}  // namespace

void run_world(const WorldOptions& options, const std::function<void(World&)>& rank_main) {
  check_options(options);
  std::vector<std::unique_ptr<FlightRecorder>> own_flights;
  std::vector<FlightRecorder*> flights = options.hooks.flights;  // (rank)
  for (int rank = int(flights.size()); rank < options.ranks; ++rank)
    flights.push_back(own_flights.emplace_back(std::make_unique<FlightRecorder>(rank)).get());
  std::vector<int> ranks;  // that run here
  std::shared_ptr<Wiring> wiring = options.hooks.process;
  if (options.hooks.process) {
    ranks.push_back(options.hooks.process->rank());
  } else {
    for (int rank = 0; rank < options.ranks; ++rank) ranks.push_back(rank);
    wiring = make_thread_wiring(flights);
  }
  std::vector<std::unique_ptr<World>> worlds;  // outlive every rank: a silent one goes unnoticed
  for (const int rank : ranks)
    worlds.push_back(std::make_unique<World>(options, *wiring, rank, *flights[size_t(rank)]));
  std::optional<SharedRun> shared;
  std::shared_ptr<const FlightRecorder> shown;  // to the others, as long as the run lasts
  if (ProcessWiring* const process = options.hooks.process.get()) {
    shared.emplace(options);
    const FlightRecorder* const own = flights[size_t(ranks.front())];
    process->show(*own, options.hooks.prefix);
    shown = {own, [process](const FlightRecorder* flight) { process->hide(*flight); }};
  }
  std::vector<RankEnd> ends(worlds.size());  // likewise: ThreadSanitizer does not see exceptions' own counts
  const CancelWatch watch(options.cancel, ranks, *wiring);
  const auto run_one = [&](int index) {
    const auto at = size_t(index);
    ends[at] = run_rank(*worlds[at], rank_main);
    if (options.hooks.on_rank_end) options.hooks.on_rank_end(ranks[at], ends[at].error);
    if (ends[at].kind == RankEnd::Kind::kFailed) std::rethrow_exception(ends[at].error);
  };
  std::exception_ptr cause;
  try {
    run_ranks(int(ranks.size()), run_one,
              [&](int index, const std::string& reason) { worlds[size_t(index)]->abort(reason); });
  } catch (...) {
    cause = std::current_exception();
  }
  try {
    if (shared) shared->share(*flights[size_t(ranks.front())], cause != nullptr);
  } catch (...) {  // it hides nothing of a run that had failed
    if (!cause) throw;
  }
  try {
    if (cause) std::rethrow_exception(cause);
  } catch (CollectiveError& error) {
    if (watch.cancelled()) throw CancelledError();
    if (!shared || !shared->dumps().empty())
      error.add_report(shared ? report_text(merge_flights(shared->dumps())) : merged_report(flights, ends));
    throw;
  }
  for (const RankEnd& end : ends)
    if (end.kind == RankEnd::Kind::kShared) std::rethrow_exception(end.error);
}

}  // namespace ringside::inline world
