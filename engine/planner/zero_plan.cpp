#include "ringside/planner/zero_plan.h"

#include <algorithm>
#include <utility>

#include "ringside/base/error.h"
#include "ringside/planner/update_plan.h"
#include "zero_formula.h"

namespace ringside::inline planner {
namespace {

// Adds " + <factor><text>", leaving out a factor of 0.
void add_term(std::string& formula, int64_t factor, const std::string& text) {
  if (factor == 0) return;
  if (!formula.empty()) formula += " + ";
  formula += (factor == 1 ? "" : std::to_string(factor)) + text;
}

std::string state_formula(const ZeroSetup& setup) {
  const StateWidths width = state_widths(setup.precision, setup.optimizer);
  int64_t whole = 0, shards = 0;
  const auto book = [&](int64_t bytes, int cut_from) { (setup.stage >= cut_from ? shards : whole) += bytes; };
  book(width.parameter, 3);
  book(width.gradient, 2);
  book(width.optimizer, 1);
  if (keeps_whole_gradients(setup)) whole += width.gradient;
  const std::string shard = setup.replicas == 1 ? "/N" : "/(N/M)";
  std::string formula;
  add_term(formula, whole, "Ψ");
  add_term(formula, shards, "Ψ" + shard);
  if (needs_shapes(setup.optimizer)) add_term(formula, 1, setup.stage >= 1 ? "Z" + shard : "Z");
  if (setup.frozen > 0) add_term(formula, width.parameter, setup.stage >= 3 ? "Ψ₀" + shard : "Ψ₀");
  return formula;
}

std::string traffic_formula(const ZeroSetup& setup) {
  const auto times = transfers_per_step(setup);
  std::string formula;
  add_term(formula, times.gradients + times.parameters, "fΨ");
  if (setup.frozen > 0) add_term(formula, times.frozen, "fΨ₀");
  if (setup.replicas > 1) formula += " + 2(M-1)Ψ/N";
  return formula;
}

// Bytes of one rank, on average over the ranks of a copy.
double state_by_shape(const ZeroSetup& setup) {
  if (!needs_shapes(setup.optimizer)) return 0;
  if (setup.shapes.empty())
    throw UsageError(
        "optimizer={} keeps rows and columns of matrices, so that its bytes follow "
        "from their shapes: a model is needed",
        setup.optimizer.name);
  const UpdatePlan plan(setup, setup.ranks, setup.optimizer, setup.shapes);
  const auto ranks = double(setup.stage == 0 ? 1 : shard_ranks(setup.ranks, setup));
  return double(plan.state_bytes_of_copy()) / ranks;
}

}  // namespace

void check_zero(int ranks, const Distribution& d) {
  if (ranks < 1) throw UsageError("ranks={}: at least 1", ranks);
  if (d.stage < 0 || d.stage > 3) throw UsageError("stage={}: allowed are 0 to 3", d.stage);
  if (d.accumulate < 1) throw UsageError("accumulate={}: at least 1", d.accumulate);
  check_replicas(ranks, d);
}

bool needs_shapes(const OptimizerConfig& optimizer) {
  return std::ranges::any_of(
      kept_state(optimizer), [](Per per) { return per != Per::kElement; }, &StateSpec::per);
}

StateWidths state_widths(Precision precision, const OptimizerConfig& optimizer) {
  constexpr int64_t kMaster = 4;  // the fp32 copy that bf16 parameters are rounded from
  const auto state = 4 * std::ranges::count(kept_state(optimizer), Per::kElement, &StateSpec::per);
  if (precision == Precision::kFloat32) return {4, 4, state};
  return {2, 2, kMaster + state};
}

StateBytes zero_state(const ZeroSetup& setup) {
  check_zero(setup.ranks, setup);
  const StateWidths width = state_widths(setup.precision, setup.optimizer);
  const StateParts parts = state_parts(setup, setup.ranks);
  const int64_t gradients = parts.gradients + (keeps_whole_gradients(setup) ? setup.ranks : 0);
  const double by_shape = state_by_shape(setup);
  const auto kept = [&](double elements, int64_t bytes, int64_t of_ranks) {
    return elements * double(bytes * of_ranks) / setup.ranks;
  };
  return {kept(setup.parameters + setup.frozen, width.parameter, parts.parameters),
          kept(setup.parameters, width.gradient, gradients),
          kept(setup.parameters, width.optimizer, parts.optimizer) + by_shape};
}

TrafficElements zero_traffic(const ZeroSetup& setup) {
  check_zero(setup.ranks, setup);
  const auto times = transfers_per_step(setup);
  const auto M = double(setup.replicas);
  const double f = (setup.ranks - M) / setup.ranks;
  return {static_cast<double>(times.gradients) * f * setup.parameters,
          double(times.parameters) * f * setup.parameters + double(times.frozen) * f * setup.frozen,
          2 * (M - 1) / setup.ranks * setup.parameters};
}

std::vector<PlanStage> plan_stages(ZeroSetup setup) {
  if (!(setup.parameters > 0)) throw UsageError("parameters: must be above 0");
  const int64_t replicas = std::exchange(setup.replicas, 1);  // stage 0 has no shards to keep twice
  const StateWidths width = state_widths(setup.precision, setup.optimizer);
  std::vector<PlanStage> stages;
  for (setup.stage = 0; setup.stage <= 3; ++setup.stage) {
    if (setup.stage == 1) setup.replicas = replicas;
    PlanStage row;
    row.stage = setup.stage;
    row.state = zero_state(setup);
    row.traffic = zero_traffic(setup);
    row.sent_bytes = (row.traffic.gradients + row.traffic.between) * double(width.gradient) +
                     row.traffic.parameters * double(width.parameter);
    row.state_formula = state_formula(setup);
    row.traffic_formula = traffic_formula(setup);
    row.parameters_per_card = kCardBytes * (setup.parameters + setup.frozen) / row.state.total();
    stages.push_back(std::move(row));
  }
  return stages;
}

}  // namespace ringside::inline planner
