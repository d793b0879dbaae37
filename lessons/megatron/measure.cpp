// What was sent over which dimension, what each pass cost and kept: from the trace alone.
#include "parts.h"
#include "ringside/figures/step_windows.h"

namespace ringside::lessons::megatron {
namespace {

// In what a rank sends for one dimension of the mesh; null: for none (norms, hashes, first values).
double* over(Sent& sent, const Trace& trace, const CollectiveEvent& event) {
  const std::string& tag = trace.name(event.tag);
  if (tag.starts_with("activation")) return event.op == Op::kSend ? &sent.pp : &sent.tp;
  if (tag == "norm gradients") return &sent.tp;
  return tag == "gradients" || tag == "parameters" ? &sent.dp : nullptr;
}

PipelineSchedule schedule_that_ran(const SectionView& section,
                                   const std::vector<std::vector<PipelinePass>>& rows) {
  PipelineSchedule schedule;
  schedule.name = section.text("pipeline");
  schedule.order = schedule.name == "zb_v" ? ChunkOrder::kVee : ChunkOrder::kInTurns;
  schedule.stages = int(rows.size()), schedule.chunks = int(section.integer("chunks"));
  schedule.micro_batches = section.integer("accumulate");
  for (const auto& of_stage : rows) {
    StepSchedule& list = schedule.of_stage.emplace_back();
    for (const PipelinePass& row : of_stage)
      if (row.step == 0) list.push_back({StepPass::Kind(row.kind), row.micro, int(row.chunk)});
  }
  try {
    require_complete(schedule);
    if (find_hang(schedule, SendMode::kAsync)) throw NotRun();
  } catch (const UsageError&) {  // a trace of something else, or of half a step
    throw NotRun();
  }
  return schedule;
}

}  // namespace

const SectionView& ended(const Trace& trace, const std::string& name) {
  const SectionView* section = trace.find(name);
  const SectionView* const chosen = trace.find(kPipeline);
  if (section == nullptr && chosen != nullptr && chosen->has("pipeline") && chosen->text("pipeline") == name)
    section = chosen;
  if (section == nullptr || !section->has("steps") || section->integer("steps") < 1) throw NotRun();
  return *section;
}

bool has_ended(const Trace& trace, const std::string& name) {
  try {
    ended(trace, name);
  } catch (const NotRun&) {
    return false;
  }
  return true;
}

int64_t step_begin(const SectionView& section, int rank, int64_t time_ns) {
  figure::StepWindows steps;
  steps.update(section, rank);
  const auto step = steps.at(time_ns);
  return step ? step->start_ns : time_ns;
}

Sent sent_by_rank(const Trace& trace, const SectionView& section, int rank, std::optional<int64_t> until_ns) {
  Sent sent;
  const int64_t from_ns = until_ns ? step_begin(section, rank, *until_ns) : 0;
  const double steps = until_ns ? 1 : double(section.integer("steps"));
  for (const CollectiveEvent& event : section.collectives(rank)) {
    if (event.state != CollectiveState::kCompleted || event.bytes_sent <= 0) continue;
    if (event.time_completed_ns < from_ns || (until_ns && event.time_completed_ns > *until_ns)) continue;
    if (double* const bytes = over(sent, trace, event)) *bytes += double(event.bytes_sent) / steps;
  }
  return sent;
}

Sent mean_sent(const Trace& trace, const char* name) {
  const SectionView& section = ended(trace, name);
  Sent mean;
  for (int rank = 0; rank < section.ranks(); ++rank)
    mean.add(sent_by_rank(trace, section, rank), 1.0 / section.ranks());
  return mean;
}

Sent sent_alone(const Trace& trace) {
  return {mean_sent(trace, kData).dp, mean_sent(trace, kTensor).tp, mean_sent(trace, kPipe).pp};
}

// Of each tag the unit that sends most, which is a layer. (ZeRO-3's gathers are of layers, its sums of
// buckets, one each.)
double layer_bytes(const Trace& trace, const SectionView& section) {
  std::map<NameId, std::map<NameId, double>> by_tag;
  for (int rank = 0; rank < section.ranks(); ++rank)
    for (const CollectiveEvent& event : section.collectives(rank)) {
      Sent any;
      if (event.state == CollectiveState::kCompleted && event.bytes_sent > 0 &&
          over(any, trace, event) != nullptr)
        by_tag[event.tag][event.unit] +=
            double(event.bytes_sent) / section.ranks() / double(section.integer("steps"));
    }
  if (by_tag.empty()) throw NotRun();
  double bytes = 0;
  for (const auto& [tag, units] : by_tag) bytes += std::ranges::max(units | std::views::values);
  return bytes;
}

double peak_activations(const Trace& trace, const char* section) {
  return double(peak_bytes(ended(trace, section), Category::kActivations));
}

LayerCalls layer_calls(const Trace& trace, const char* name) {
  const SectionView& section = ended(trace, name);
  LayerCalls calls;
  const double times = double(section.integer("steps") * section.integer("accumulate"));
  for (const CollectiveEvent& event : section.collectives(0)) {
    if (event.state != CollectiveState::kCompleted || trace.name(event.unit) != "layer 0") continue;
    const std::string& tag = trace.name(event.tag);
    if (tag == "activations") calls.forward += 1 / times;
    if (tag == "activation gradients") calls.backward += 1 / times;
    calls.elements = double(event.bytes_in) / double(size_of(event.dtype));
  }
  if (calls.elements == 0) throw NotRun();
  return calls;
}

// ---- Passes ------------------------------------------------------

Passes passes_of(const Trace& trace, const std::string& name) {
  const SectionView& section = ended(trace, name);
  Passes passes;
  passes.rows.resize(size_t(section.ranks()));
  for (const RowEvent* event : section.rows_of(PipelinePass::kTable))
    if (const auto row = row_as<PipelinePass>(*event)) passes.rows.at(size_t(event->rank)).push_back(*row);
  passes.schedule = schedule_that_ran(section, passes.rows);
  passes.width = section.number(kPassWidth), passes.link = parse_link(section.text(kLink));
  const bool warm = section.integer("steps") > 1;  // the first step is left out
  for (size_t stage = 0; stage < passes.rows.size(); ++stage) {
    const StepSchedule& list = passes.schedule.of_stage[stage];
    std::map<std::array<int64_t, 2>, std::vector<double>> by_kind;
    for (const PipelinePass& row : passes.rows[stage])
      if (!warm || row.step > 0) by_kind[{row.kind, row.chunk}].push_back(double(row.cpu_ns) * 1e-9);
    std::vector<double>& cpu = passes.cpu.emplace_back();
    for (const StepPass& pass : list)
      cpu.push_back(median(needed(by_kind[{int64_t{pass.kind}, pass.chunk}])));
  }
  return passes;
}

PipelineCosts Passes::costs() const {
  std::map<std::array<int64_t, 3>, double> by_kind;
  for (size_t stage = 0; stage < cpu.size(); ++stage)
    for (size_t i = 0; i < cpu[stage].size(); ++i) {
      const StepPass& pass = schedule.of_stage[stage][i];
      by_kind[{int64_t(stage), int64_t{pass.kind}, pass.chunk}] = cpu[stage][i];
    }
  PipelineCosts costs;
  costs.pass = [by_kind](int stage, const StepPass& pass) {
    return by_kind.at({stage, int64_t{pass.kind}, pass.chunk});
  };
  if (link.simulated())
    costs.message = over_link(link, [bytes = int64_t(width)](const PipelineMessage&) { return bytes; });
  return costs;
}

PipelineTime Passes::equal() const { return time_of(schedule, equal_costs(schedule.chunks)); }
PipelineTime Passes::measured() const { return time_of(schedule, costs()); }

std::vector<double> Passes::peak() const {
  std::vector<double> most;
  for (const auto& of_stage : rows)
    most.push_back(double(std::ranges::max(of_stage, {}, &PipelinePass::activations).activations));
  return most;
}

double Passes::kept() const {
  const double one = double(rows.at(0).at(0).activations);  // behind the first forward
  return one > 0 ? peak()[0] / one : NAN;
}

WallTimes wall_times(const Trace& trace) {
  const Passes passes = passes_of(trace, kTwoStages);
  WallTimes times;
  const int64_t steps = trace.find(kTwoStages)->integer("steps");
  for (int64_t step = 1; step < steps; ++step) {
    int64_t first = INT64_MAX, last = 0;
    std::vector<std::vector<PipelinePass>> ran(passes.rows.size());  // (p) in the order of the list
    for (size_t stage = 0; stage < ran.size(); ++stage) {
      for (const PipelinePass& row : passes.rows[stage]) {
        if (row.step != step) continue;
        first = std::min(first, row.start_ns), last = std::max(last, row.end_ns);
        times.cpu += double(row.cpu_ns) * 1e-9, times.elapsed += double(row.end_ns - row.start_ns) * 1e-9;
        ran[stage].push_back(row);
      }
      if (ran[stage].size() != passes.schedule.of_stage[stage].size()) throw NotRun();
    }
    const auto on_clock = [&](const auto& ns_of) {
      const auto seconds = [&](int stage, const StepPass& pass) {
        const StepSchedule& list = passes.schedule.of_stage[size_t(stage)];
        return double(ns_of(ran[size_t(stage)][size_t(std::ranges::find(list, pass) - list.begin())])) * 1e-9;
      };
      return time_of(passes.schedule, {.pass = seconds}).total;
    };
    times.wall.push_back(double(last - first) * 1e-9);
    times.by_cpu.push_back(on_clock([](const PipelinePass& row) { return row.cpu_ns; }));
    times.by_elapsed.push_back(on_clock([](const PipelinePass& row) { return row.end_ns - row.start_ns; }));
  }
  return times;
}

// ---- Where two lines cross ---------------------------------------

std::string crossing_section(bool zero, int64_t tokens) {
  return zero ? tr("ZeRO-3, {} tokens", tokens) : tr("tp, {} tokens", tokens);
}

Crossing crossing_of(const Trace& trace) {
  Crossing crossing;
  for (const SectionView& section : trace.sections()) {
    const bool zero = section.name().starts_with("ZeRO-3, "), tp = section.name().starts_with("tp, ");
    if ((!zero && !tp) || !section.has("steps") || !section.has("parameters")) continue;
    crossing.hidden = section.number(kHidden);
    (zero ? crossing.zero : crossing.tp).push_back({section.number(kTokens), layer_bytes(trace, section)});
  }
  if (crossing.zero.size() < 2 || crossing.tp.size() != crossing.zero.size()) throw NotRun();
  return crossing;
}

double Crossing::at() const {
  for (size_t i = 1; i < tp.size(); ++i) {
    const double before = tp[i - 1].y - zero[i - 1].y, behind = tp[i].y - zero[i].y;
    if (before <= 0 && behind > 0) return tp[i - 1].x + (tp[i].x - tp[i - 1].x) * before / (before - behind);
  }
  return NAN;
}

}  // namespace ringside::lessons::megatron
