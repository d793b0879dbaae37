#include "hang.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <set>
#include <utility>

#include "names.h"
#include "ringside/base/clock.h"
#include "ringside/base/error.h"
#include "ringside/comm/errors.h"
#include "ringside/faults/injector.h"
#include "ringside/flight/files.h"
#include "ringside/flight/recorder.h"

namespace ringside::nccl_lesson {
namespace {

struct RankEnd {
  std::string kind = "completed";
  std::string message;
  int64_t time_ns = 0;
};

std::string kind_of(ExitCode code) {
  switch (code) {
    case ExitCode::kTimeout:
      return "timeout";
    case ExitCode::kMismatch:
      return "mismatch";
    case ExitCode::kPeerLost:
      return "peer_lost";
    case ExitCode::kCheckFailed:
      return "not_finite";
    default:
      return "error";
  }
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

RankEnd end_of(const std::exception_ptr& error) {
  RankEnd end;
  end.time_ns = now_ns();
  if (!error) return end;
  try {
    std::rethrow_exception(error);
  } catch (const RankKilled&) {
    end.kind = "killed";  // it prints nothing any more
  } catch (const Error& typed) {
    end.kind = kind_of(typed.code());
    end.message = first_line(typed.what());
  } catch (const std::exception& other) {
    end.kind = "error";
    end.message = first_line(other.what());
  }
  return end;
}

std::string join(const std::vector<int>& ranks) { return fmt::format("{}", fmt::join(ranks, ",")); }

class Hang {
 public:
  Hang(const HangSetup& setup, const Dataset& dataset, const RunContext& context)
      : setup_(setup),
        dataset_(dataset),
        context_(context),
        injector_(setup.faults, setup.training.ranks),
        ends_(static_cast<size_t>(setup.training.ranks)) {
    for (int rank = 0; rank < setup.training.ranks; ++rank)
      flights_.push_back(std::make_unique<FlightRecorder>(rank));
  }

  HangResult run() {
    train_to_the_end();
    if (context_.control.cancelled()) throw CancelledError();
    result_.ended = ended();
    const std::vector<FlightDump> dumps = dumps_that_are_left();
    if (result_.ended != "completed") {
      result_.report = merge_flights(dumps);
      result_.ended_ms = time_to_end(dumps);
      if (!setup_.dumps.empty()) write_flight_dumps(dumps, setup_.dumps + "/" + setup_.section);
    }
    write_logs();
    describe();
    return std::move(result_);
  }

 private:
  void train_to_the_end() {
    TrainerHooks hooks;
    hooks.control = &context_.control;
    hooks.faults = &injector_;
    hooks.end_step = loop_with(injector_);
    hooks.attributes = {{kAct, setup_.act},
                        {kKind, setup_.kind},
                        {kTitle, setup_.title},
                        {kReturns, to_string(setup_.training.outputs)},
                        {kDeadlineMs, deadline_ms()}};
    for (const auto& flight : flights_) hooks.flights.push_back(flight.get());
    hooks.on_rank_end = [&](int rank, const std::exception_ptr& error) {
      ends_[static_cast<size_t>(rank)] = end_of(error);
    };
    try {
      result_.training = train(assembled(setup_.training), dataset_, context_.store, setup_.section, hooks);
    } catch (const CollectiveError&) {  // what this lesson is about; each rank's end has been noted
    } catch (const PlannedError&) {
    } catch (const Error& error) {
      if (error.code() != ExitCode::kCheckFailed) throw;  // not a number: planned too
    }
  }

  // What the run as a whole came to: its first cause; a lost peer only where there is nothing else.
  std::string ended() const {
    for (const char* kind : {"not_finite", "mismatch", "timeout", "error", "peer_lost"}) {
      if (std::any_of(ends_.begin(), ends_.end(), [&](const RankEnd& end) { return end.kind == kind; }))
        return kind;
    }
    return "completed";
  }

  // A killed rank leaves none.
  std::vector<FlightDump> dumps_that_are_left() const {
    std::vector<FlightDump> dumps;
    for (size_t rank = 0; rank < flights_.size(); ++rank)
      if (ends_[rank].kind != "killed") dumps.push_back(flights_[rank]->dump());
    return dumps;
  }

  double time_to_end(const std::vector<FlightDump>& dumps) const {
    if (result_.report.stuck.empty()) return 0;
    const FlightEntry& call = result_.report.stuck.front().call;
    int64_t entered = INT64_MAX, ended = 0;
    for (const FlightDump& dump : dumps) {
      for (const FlightEntry& entry : dump.entries)
        if (entry.group == call.group && entry.collective_seq_id == call.collective_seq_id && !entry.is_p2p())
          entered = std::min(entered, entry.time_created_ns);
      ended = std::max(ended, ends_[static_cast<size_t>(dump.rank)].time_ns);
    }
    return static_cast<double>(ended - entered) * 1e-6;
  }

  // As on a cluster: the watchdog of each rank that waits prints what it waits in. With the check on, and
  // where a peer's end is noticed, each prints its error instead.
  void write_logs() {
    result_.logs.resize(ends_.size());
    for (size_t rank = 0; rank < ends_.size(); ++rank) result_.logs[rank] = log_of(rank);
    for (const StuckCollective& stuck : result_.report.stuck) {
      if (stuck.call.tag != "gradients" || stuck.in_it.empty()) continue;
      result_.shown_log = result_.logs[static_cast<size_t>(stuck.in_it.front())];
      return;
    }
  }

  std::string log_of(size_t rank) const {
    const RankEnd& end = ends_[rank];
    if (end.kind == "completed" || end.kind == "killed") return "";
    const auto story = std::find_if(result_.report.ranks.begin(), result_.report.ranks.end(),
                                    [&](const RankStory& one) { return one.rank == static_cast<int>(rank); });
    const bool waited = story != result_.report.ranks.end() && story->waits_in;
    const bool says_who = end.message.starts_with("rank");
    if (result_.ended != "timeout")
      return says_who ? end.message : fmt::format("rank {}: {}", rank, end.message);
    return waited ? watchdog_line(static_cast<int>(rank), *story->waits_in) : "";
  }

  int64_t deadline_ms() const { return setup_.training.timeout.count() / 1'000'000; }

  void describe() const {
    Attributes attributes = {{"check", setup_.training.check},
                             {kEnded, result_.ended},
                             {kEndedMs, result_.ended_ms},
                             {kShownLog, result_.shown_log},
                             {kSentence, result_.report.sentence}};
    if (setup_.culprit.rank >= 0) {
      attributes[kCulprit] = setup_.culprit.rank;
      attributes[kCause] = setup_.culprit.cause;
    }
    if (result_.ended != "completed") {
      attributes["suspects"] = join(result_.report.suspects);
      attributes["certain"] = result_.report.certain;
    }
    describe_stuck(attributes);
    record_waits();
    record_struck();
    for (size_t rank = 0; rank < result_.logs.size(); ++rank) record_last(static_cast<int>(rank));
    context_.store.set_attributes(setup_.section, attributes);
  }

  // The collective in the log line: the one that carries gradients, where there are several.
  const StuckCollective* stuck_of_log() const {
    const auto& all = result_.report.stuck;
    if (all.empty()) return nullptr;
    const auto gradients = std::find_if(
        all.begin(), all.end(), [](const StuckCollective& one) { return one.call.tag == "gradients"; });
    return gradients == all.end() ? &all.front() : &*gradients;
  }

  void describe_stuck(Attributes& attributes) const {
    const StuckCollective* stuck = stuck_of_log();
    if (stuck == nullptr) return;
    attributes[kStuck] = fmt::format("{}#{}", stuck->call.group, stuck->call.collective_seq_id);
    attributes[kMissing] = join(stuck->missing);
    attributes["stuck_elements"] = stuck->call.elements_in;
    attributes["stuck_tag"] = stuck->call.tag;
    attributes["stuck_op"] = to_string(stuck->call.op);
  }

  void record_waits() const {
    std::vector<Wait> waits = result_.report.cycle;
    if (const StuckCollective* stuck = stuck_of_log(); stuck != nullptr && waits.empty())
      waits = {{stuck->in_it, stuck->call.group, stuck->call.collective_seq_id, stuck->missing}};
    Recorder& recorder =
        context_.store.recorder(setup_.section, 0);  // of one rank, so that they keep their order
    for (const Wait& wait : waits)
      for (const int rank : wait.from)
        for (const int for_rank : wait.on)
          record_row<RankWait>(recorder, {rank, wait.group, wait.seq, for_rank});
  }

  // Other contents, another size or type: the call is made, so that it can be shown where it was.
  void record_struck() const {
    const Trace trace = context_.store.snapshot();
    for (const Fault& fault : setup_.faults.faults) {
      const bool is_made = fault.kind == FaultKind::kOtherTensor || fault.kind == FaultKind::kWrongSize ||
                           fault.kind == FaultKind::kWrongDtype || fault.kind == FaultKind::kNan;
      if (!is_made || fault.rank >= setup_.training.ranks) continue;
      const auto struck = struck_call(trace, *trace.find(setup_.section), fault);
      if (struck) record_row(context_.store.recorder(setup_.section, 0), *struck);
    }
  }

  // As the injector counts: the fault's step begins where the one before has ended.
  static std::optional<StruckCall> struck_call(const Trace& trace, const SectionView& section,
                                               const Fault& fault) {
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
      if (static_cast<int64_t>(calls.size()) == fault.call + 1)
        return StruckCall{fault.rank, group, event.collective_seq_id, std::string(to_string(fault.kind))};
    }
    return std::nullopt;
  }

  void record_last(int rank) const {
    LastOfRank last{.rank = rank, .log = result_.logs[static_cast<size_t>(rank)]};
    for (const RankStory& story : result_.report.ranks) {
      if (story.rank != rank) continue;
      last.did_last = story.did_last;
      last.dumped = story.dumped;
    }
    record_row(context_.store.recorder(setup_.section, rank), last);
  }

  const HangSetup& setup_;
  const Dataset& dataset_;
  const RunContext& context_;
  FaultInjector injector_;
  std::vector<std::unique_ptr<FlightRecorder>> flights_;
  std::vector<RankEnd> ends_;  // each written by its rank's thread
  HangResult result_;
};

}  // namespace

HangResult run_hang(const HangSetup& setup, const Dataset& dataset, const RunContext& context) {
  return Hang(setup, dataset, context).run();
}

}  // namespace ringside::nccl_lesson
