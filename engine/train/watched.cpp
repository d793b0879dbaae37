#include "ringside/train/watched.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <set>

#include "ringside/base/clock.h"
#include "ringside/comm/errors.h"
#include "ringside/flight/files.h"
#include "ringside/flight/recorder.h"
#include "ringside/trace/hang_rows.h"

namespace ringside::inline training {
namespace {

struct RankEnd {
  std::string kind = "completed", message = {};
  int64_t time_ns = 0;
};

std::string kind_of(ExitCode code) {
  if (code == ExitCode::kTimeout) return "timeout";
  if (code == ExitCode::kMismatch) return "mismatch";
  if (code == ExitCode::kPeerLost) return "peer_lost";
  return code == ExitCode::kCheckFailed ? "not_finite" : "error";
}

RankEnd end_of(const std::exception_ptr& error) {
  RankEnd end{.time_ns = now_ns()};
  if (!error) return end;
  try {
    std::rethrow_exception(error);
  } catch (const RankKilled&) {
    end.kind = "killed";  // it prints nothing any more
  } catch (const Error& typed) {
    end = {kind_of(typed.code()), typed.what(), end.time_ns};
  } catch (const std::exception& other) {
    end = {"error", other.what(), end.time_ns};
  }
  end.message = end.message.substr(0, end.message.find('\n'));
  return end;
}

// The spans of a rank that hold an instant, from the outermost on: "evaluate > save checkpoint".
std::string stack_of(const Trace& trace, const SectionView& section, int rank, int64_t at_ns) {
  std::vector<SpanEvent> spans;
  for (const SpanEvent& span : section.spans(rank))
    if (span.start_ns <= at_ns && at_ns <= span.end_ns) spans.push_back(span);
  std::ranges::stable_sort(spans, {}, &SpanEvent::start_ns);
  std::string text;
  for (const SpanEvent& span : spans) text += (text.empty() ? "" : " > ") + trace.name(span.name);
  return text;
}

// Which call a fault struck that leaves it a call. As the injector counts: a step begins behind the last one.
std::optional<StruckCall> struck_call(const Trace& trace, const SectionView& section, const Fault& fault) {
  int64_t start = 0;
  for (const SpanEvent& span : section.spans(fault.rank))
    if (trace.name(span.name) == "step" && span.step < fault.step) start = std::max(start, span.end_ns);
  std::set<std::pair<std::string, int64_t>> calls;
  for (const CollectiveEvent& event : section.collectives(fault.rank)) {
    const std::string &group = trace.name(event.group), &tag = trace.name(event.tag);
    const bool is_its = (fault.group.empty() || fault.group == group) &&
                        (fault.tag.empty() || fault.tag == tag) &&
                        (fault.unit.empty() || fault.unit == trace.name(event.unit));
    if (!is_its || event.time_created_ns < start || !calls.insert({group, event.collective_seq_id}).second)
      continue;
    if (std::ssize(calls) == fault.call + 1)
      return StruckCall{fault.rank, group, event.collective_seq_id, std::string(to_string(fault.kind))};
  }
  return std::nullopt;
}

class WatchedTraining {
 public:
  WatchedTraining(const WatchedSetup& setup, const Dataset& dataset, TraceStore& store,
                  const std::string& section, RunControl& control)
      : setup_(setup),
        dataset_(dataset),
        store_(store),
        section_(section),
        control_(control),
        injector_(setup.faults, setup.config.ranks),
        ends_(size_t(setup.config.ranks)) {
    for (int rank = 0; rank < setup.config.ranks; ++rank)
      flights_.push_back(std::make_unique<FlightRecorder>(rank));
  }

