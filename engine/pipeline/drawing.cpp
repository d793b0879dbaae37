#include <fmt/format.h>

#include <cmath>

#include "clock_run.h"
#include "ringside/base/text.h"

namespace ringside::inline pipeline {
namespace {

// "F3"; of two chunks the second has small letters, of more each has its number.
std::string cell_text(const StepPass& pass, int chunks) {
  std::string text = text_of(pass, chunks > 2 ? chunks : 1);
  if (chunks == 2) text = text_of({pass.kind, pass.micro, 0}, 1);
  if (chunks == 2 && pass.chunk == 1) text.front() = static_cast<char>(text.front() - 'A' + 'a');
  return text;
}

}  // namespace

ScheduleDrawing lanes_of(const PipelineSchedule& schedule) {
  require_complete(schedule);
  const int v = schedule.chunks;
  const PipelineCosts costs = equal_costs(1);  // a chunk is one unit
  ClockRun run(schedule, costs, true);
  const size_t unit = cell_text({StepPass::kForward, schedule.micro_batches - 1, v - 1}, v).size();
  const bool finished = run.finished();
  ScheduleDrawing drawing{.unit = unit};
  for (int stage = 0; stage < schedule.stages; ++stage) {
    const auto& list = schedule.of_stage[static_cast<size_t>(stage)];
    const auto& spans = run.spans()[static_cast<size_t>(stage)];
    std::string lane;
    for (const PipelineSpan& span : spans) {
      lane.resize(static_cast<size_t>(std::lround(span.start)) * unit, '.');
      std::string cell = cell_text(span.pass, v);
      cell.resize(static_cast<size_t>(std::lround(span.end - span.start)) * unit, '-');
      lane += cell;
    }
    if (spans.size() < list.size())
      lane += (lane.empty() ? "| " : " | ") + cell_text(list[spans.size()], v);
    else if (finished)
      lane.resize(static_cast<size_t>(std::lround(run.time().total)) * unit, '.');
    drawing.lanes.push_back(std::move(lane));
  }
  return drawing;
}

std::string drawing_of(const PipelineSchedule& schedule) {
  const size_t label = fmt::format("stage {}  ", schedule.stages - 1).size();
  const ScheduleDrawing drawn = lanes_of(schedule);
  std::string drawing;
  for (int stage = 0; const std::string& lane : drawn.lanes)
    drawing += pad(fmt::format("stage {}", stage++), label) + lane + "\n";
  return drawing;
}

}  // namespace ringside::inline pipeline
