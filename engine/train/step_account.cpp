#include "ringside/train/step_account.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ringside/comm/link_record.h"
#include "ringside/train/in_turns.h"

namespace ringside::inline training {
namespace {

double seconds(int64_t ns) { return double(ns) * 1e-9; }

struct OneStep {
  int64_t start_ns, end_ns;
  SpanEvent update;
  std::vector<SpanEvent> waits = {};
  bool has(int64_t time_ns) const { return time_ns >= start_ns && time_ns <= end_ns; }
  StepPiece piece(int64_t from_ns, int64_t to_ns, std::string what) const {
    return {seconds(from_ns - start_ns), seconds(to_ns - start_ns), std::move(what)};
  }
};

// Rank 0's record of one section.
class StepReader {
 public:
  StepReader(const Trace& trace, const SectionView& section)
      : trace_(trace), section_(section), link_(link_in(section)), cpu_(cpu_of_rounds(section, 0)) {
    for (int rank = 0; rank < section.ranks(); ++rank)
      for (const CollectiveEvent& call : section.collectives(rank)) {
        if (call.state != CollectiveState::kCompleted) continue;
        int64_t& joined = joined_[call.collective_seq_id];
        joined = std::max(joined, call.time_started_ns);
        if (rank == 0) calls_.push_back(call);
      }
    for (const SpanEvent& span : section.spans(0)) {
      const std::string& name = trace.name(span.name);
      if (name == "step")
        steps_.push_back(span);
      else if (name == "update")
        updates_.push_back(span);
      else
        (name.starts_with("wait for") ? waits_ : units_).push_back(span);
    }
  }

  std::vector<StepAccount> read() const {
    std::vector<StepAccount> all;
    for (const SpanEvent& step : steps_)
      for (const SpanEvent& update : updates_)
        if (step.step == update.step && step.step >= kWarmUpSteps) all.push_back(account(step, update));
    return all;
  }

 private:
  std::optional<StepCall> kind_of(const CollectiveEvent& call, const SpanEvent& update) const {
    const std::string& tag = trace_.name(call.tag);
    if (tag == "gradients") return StepCall::kGradients;
    if (tag == "norm") return StepCall::kNorm;
    if (tag != "parameters") return std::nullopt;
    if (call.time_created_ns >= update.start_ns) return StepCall::kUpdateGather;
    // A unit is asked for before it begins; the span that begins next says in which pass.
    const auto next = std::ranges::find_if(
        units_, [&](const SpanEvent& unit) { return unit.start_ns >= call.time_created_ns; });
    return next != units_.end() && trace_.name(next->name) == "backward" ? StepCall::kBackwardGather
                                                                         : StepCall::kForwardGather;
  }

  StepAccount account(const SpanEvent& of, const SpanEvent& update) const {
    OneStep step{of.start_ns, update.end_ns, update};
    for (const SpanEvent& wait : waits_)
      if (step.has(wait.start_ns)) step.waits.push_back(wait);
    StepAccount result;
    result.step = seconds(update.end_ns - of.start_ns);
    result.compute = result.step - seconds(add_spans(step, result.rank));
    if (const auto round = size_t(of.step - kWarmUpSteps); round < cpu_.size())
      result.compute = std::min(result.compute, 1e-9 * cpu_[round]);
    for (const CollectiveEvent& call : calls_)
      if (step.has(call.time_created_ns)) add_call(step, call, result);
    result.others = std::max(0.0, result.step - result.compute - result.all().exposed);
    return result;
  }

  // What the rank did, with its waits. ns that it waited.
  int64_t add_spans(const OneStep& step, std::vector<StepPiece>& pieces) const {
    std::vector<SpanEvent> busy = {step.update};
    for (const SpanEvent& unit : units_)
      if (step.has(unit.start_ns)) busy.push_back(unit);
    for (const SpanEvent& span : busy) {  // between its waits
      int64_t from = span.start_ns;
      for (const SpanEvent& wait : step.waits) {
        if (wait.start_ns < from || wait.end_ns > span.end_ns) continue;
        pieces.push_back(step.piece(from, wait.start_ns, trace_.name(span.name)));
        from = wait.end_ns;
      }
      pieces.push_back(step.piece(from, span.end_ns, trace_.name(span.name)));
    }
    int64_t waited_ns = 0;
    for (const SpanEvent& wait : step.waits) {
      waited_ns += wait.end_ns - wait.start_ns;
      pieces.push_back(step.piece(wait.start_ns, wait.end_ns, trace_.name(wait.name)));
    }
    return waited_ns;
  }

  void add_call(const OneStep& step, const CollectiveEvent& call, StepAccount& result) const {
    const auto kind = kind_of(call, step.update);
    if (!kind) return;
    const int64_t joined = joined_.at(call.collective_seq_id);
    int64_t exposed = 0;
    for (const SpanEvent& wait : step.waits)
      exposed += std::max<int64_t>(
          0, std::min(wait.end_ns, call.time_completed_ns) - std::max(wait.start_ns, joined));
    Carried& carried = result.kinds[size_t(*kind)];
    ++carried.calls;
    carried.bytes += double(call.bytes_sent);
    carried.model += link_.seconds(hops(call.op, section_.ranks()), call.bytes_sent);
    carried.wire += seconds(call.time_completed_ns - joined);
    carried.exposed += seconds(exposed);
    result.wire.push_back(step.piece(joined, call.time_completed_ns, std::string(to_string(*kind))));
  }

  const Trace& trace_;
  const SectionView& section_;
  const LinkModel link_;
  const std::vector<double> cpu_;      // ns of each round
  std::map<int64_t, int64_t> joined_;  // by the call's number: when the last rank had come, ns
  std::vector<CollectiveEvent> calls_;
  std::vector<SpanEvent> steps_, updates_, waits_, units_;
};

}  // namespace

std::span<const std::string_view> texts(StepCall) {
  static constexpr std::string_view kTexts[] = {"forward gather", "backward gather", "gradients", "norm",
                                                "update gather"};
  return kTexts;
}

Carried StepAccount::all() const {
  Carried sum;
  for (const Carried& one : kinds) {
    sum.calls += one.calls;
    sum.bytes += one.bytes;
    sum.model += one.model;
    sum.wire += one.wire;
    sum.exposed += one.exposed;
  }
  return sum;
}

std::vector<StepAccount> step_accounts(const Trace& trace, const SectionView* section) {
  if (section == nullptr || section->ranks() == 0) return {};
  return StepReader(trace, *section).read();
}

std::optional<StepAccount> median_step(std::vector<StepAccount> steps) {
  if (steps.empty()) return std::nullopt;
  const auto middle = steps.begin() + (std::ssize(steps) - 1) / 2;
  std::nth_element(steps.begin(), middle, steps.end(),
                   [](const StepAccount& a, const StepAccount& b) { return a.step < b.step; });
  return *middle;
}

bool is_crowded(const Trace& trace, const SectionView* section) {
  const auto step = median_step(step_accounts(trace, section));
  return step && section->has(kCores) && section->integer(kCores) < section->ranks() &&
         step->all().model <= step->compute;
}

std::optional<RatioInterval> step_ratio(const Trace& trace, const SectionView* section,
                                        const SectionView* base) {
  const auto seconds_of = [&](const SectionView* of) {
    std::vector<double> all;
    for (const StepAccount& step : step_accounts(trace, of)) all.push_back(step.step);
    return all;
  };
  const auto mine = seconds_of(section), first = seconds_of(base);
  if (is_crowded(trace, base) || mine.empty() || mine.size() != first.size()) return std::nullopt;
  return ratio_interval(mine, first);
}

}  // namespace ringside::inline training