  Watched run() {
    train_to_the_end();
    if (control_.cancelled()) throw CancelledError();
    // Its first cause; a lost peer only where there is nothing else.
    for (const char* kind : {"peer_lost", "error", "timeout", "mismatch", "not_finite"})
      if (std::ranges::count(ends_, std::string(kind), &RankEnd::kind) > 0) result_.ended = kind;
    for (size_t rank = 0; rank < flights_.size(); ++rank)  // a killed rank leaves none
      if (ends_[rank].kind != "killed") dumps_.push_back(flights_[rank]->dump());
    if (result_.ended != "completed") {
      result_.report = merge_flights(dumps_);
      if (!setup_.dumps.empty()) write_flight_dumps(dumps_, setup_.dumps + "/" + section_);
    }
    describe();
    return std::move(result_);
  }

 private:
  void train_to_the_end() {
    const TrainerConfig& config = setup_.config;
    const auto common = config.default_timeout.count() > 0 ? config.default_timeout : config.timeout;
    TrainerHooks hooks;
    hooks.control = &control_;
    hooks.faults = &injector_;
    hooks.end_step = loop_with(injector_, setup_.mistake);
    hooks.attributes = setup_.attributes;
    hooks.attributes.insert({{kDeadlineMs, config.timeout.count() / 1'000'000},
                             {kDefaultDeadlineMs, common.count() / 1'000'000}});
    for (const auto& flight : flights_) hooks.flights.push_back(flight.get());
    hooks.on_rank_end = [&](int rank, const std::exception_ptr& error) {
      ends_[size_t(rank)] = end_of(error);
    };
    try {
      result_.training = train(config, dataset_, store_, section_, hooks);
    } catch (const CollectiveError&) {  // each rank's end has been noted
    } catch (const PlannedError&) {
    } catch (const Error& error) {
      if (error.code() != ExitCode::kCheckFailed) throw;  // not a number: planned too
    }
  }

  // When the first rank entered the stuck collective; 0 where nothing is stuck.
  int64_t stuck_since() const {
    if (result_.report.stuck.empty()) return 0;
    const FlightEntry& call = result_.report.stuck.front().call;
    int64_t entered = INT64_MAX;
    for (const FlightDump& dump : dumps_)
      for (const FlightEntry& entry : dump.entries)
        if (entry.group == call.group && entry.collective_seq_id == call.collective_seq_id && !entry.is_p2p())
          entered = std::min(entered, entry.time_created_ns);
    return entered;
  }

  const RankStory* story_of(int rank) const {
    const auto found = std::ranges::find(result_.report.ranks, rank, &RankStory::rank);
    return found == result_.report.ranks.end() ? nullptr : &*found;
  }

  // As on a cluster: the watchdog of each rank that waits prints what it waits in, and then how far the group
  // had come. With the check on, and where a peer's end is noticed, each prints its error instead.
  std::string log_of(int rank) const {
    const RankEnd& end = ends_[size_t(rank)];
    if (end.kind == "completed" || end.kind == "killed") return "";
    if (result_.ended != "timeout")
      return end.message.starts_with("rank") ? end.message : fmt::format("rank {}: {}", rank, end.message);
    const RankStory* story = story_of(rank);
    if (story == nullptr || !story->waits_in) return "";
    const FlightEntry& call = *story->waits_in;
    const auto& groups = result_.report.groups;
    const auto group = size_t(std::ranges::find(groups, call.group) - groups.begin());
    const bool known = group < story->last_seq_scheduled.size();
    return watchdog_line(rank, call) + fmt::format(
                                           "\n[PG {} Rank {}] Timeout at NCCL work: {}, last enqueued NCCL "
                                           "work: {}, last completed NCCL work: {}.",
                                           call.group, rank, call.collective_seq_id,
                                           known ? story->last_seq_scheduled[group] : call.collective_seq_id,
                                           known ? story->last_seq_completed[group] : -1);
  }

