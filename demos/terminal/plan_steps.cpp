// `ringside plan steps`: which optimizer step a collective's sequence number belongs to.
#include "ringside/planner/sequence.h"

#include <fmt/format.h>

#include <ostream>

#include "commands.h"
#include "json_text.h"
#include "plan_page.h"
#include "ringside/base/text.h"
#include "ringside/base/units.h"

namespace ringside {
namespace {

void steps_json(const PlanOptions& plan, const SequenceRules& rules, const std::vector<SequenceFit>& fits,
                std::ostream& out) {
  const Json rows = array_of(fits, [](const SequenceFit& fit) {
    return Json{{"accumulate", fit.accumulate},
                {"calls_of_step", fit.calls},
                {"steps", fit.steps},
                {"rest", fit.rest}};
  });
  write_json({{"schema", kJsonSchema},
              {"plan", "steps"},
              {"setup",
               {{"number", plan.number},
                {"broadcasts", rules.broadcasts},
                {"buckets", rules.buckets},
                {"parameter_groups", rules.parameter_groups}}},
              {"fits", rows}},
             out);
}

void steps_text(const PlanOptions& plan, const SequenceRules& rules, const std::vector<SequenceFit>& fits,
                PlanPage& out) {
  const auto number = format_count(plan.number), first = format_count(rules.broadcasts);
  out.line(
      fmt::format("SeqNum {} = {} broadcasts + S × ({} g + {}) + 1   S whole steps, g micro-batches a step",
                  number, first, rules.buckets, rules.calls_of_step(0)));
  out << '\n';
  if (fits.empty()) {
    out << "    it is one of the broadcasts at the start\n";
    return;
  }
  std::vector<std::vector<std::string>> rows;
  for (const SequenceFit& fit : fits)
    rows.push_back({std::to_string(fit.accumulate),
                    fmt::format("{} + {} × {} + {}", first, format_count(fit.steps), fit.calls, fit.rest + 1),
                    fit.fits() ? "✓ the first collective after a step boundary"
                               : fmt::format("in the middle of a step: its call {}", fit.rest + 1)});
  out.table({" g", "SeqNum", "which call it is"}, rows);
  out << '\n';
  out.line(
      "One broadcast a named parameter, one all-reduce a bucket, and at the end of a step two calls a "
      "parameter group (norm, gather). Counted on DeepSpeed's own group, ZeRO-2, bf16.",
      4);
}

}  // namespace

ExitCode plan_steps(const Options& options, std::ostream& out) {
  const PlanOptions& plan = options.plan;
  const BucketPlan buckets = plan_buckets(shapes_of(plan), {plan.bucket_size, plan.order});
  const SequenceRules rules{int64_t(buckets.tensors), std::ssize(buckets.buckets), plan.parameter_groups};
  const auto fits = fit_sequence(plan.number, rules);
  PlanPage page{out, size_t(summary_width(options))};
  options.json ? steps_json(plan, rules, fits, out) : steps_text(plan, rules, fits, page);
  return ExitCode::kOk;
}

}  // namespace ringside
