#include "ringside/pipeline/clock.h"

#include <utility>

#include "clock_run.h"
#include "ringside/base/error.h"
#include "ringside/pipeline/check.h"

namespace ringside::inline pipeline {
namespace {

ClockRun whole_run(const PipelineSchedule& schedule, const PipelineCosts& costs, bool keep) {
  ClockRun run(schedule, costs, keep);
  if (!run.finished())
    throw UsageError(schedule.name + ": " + find_hang(schedule, SendMode::kAsync)->sentence);
  return run;
}

}  // namespace

PipelineCosts equal_costs(int v, double forward) {
  return {.pass = [each = forward / v](int, const StepPass& pass) {
    return pass.kind == StepPass::kBackward ? 2 * each : each;
  }};
}

std::function<double(const PipelineMessage&)> over_link(
    const LinkModel& link, std::function<int64_t(const PipelineMessage&)> bytes) {
  return [link, bytes = std::move(bytes)](const PipelineMessage& message) {
    return link.seconds(1, bytes(message));
  };
}

PipelineTime time_of(const PipelineSchedule& schedule, const PipelineCosts& costs) {
  return whole_run(schedule, costs, false).time();
}

PipelineReplay replay(const PipelineSchedule& schedule, const PipelineCosts& costs) {
  ClockRun run = whole_run(schedule, costs, true);
  PipelineReplay result{.time = run.time()};
  result.critical_path = run.critical_path();
  result.spans = std::move(run.spans());
  return result;
}

}  // namespace ringside::inline pipeline