  void describe() {
    const FlightReport& report = result_.report;
    const int64_t since = stuck_since();
    int64_t last = since;
    for (const FlightDump& dump : dumps_) last = std::max(last, ends_[size_t(dump.rank)].time_ns);
    Attributes attributes = {{"check", setup_.config.check},
                             {kEnded, result_.ended},
                             {kEndedMs, since > 0 ? double(last - since) * 1e-6 : 0.0},
                             {kSentence, report.sentence},
                             {kShownLog, ""}};
    if (result_.ended != "completed")
      attributes.insert({{kSuspects, fmt::format("{}", fmt::join(report.suspects, ","))},
                         {"certain", report.grounds == Grounds::kKnown},
                         {"by_majority", report.grounds == Grounds::kMajority}});
    // The collective in the log line: the one that carries gradients, where there are several.
    auto stuck = std::ranges::find_if(report.stuck, [](auto& one) { return one.call.tag == "gradients"; });
    if (stuck == report.stuck.end()) stuck = report.stuck.begin();
    if (stuck != report.stuck.end()) describe(*stuck, attributes);
    record_struck();
    record_last(since + setup_.config.timeout.count() / 2);
    store_.set_attributes(section_, attributes);
  }

  void describe(const StuckCollective& stuck, Attributes& attributes) const {
    attributes.insert({{kStuck, fmt::format("{}#{}", stuck.call.group, stuck.call.collective_seq_id)},
                       {kMissing, fmt::format("{}", fmt::join(stuck.missing, ","))},
                       {kStuckElements, stuck.call.elements_in},
                       {kStuckTag, stuck.call.tag},
                       {kStuckOp, to_string(stuck.call.op)}});
    const std::string log = stuck.in_it.empty() ? "" : log_of(stuck.in_it.front());
    attributes[kShownLog] = log.substr(0, log.find('\n'));
    std::vector<Wait> waits = result_.report.cycle;
    if (waits.empty()) waits = {{stuck.in_it, stuck.call.group, stuck.call.collective_seq_id, stuck.missing}};
    Recorder& recorder = store_.recorder(section_, 0);  // of one rank, so that they keep their order
    for (const Wait& wait : waits)
      for (const int rank : wait.from)
        for (const int for_rank : wait.on)
          record_row<RankWait>(recorder, {rank, wait.group, wait.seq, for_rank});
  }

  void record_struck() const {
    const Trace trace = store_.snapshot();
    for (const Fault& fault : setup_.faults.faults) {
      const bool is_made = fault.kind == FaultKind::kOtherTensor || fault.kind == FaultKind::kWrongSize ||
                           fault.kind == FaultKind::kWrongDtype || fault.kind == FaultKind::kNan;
      if (!is_made || fault.rank == kEvery || fault.rank >= setup_.config.ranks) continue;
      if (const auto struck = struck_call(trace, *trace.find(section_), fault))
        record_row(store_.recorder(section_, 0), *struck);
    }
  }

  void record_last(int64_t at_ns) const {
    const Trace trace = store_.snapshot();
    for (int rank = 0; rank < setup_.config.ranks; ++rank) {
      LastOfRank last{.rank = rank, .log = log_of(rank)};
      if (const RankStory* story = story_of(rank)) {
        last.did_last = story->did_last;
        last.dumped = story->dumped;
        if (story->dumped && !result_.report.stuck.empty()) {
          StackOfRank row{
              rank, fmt::format("rank {}: {}", rank, stack_of(trace, *trace.find(section_), rank, at_ns))};
          if (const auto& call = story->waits_in)
            row.stack += fmt::format(" > {} of group {} ({})", to_string(call->op), call->group, call->tag);
          record_row(store_.recorder(section_, rank), row);
        }
      }
      record_row(store_.recorder(section_, rank), last);
    }
  }

  const WatchedSetup& setup_;
  const Dataset& dataset_;
  TraceStore& store_;
  const std::string& section_;
  RunControl& control_;
  FaultInjector injector_;
  std::vector<std::unique_ptr<FlightRecorder>> flights_;
  std::vector<RankEnd> ends_;  // each written by its rank's thread
  std::vector<FlightDump> dumps_;
  Watched result_;
};

}  // namespace

Watched train_watched(const WatchedSetup& setup, const Dataset& dataset, TraceStore& store,
                      const std::string& section, RunControl& control) {
  return WatchedTraining(setup, dataset, store, section, control).run();
}

}  // namespace ringside::inline training
