#include "hang.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

std::string join(const std::vector<int>& ranks) { return fmt::format("{}", fmt::join(ranks, ",")); }

// The spans of a rank that hold an instant, from the outermost on: "evaluate > save checkpoint".
std::string stack_of(const Trace& trace, const SectionView& section, int rank, int64_t at_ns) {
  std::vector<SpanEvent> spans;
  for (const SpanEvent& span : section.spans(rank))
    if (span.start_ns <= at_ns && at_ns <= span.end_ns) spans.push_back(span);
  std::stable_sort(spans.begin(), spans.end(),
                   [](const SpanEvent& a, const SpanEvent& b) { return a.start_ns < b.start_ns; });
  std::string text;
  for (const SpanEvent& span : spans) text += (text.empty() ? "" : " > ") + trace.name(span.name);
  return text;
}

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
    // Its first cause; a lost peer only where there is nothing else.
    for (const char* kind : {"peer_lost", "error", "timeout", "mismatch", "not_finite"})
      if (std::ranges::count(ends_, std::string(kind), &RankEnd::kind) > 0) result_.ended = kind;
    std::vector<FlightDump> dumps;  // a killed rank leaves none
    for (size_t rank = 0; rank < flights_.size(); ++rank)
      if (ends_[rank].kind != "killed") dumps.push_back(flights_[rank]->dump());
    if (result_.ended != "completed") {
      result_.report = merge_flights(dumps);
      if (!setup_.dumps.empty()) write_flight_dumps(dumps, setup_.dumps + "/" + setup_.section);
    }
    describe(dumps);
    return std::move(result_);
  }

 private:
  void train_to_the_end() {
    TrainerHooks hooks;
    hooks.control = &context_.control;
    hooks.faults = &injector_;
    hooks.end_step = loop_with(injector_, setup_.training);
    hooks.attributes = {{kAct, setup_.act},
                        {kKind, setup_.kind},
                        {kTitle, setup_.title},
                        {kReturns, to_string(setup_.training.outputs)},
                        {kDeadlineMs, setup_.training.timeout.count() / 1'000'000},
                        {kDefaultDeadlineMs, default_deadline_ms()}};
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

  int64_t default_deadline_ms() const {
    const auto own = setup_.training.default_timeout;
    return (own.count() > 0 ? own : setup_.training.timeout).count() / 1'000'000;
  }

  // When the first rank entered the stuck collective; 0 where nothing is stuck.
  int64_t stuck_since(const std::vector<FlightDump>& dumps) const {
    if (result_.report.stuck.empty()) return 0;
    const FlightEntry& call = result_.report.stuck.front().call;
    int64_t entered = INT64_MAX;
    for (const FlightDump& dump : dumps)
      for (const FlightEntry& entry : dump.entries)
        if (entry.group == call.group && entry.collective_seq_id == call.collective_seq_id && !entry.is_p2p())
          entered = std::min(entered, entry.time_created_ns);
    return entered;
  }

  // As on a cluster: the watchdog of each rank that waits prints what it waits in, and then how far the group
  // had come. With the check on, and where a peer's end is noticed, each prints its error instead.
  std::string log_of(size_t rank) const {
    const RankEnd& end = ends_[rank];
    if (end.kind == "completed" || end.kind == "killed") return "";
    if (result_.ended != "timeout")
      return end.message.starts_with("rank") ? end.message : fmt::format("rank {}: {}", rank, end.message);
    const auto& stories = result_.report.ranks;
    const auto story = std::ranges::find(stories, static_cast<int>(rank), &RankStory::rank);
    if (story == stories.end() || !story->waits_in) return "";
    const FlightEntry& call = *story->waits_in;
    const auto group = static_cast<size_t>(std::ranges::find(result_.report.groups, call.group) -
                                           result_.report.groups.begin());
    const bool known = group < story->last_seq_scheduled.size();
    return watchdog_line(static_cast<int>(rank), call) +
           fmt::format(
               "\n[PG {} Rank {}] Timeout at NCCL work: {}, last enqueued NCCL work: {}, last completed "
               "NCCL work: {}.",
               call.group, rank, call.collective_seq_id,
               known ? story->last_seq_scheduled[group] : call.collective_seq_id,
               known ? story->last_seq_completed[group] : -1);
  }

  // The collective in the log line: the one that carries gradients, where there are several.
  const StuckCollective* stuck_of_log() const {
    const auto& all = result_.report.stuck;
    const auto found = std::ranges::find_if(all, [](const auto& one) { return one.call.tag == "gradients"; });
    return all.empty() ? nullptr : found == all.end() ? &all.front() : &*found;
  }

  void describe(const std::vector<FlightDump>& dumps) {
    const int64_t since = stuck_since(dumps);
    int64_t last = since;
    for (const FlightDump& dump : dumps) last = std::max(last, ends_[static_cast<size_t>(dump.rank)].time_ns);
    Attributes attributes = {{"check", setup_.training.check},
                             {kEnded, result_.ended},
                             {kEndedMs, since > 0 ? static_cast<double>(last - since) * 1e-6 : 0.0},
                             {kSentence, result_.report.sentence}};
    if (setup_.culprit.rank >= 0) describe_cause(attributes);
    if (result_.ended != "completed") {
      attributes["suspects"] = join(result_.report.suspects);
      attributes["certain"] = result_.report.certain;
    }
    std::string shown;
    if (const StuckCollective* stuck = stuck_of_log()) {
      attributes[kStuck] = fmt::format("{}#{}", stuck->call.group, stuck->call.collective_seq_id);
      attributes[kMissing] = join(stuck->missing);
      attributes["stuck_elements"] = stuck->call.elements_in;
      attributes["stuck_tag"] = stuck->call.tag;
      attributes["stuck_op"] = to_string(stuck->call.op);
      if (!stuck->in_it.empty()) shown = log_of(static_cast<size_t>(stuck->in_it.front()));
      record_waits(*stuck);
    }
    attributes[kShownLog] = shown.substr(0, shown.find('\n'));
    record_struck();
    record_last(since + setup_.training.timeout.count() / 2);
    context_.store.set_attributes(setup_.section, attributes);
  }

  void describe_cause(Attributes& attributes) const {
    const Cause& cause = cause_of(setup_.culprit.cause);
    attributes.insert({{kCulprit, setup_.culprit.rank},
                       {kCause, setup_.culprit.cause},
                       {kSays, cause.says},
                       {kFix, cause.fix}});
    std::string ids, words;
    for (const char* option : cause.options) {
      if (option == nullptr) continue;
      ids += (ids.empty() ? "" : ",") + std::string(option);
      words += (words.empty() ? "" : "|") + std::string(cause_of(option).says);
    }
    attributes.insert({{kOptions, ids}, {kOptionWords, words}});
  }

  void record_waits(const StuckCollective& stuck) const {
    std::vector<Wait> waits = result_.report.cycle;
    if (waits.empty()) waits = {{stuck.in_it, stuck.call.group, stuck.call.collective_seq_id, stuck.missing}};
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

  void record_last(int64_t at_ns) const {
    const Trace trace = context_.store.snapshot();
    for (int rank = 0; rank < setup_.training.ranks; ++rank) {
      LastOfRank last{.rank = rank, .log = log_of(static_cast<size_t>(rank))};
      for (const RankStory& story : result_.report.ranks) {
        if (story.rank != rank) continue;
        last.did_last = story.did_last;
        last.dumped = story.dumped;
        if (!story.dumped || result_.report.stuck.empty()) continue;
        StackOfRank row{rank, fmt::format("rank {}: {}", rank,
                                          stack_of(trace, *trace.find(setup_.section), rank, at_ns))};
        if (story.waits_in)
          row.stack += fmt::format(" > {} of group {} ({})", to_string(story.waits_in->op),
                                   story.waits_in->group, story.waits_in->tag);
        record_row(context_.store.recorder(setup_.section, rank), row);
      }
      record_row(context_.store.recorder(setup_.section, rank), last);
    }
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
