// What is computed without a run; `ringside` becomes it for `plan`, `flight`, `autopsy` and `ps simulate`.
#include "commands.h"
#include "program.h"

namespace ringside {
namespace {

ExitCode plan(const Options& options, std::ostream& out) {
  if (options.plan.kind == PlanKind::kMesh) return plan_mesh(options, out);
  if (options.plan.kind == PlanKind::kBuckets) return plan_reducer(options, out);
  if (options.plan.kind == PlanKind::kSchedule) return plan_schedule(options, out);
  if (options.plan.kind == PlanKind::kSteps) return plan_steps(options, out);
  return options.plan.kind == PlanKind::kExplain ? plan_explain(options, out) : plan_zero(options, out);
}

ExitCode dispatch(const Options& options, std::ostream& out) {
  if (options.command == Command::kPlan) return plan(options, out);
  if (options.command == Command::kFlight) return merge_flight(options, out);
  if (options.command == Command::kAutopsy) return show_autopsy(options, out);
  if (options.command == Command::kPs && options.ps.kind == PsKind::kSimulate)
    return ps_simulate(options, out);
  throw UsageError("ringside-plan is what ringside calls; call ringside");
}

}  // namespace
}  // namespace ringside

int main(int argc, char** argv) { return ringside::run_program(argc, argv, ringside::dispatch); }
