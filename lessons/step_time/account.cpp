#include "account.h"
#include "ringside/train/in_turns.h"

namespace ringside::lessons::step_time {
namespace {

double seconds(int64_t ns) { return double(ns) * 1e-9; }

// Rank 0's record of one section.
class Reader {
 public:
  Reader(const Trace& trace, const SectionView& section)
      : trace_(trace), section_(section), cpu_(cpu_of_rounds(section, 0)) {
    if (section.has(kBandwidth)) link_ = {"", section.number(kLatency), section.number(kBandwidth)};
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
  std::optional<Kind> kind_of(const CollectiveEvent& call, const SpanEvent& update) const {
    const std::string& tag = trace_.name(call.tag);
    if (tag == "gradients") return Kind::kGradients;
    if (tag == "norm") return Kind::kNorm;
    if (tag != "parameters") return std::nullopt;
    if (call.time_created_ns >= update.start_ns) return Kind::kUpdated;
    // A unit is asked for before it begins; the span that begins next says in which pass.
    const auto next = std::find_if(units_.begin(), units_.end(), [&](const SpanEvent& unit) {
      return unit.start_ns >= call.time_created_ns;
    });
    return next != units_.end() && trace_.name(next->name) == "backward" ? Kind::kBackward : Kind::kForward;
  }

  StepAccount account(const SpanEvent& of, const SpanEvent& update) const {
    const int64_t start = of.start_ns;
    StepAccount result;
    int64_t waited_ns = 0, exposed_ns = 0;
    const auto within = [&](int64_t time) { return time >= start && time <= update.end_ns; };
    const auto piece = [&](int64_t from, int64_t to, std::string what) {
      return Piece{seconds(from - start), seconds(to - start), std::move(what)};
    };
    std::vector<SpanEvent> waits, busy = {update};
    for (const SpanEvent& wait : waits_)
      if (within(wait.start_ns)) waits.push_back(wait);
    for (const SpanEvent& unit : units_)
      if (within(unit.start_ns)) busy.push_back(unit);
    for (const SpanEvent& span : busy) {  // between its waits
      int64_t from = span.start_ns;
      for (const SpanEvent& wait : waits) {
        if (wait.start_ns < from || wait.end_ns > span.end_ns) continue;
        result.rank.push_back(piece(from, wait.start_ns, trace_.name(span.name)));
        from = wait.end_ns;
      }
      result.rank.push_back(piece(from, span.end_ns, trace_.name(span.name)));
    }
    for (const SpanEvent& wait : waits) {
      waited_ns += wait.end_ns - wait.start_ns;
      result.rank.push_back(piece(wait.start_ns, wait.end_ns, trace_.name(wait.name)));
    }
    result.step = seconds(update.end_ns - start);
    result.compute = result.step - seconds(waited_ns);
    if (const auto round = size_t(of.step - kWarmUpSteps); round < cpu_.size())
      result.compute = std::min(result.compute, 1e-9 * cpu_[round]);
    for (const CollectiveEvent& call : calls_) {
      const auto kind = within(call.time_created_ns) ? kind_of(call, update) : std::nullopt;
      if (!kind) continue;
      const int64_t joined = joined_.at(call.collective_seq_id);
      int64_t exposed = 0;
      for (const SpanEvent& wait : waits)
        exposed += std::max<int64_t>(
            0, std::min(wait.end_ns, call.time_completed_ns) - std::max(wait.start_ns, joined));
      Carried& carried = result.kinds[size_t(*kind)];
      ++carried.calls;
      carried.bytes += double(call.bytes_sent);
      carried.model += link_.seconds(hops(call.op, section_.ranks()), call.bytes_sent);
      carried.wire += seconds(call.time_completed_ns - joined);
      carried.exposed += seconds(exposed);
      exposed_ns += exposed;
      result.wire.push_back(piece(joined, call.time_completed_ns, name_of(*kind)));
    }
    result.others = std::max(0.0, result.step - result.compute - seconds(exposed_ns));
    return result;
  }

  const Trace& trace_;
  const SectionView& section_;
  LinkModel link_;
  const std::vector<double> cpu_;      // ns of each round
  std::map<int64_t, int64_t> joined_;  // by the call's number: when the last rank had come, ns
  std::vector<CollectiveEvent> calls_;
  std::vector<SpanEvent> steps_, updates_, waits_, units_;
};

}  // namespace

std::string section_of(int stage) { return "stage " + std::to_string(stage); }

std::string name_of(Kind kind) {
  const std::string names[] = {tr("forward gather"), tr("backward gather"), tr("gradients"), tr("norm"),
                               tr("update gather")};
  return names[size_t(kind)];
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

std::vector<StepAccount> accounts(const Trace& trace, const SectionView* section) {
  if (section == nullptr || section->ranks() == 0) return {};
  return Reader(trace, *section).read();
}

std::optional<StepAccount> median_step(std::vector<StepAccount> steps) {
  if (steps.empty()) return std::nullopt;
  const auto middle = steps.begin() + (std::ssize(steps) - 1) / 2;
  std::nth_element(steps.begin(), middle, steps.end(),
                   [](const StepAccount& a, const StepAccount& b) { return a.step < b.step; });
  return *middle;
}

std::optional<StepAccount> median_step(const Trace& trace, int stage) {
  return median_step(accounts(trace, trace.find(section_of(stage))));
}

std::vector<double> step_seconds(const Trace& trace, int stage) {
  std::vector<double> all;
  for (const StepAccount& step : accounts(trace, trace.find(section_of(stage)))) all.push_back(step.step);
  return all;
}

std::string crowded(const Trace& trace) {
  const SectionView* section = trace.find(section_of(0));
  const auto step = median_step(trace, 0);
  if (!step || !section->has(kCores) || section->integer(kCores) >= section->ranks()) return "";
  if (step->all().model > step->compute) return "";
  return tr("cannot be told here: {} ranks share {} cores, and the link takes less time than they compute",
            section->ranks(), section->integer(kCores));
}

void check_not_crowded(const Trace& trace) {
  if (const std::string why = crowded(trace); !why.empty()) throw NotRun{why};
}

std::optional<RatioInterval> to_stage_0(const Trace& trace, int stage) {
  if (!crowded(trace).empty()) return std::nullopt;
  const auto mine = step_seconds(trace, stage), first = step_seconds(trace, 0);
  if (mine.empty() || mine.size() != first.size()) return std::nullopt;
  return ratio_interval(mine, first);
}

Sweep sweep_of(const Trace& trace) {
  std::map<int64_t, std::vector<Pass>> by_bucket;
  for (const Pass& pass : rows_in<Pass>(trace.find(kSweep))) by_bucket[pass.bucket].push_back(pass);
  Sweep sweep;
  for (const auto& [bucket, passes] : by_bucket) {
    sweep.buckets.push_back(bucket);
    sweep.medians.push_back(passes.front());
    sweep.seconds.push_back(values_of(passes, &Pass::seconds));
    sweep.medians.back().seconds = median(sweep.seconds.back());
  }
  return sweep;
}

std::optional<int64_t> large_enough(const Sweep& sweep) {
  std::optional<int64_t> least;
  if (sweep.seconds.empty() || std::ssize(sweep.seconds.back()) < kLeastRounds) return least;
  for (size_t i = sweep.buckets.size(); i-- > 0;) {
    const size_t rounds = std::min(sweep.seconds[i].size(), sweep.seconds.back().size());
    const auto first = [&](size_t of) {
      return std::vector<double>(sweep.seconds[of].begin(), sweep.seconds[of].begin() + int64_t(rounds));
    };
    const auto largest = sweep.buckets.size() - 1;
    if (i < largest && side_of(ratio_interval(first(i), first(largest)), 1) == Side::kAbove) break;
    least = sweep.buckets[i];
  }
  return least;
}

std::optional<TwoCoefficients> fit(const std::vector<Pass>& passes) {
  std::vector<TwoTerms> samples;
  for (const Pass& pass : passes) samples.push_back({double(pass.calls), double(pass.bytes), pass.seconds});
  return fit_two_terms(samples);
}

double at(const TwoCoefficients& line, const Pass& pass) {
  return line.a * double(pass.calls) + line.b * double(pass.bytes);
}

}  // namespace ringside::lessons::step_time
