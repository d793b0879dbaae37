// The schedules: as they ran, on the virtual clock, and what they keep.
#include "parts.h"
#include "ringside/lesson/section_title.h"

namespace ringside::lessons::megatron {
namespace {

using namespace figure;

Ink ink_of_pass(int64_t kind) {
  constexpr Ink kInks[] = {Ink::kParameters, Ink::kActivations, Ink::kActivations,
                           Ink::kGradients};  // F, B, I, W
  return kInks[std::clamp<int64_t>(kind, 0, 3)];
}

// The section that is looked at, where it has passes; else the scenario's.
std::string shown(const FigureInput& input) {
  const bool has_passes = input.section != nullptr && !input.section->rows_of(PipelinePass::kTable).empty();
  return has_passes && input.section->name() != kMesh ? input.section->name() : kPipeline;
}
std::string schedule_name(const Passes& passes) {
  return passes.schedule.name.find(' ') == std::string::npos ? passes.schedule.name : tr("your own");
}

std::vector<std::string> stage_names(int stages, const char* behind = "") {
  std::vector<std::string> names;
  for (int stage = 0; stage < stages; ++stage) names.push_back(tr("stage {}{}", stage, behind));
  return names;
}

// The step that the playhead is in, as far as it has come; the lanes of all ranks of any mesh.
Value ran(const FigureInput& input) {
  const SectionView& section = needed(input.section);
  std::vector<std::pair<int, PipelinePass>> rows;  // of ranks
  int64_t step = -1;
  for (const RowEvent* event : section.rows_of(PipelinePass::kTable))
    if (const auto row = row_as<PipelinePass>(*event); row && row->start_ns <= input.time_ns) {
      rows.emplace_back(event->rank, *row);
      step = std::max(step, row->step);
    }
  std::erase_if(rows, [&](const auto& one) { return one.second.step != step; });
  if (rows.empty()) throw NotRun();
  const int64_t first =
      std::ranges::min(rows, {}, [](const auto& one) { return one.second.start_ns; }).second.start_ns;
  const auto ms = [&](int64_t ns) { return double(ns - first) * 1e-6; };
  Lanes lanes{{tr("since step {} began", step), "ms"}, {}, {}};
  for (int rank = 0; rank < section.ranks(); ++rank) lanes.lanes.push_back(tr("rank {}", rank));
  for (const auto& [rank, row] : rows)
    lanes.items.push_back({size_t(rank), ms(row.start_ns),
                           row.end_ns <= input.time_ns ? ms(row.end_ns) : kNone, row.pass,
                           ink_of_pass(row.kind)});
  return lanes;
}

std::vector<Attribute> ran_sentence(const FigureInput& input) { return {title_of(needed(input.section))}; }

Value on_clock(const FigureInput& input) {
  const Passes passes = passes_of(input.trace, shown(input));
  const PipelineReplay again = replay(passes.schedule, passes.costs());
  const int p = passes.schedule.stages, v = passes.schedule.chunks;
  Lanes lanes{{tr("on the virtual clock"), "ms"}, stage_names(p), {}};
  lanes.lanes.push_back(tr("critical path"));
  const auto add = [&](size_t lane, const PipelineSpan& span, std::string name) {
    lanes.items.push_back(
        {lane, span.start * 1e3, span.end * 1e3, std::move(name), ink_of_pass(span.pass.kind)});
  };
  for (const auto& of_stage : again.spans)
    for (const PipelineSpan& span : of_stage) add(size_t(span.stage), span, text_of(span.pass, v));
  const PipelineSpan* before = nullptr;
  for (const PathPiece& piece : again.critical_path) {
    if (piece.is_message) continue;
    add(size_t(p), piece.span, fmt::format("{}:{}", piece.span.stage, text_of(piece.span.pass, v)));
    if (before != nullptr && before->stage != piece.span.stage)
      lanes.arrows.push_back(
          {size_t(before->stage), size_t(piece.span.stage), before->end * 1e3, piece.span.start * 1e3});
    before = &piece.span;
  }
  return lanes;
}

std::vector<Attribute> clock_sentence(const FigureInput& input) {
  const Passes passes = passes_of(input.trace, shown(input));
  const PipelineTime time = passes.measured();
  return {schedule_name(passes), format_duration(time.total), 100 * time.bubble_of_whole()};
}

// Stage 0's activations behind each pass, at the pass's end on a clock of equal costs.
Line memory_of(const Passes& passes, std::string name, Ink ink, Stroke stroke, size_t stage) {
  const auto spans = replay(passes.schedule, equal_costs(passes.schedule.chunks)).spans.at(stage);
  Line line{std::move(name), ink, stroke, {{0, 0}}};
  for (size_t i = 0; i < spans.size(); ++i) {
    line.points.push_back({spans[i].start, line.points.back().y});
    line.points.push_back({spans[i].end, double(passes.rows[stage].at(i).activations)});
  }
  return line;
}

Value mountain(const FigureInput& input) {
  Lines lines{
      {tr("virtual time, in forwards of a stage")}, {tr("activations of stage 0"), "bytes", false, 0.0}, {}};
  for (const std::string& name : schedules())
    if (has_ended(input.trace, name))
      lines.lines.push_back(
          memory_of(passes_of(input.trace, name), name, hue(lines.lines.size()), Stroke::kMeasured, 0));
  return lines;
}

std::vector<Attribute> mountain_sentence(const FigureInput& input) {
  const Passes hill = passes_of(input.trace, "gpipe"), flat = passes_of(input.trace, kPipe);
  return {hill.kept(), flat.kept()};
}

Value peaks(const FigureInput& input) {
  Bars bars{{tr("activations at most"), "bytes"}, {}, {}, false};
  for (const std::string& name : schedules()) {
    if (!has_ended(input.trace, name)) continue;
    const Passes passes = passes_of(input.trace, name);
    const LiveActivations live = live_activations(passes.schedule);
    if (bars.parts.empty())
      for (const std::string& stage : stage_names(passes.schedule.stages))
        bars.parts.push_back({stage, hue(bars.parts.size())});
    bars.rows.push_back({name, passes.peak(), tr("checker: {}", fmt::join(live.peak, " "))});
  }
  return bars;
}

std::string peaks_sentence(const FigureInput&) {
  return tr(
      "Behind the bars: parts of micro-batches that live at once on each stage, as the checker counts them "
      "before anything runs.");
}

Value compared(const FigureInput& input) {
  Table table{columns({"schedule", "waits [%]", "measured [%]", "stage 0 keeps", "all send"}), {}};
  std::vector<std::string> names = schedules();
  if (is_typed(input.config)) names.push_back(kPipeline);
  for (const std::string& name : names) {
    if (!has_ended(input.trace, name)) continue;
    if (ended(input.trace, name).name() == kPipeline) table.lit = {table.rows.size()};
    const Passes passes = passes_of(input.trace, name);
    const double sent = mean_sent(input.trace, name.c_str()).pp * passes.schedule.stages;
    table.rows.push_back(cells(schedule_name(passes), cell(100 * passes.equal().bubble_of_whole(), 1),
                               cell(100 * passes.measured().bubble_of_whole(), 1),
                               bytes_cell(passes.peak()[0]), bytes_cell(sent)));
  }
  return table;
}

std::vector<Attribute> compared_sentence(const FigureInput& input) {
  const PipelineTime time = passes_of(input.trace, kPipe).equal();
  return {100 * time.bubble_of_whole(), 100 * time.bubble_of_ideal()};
}

Value wall(const FigureInput& input) {
  const WallTimes times = wall_times(input.trace);
  Lines lines{{tr("step of 2 stages")}, {tr("time"), "ms", false, 0.0}, {}};
  const auto add = [&](std::string name, Ink ink, Stroke stroke, const std::vector<double>& of) {
    Line& line = lines.lines.emplace_back(Line{std::move(name), ink, stroke, {}});
    for (size_t i = 0; i < of.size(); ++i) line.points.push_back({double(i + 1), of[i] * 1e3});
  };
  add(tr("clock, CPU times"), Ink::kParameters, Stroke::kMeasured, times.by_cpu);
  add(tr("clock, times taken"), Ink::kActivations, Stroke::kMeasured, times.by_elapsed);
  add(tr("wall time"), Ink::kText, Stroke::kDots, times.wall);
  return lines;
}

std::vector<Attribute> wall_sentence(const FigureInput& input) {
  const WallTimes times = wall_times(input.trace);
  return {to_text(ratio_interval(times.wall, times.by_cpu)), times.crowded()};
}

// Of the scenario alone: as it is planned, at equal costs; where it hangs, up to there, and who waits for
// whom.
Value plan(const FigureInput& input) {
  const PipelineSchedule schedule = schedule_of(input.config);
  const auto hang = find_hang(schedule, SendMode::kAsync);
  return listing_of(drawing_of(schedule) + (hang ? "\n" + hang->sentence : ""));
}

}  // namespace

std::vector<FigureOf> time_figures() {
  return {{"ran", ran, ran_sentence},
          {"clock", on_clock, clock_sentence},
          {"mountain", mountain, mountain_sentence},
          {"peaks", peaks, peaks_sentence},
          {"schedules", compared, compared_sentence},
          {"wall", wall, wall_sentence},
          {"plan", plan}};
}

}  // namespace ringside::lessons::megatron
