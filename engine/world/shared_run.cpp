#include "shared_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/base/threads.h"
#include "ringside/base/units.h"
#include "ringside/comm/errors.h"
#include "ringside/flight/files.h"
#include "ringside/flight/recorder.h"
#include "ringside/flight/words.h"

namespace ringside::inline world {
namespace {

// Of a run that has broken: the others end too, within this share of the deadline, or are not waited for.
constexpr int kShareOfTimeout = 20;
constexpr std::chrono::seconds kMostToShare{2};
constexpr std::chrono::milliseconds kToFollow{200};  // between two looks at a run that is watched

// Another clock's times, as this process's.
void shift(FlightDump& dump, int64_t by_ns) {
  const auto move = [by_ns](int64_t& time_ns) { time_ns += time_ns == 0 ? 0 : by_ns; };
  move(dump.time_ns);
  for (FlightEntry& entry : dump.entries) {
    move(entry.time_created_ns);
    move(entry.time_discovered_started_ns);
    move(entry.time_discovered_completed_ns);
  }
}

}  // namespace

SharedRun::SharedRun(const WorldOptions& options) : options_(options), process_(*options.hooks.process) {
  known_.resize(size_t(options.ranks));
  if (options.recorders.empty()) return;
  marks_ = RankPart::mark(*options.recorders[size_t(process_.rank())]);
  live_ = process_.live(options.hooks.prefix);
  if (live_) following_ = std::jthread([this](const std::stop_token& stop) { follow(stop); });
}

// Until the run is over: then all say all that they have recorded. A store that has gone ends it.
void SharedRun::follow(const std::stop_token& stop) try {
  set_thread_name("live");
  std::mutex mutex;
  std::condition_variable_any woken;
  TrackMarks posted = marks_;
  std::unique_lock lock(mutex);
  while (!woken.wait_for(lock, stop, kToFollow, [&] { return stop.stop_requested(); }))
    if (process_.rank() == 0)
      take_what_has_come();
    else
      post_what_is_new(posted);
} catch (const Error&) {
}

void SharedRun::post_what_is_new(TrackMarks& posted) {
  const Recorder& own = *options_.recorders[size_t(process_.rank())];
  const TrackMarks now = RankPart::mark(own);
  if (now == posted) return;
  live_->post(RankPart::pack(own, posted, now));
  posted = now;
}

void SharedRun::take_what_has_come() {
  for (int rank = 1; rank < options_.ranks; ++rank)
    while (const auto part = live_->next(rank))
      known_[size_t(rank)] +=
          RankPart::unpack(*part, *options_.recorders[size_t(rank)], process_.clock_shift_ns(rank));
}

// Said is the length of a dump, the dump, and the rank's part of the trace.
void SharedRun::share(const FlightRecorder& flight, bool broke) {
  following_ = {};
  FlightDump own = broke ? flight.dump() : FlightDump();
  const std::string dump = broke ? flight_json(own) : "";
  std::string said = fmt::format("{}\n{}", dump.size(), dump);
  if (!options_.recorders.empty())
    said += RankPart::pack(*options_.recorders[size_t(process_.rank())], marks_);
  const auto wait = broke
                        ? std::min<std::chrono::nanoseconds>(kMostToShare, options_.timeout / kShareOfTimeout)
                        : options_.timeout;
  const ProcessWiring::Shared all = process_.share(said, SteadyClock::now() + wait);
  for (int rank = 0; rank < std::ssize(all.said); ++rank) {
    const std::string& heard = all.said[size_t(rank)];
    if (rank == process_.rank() && broke)
      dumps_.push_back(std::move(own));
    else if (rank != process_.rank() && !heard.empty())
      take(rank, heard);
    else if (rank != process_.rank() && !holds(all.silent, rank) && !holds(all.late, rank))
      miss(rank);
  }
  if (!broke) throw_where_missing(all);
}

void SharedRun::throw_where_missing(const ProcessWiring::Shared& all) const {
  const CallRecord own{.group = "trace", .rank = process_.rank()};
  if (!all.silent.empty())
    throw_error({Failure::Kind::kPeerLost, all.silent,
                 fmt::format("{} went away when the run was over", flight::name_ranks(all.silent))},
                own);
  if (!all.late.empty())
    throw_error(
        {Failure::Kind::kTimeout, all.late,
         fmt::format("{} still there, and not at the end of the run {} after this one: a larger timeout "
                     "waits longer",
                     flight::name_ranks(all.late) + (all.late.size() > 1 ? " are" : " is"),
                     format_duration(std::chrono::duration<double>(options_.timeout).count()))},
        own);
}

// Where its store has no room for it.
void SharedRun::miss(int rank) {
  if (options_.recorders.empty()) return;
  options_.recorders[size_t(rank)]->note(
      fmt::format("what rank {} recorded did not fit in the run's store, and is not here", rank));
}

void SharedRun::take(int rank, std::string_view said) {
  const size_t line = said.find('\n');
  const auto length = read_number<size_t>(said.substr(0, line));
  if (!length || line == said.npos || *length > said.size() - line - 1)
    throw InputError("what rank {} said of its run cannot be read", rank);
  const int64_t by_ns = process_.clock_shift_ns(rank);
  if (*length > 0) {
    FlightDump dump =
        parse_flight_dump(said.substr(line + 1, *length), fmt::format("rank {}'s flight dump", rank), rank);
    shift(dump, by_ns);
    dumps_.push_back(std::move(dump));
  }
  if (options_.recorders.empty()) return;
  RankPart::unpack(said.substr(line + 1 + *length), *options_.recorders[size_t(rank)], by_ns,
                   known_[size_t(rank)]);
}

}  // namespace ringside::inline world
