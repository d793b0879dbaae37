#include "update_parts.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "numel.h"
#include "ringside/base/bfloat16.h"
#include "ringside/base/check.h"

namespace ringside {
namespace {

template <typename Real>
const UpdateOf<Real>& rule_of(const OptimizerSpec& spec, const Update& update) {
  RINGSIDE_CHECK(update.of<Real>() != nullptr, spec.name << " is written for float");
  return update.of<Real>();
}

template <typename Real>
void check(const OptimizerSpec& spec, const ElementsOf<Real>& elements) {
  const bool elementwise = spec.granularity == Granularity::kElement;
  const bool is_double = std::is_same_v<Real, double>;
  RINGSIDE_CHECK((elements.gradient_dtype == Dtype::kFloat64) == is_double &&
                     (is_double || elements.gradient_dtype == Dtype::kFloat32 ||
                      elements.gradient_dtype == Dtype::kBFloat16),
                 "gradients are fp32 or bf16, or all is fp64");
  RINGSIDE_CHECK(elementwise || !elements.shape.empty(), spec.name << " updates whole parameters only");
}

template <typename Real>
std::shared_ptr<Real[]> room_for(int64_t count, const UpdateExchange& exchange) {
  if constexpr (std::is_same_v<Real, float>)
    return exchange.room(count);
  else
    return std::make_shared<Real[]>(static_cast<size_t>(count));
}

// Of each parameter one after the other, or of all together. Each part finds its parameter's in `sums`.
template <typename Real>
std::vector<double> add_up(const OptimizerSpec& spec, const SumsSpec& sums,
                           std::vector<PartOf<Real>>& parts) {
  const bool together = spec.granularity == Granularity::kGlobal;
  std::vector<int64_t> begin;
  int64_t end = 0;
  for (const PartOf<Real>& part : parts) {
    const int64_t count = sums.count(part.elements.shape, part.values);
    begin.push_back(together ? 0 : end);
    end = begin.back() + count;
  }
  std::vector<double> all(static_cast<size_t>(end));
  for (size_t i = 0; i < parts.size(); ++i) {
    auto& [elements, values, options] = parts[i];
    elements.sums.push_back(all.data() + begin[i]);
    if (elements.count > 0) rule_of<Real>(spec, sums.add)(elements, values, options);
  }
  return all;
}

// Writes what is to be changed of the parameters that are needed whole, and has it changed. The work space is
// returned, as the update reads it.
template <typename Real>
std::shared_ptr<Real[]> change_whole(const OptimizerSpec& spec, const WholeSpec& whole,
                                     std::vector<PartOf<Real>>& parts, const UpdateExchange& exchange) {
  const auto is_needed = [&](const PartOf<Real>& part) { return whole.of(part.elements.shape, part.values); };
  int64_t count = 0;
  for (const PartOf<Real>& part : parts)
    if (is_needed(part)) count += part.elements.count;
  const std::shared_ptr<Real[]> room = room_for<Real>(count, exchange);
  Real* free = room.get();
  std::vector<WholePartOf<Real>> changed;
  for (PartOf<Real>& part : parts) {
    if (!is_needed(part)) continue;
    auto& [elements, values, options] = part;
    elements.whole = std::exchange(free, free + elements.count);
    if (elements.count > 0) rule_of<Real>(spec, whole.before)(elements, values, options);
    changed.push_back({elements.first, elements.count, optimizers::numel(elements.shape), elements.whole,
                       [&spec, &whole, &part](Real* all) {
                         ElementsOf<Real> one;
                         one.shape = part.elements.shape;
                         one.whole = all;
                         rule_of<Real>(spec, whole.change)(one, part.values, part.options);
                       }});
  }
  if constexpr (std::is_same_v<Real, float>)
    exchange.change(changed);
  else
    for (const auto& part : changed)
      if (part.count > 0) part.change(part.values);
  return room;
}

template <typename Real>
void update_part(const OptimizerSpec& spec, const PartOf<Real>& part) {
  const ElementsOf<Real>& e = part.elements;
  rule_of<Real>(spec, spec.update)(e, part.values, part.options);
  if (e.rounded == nullptr || spec.update.rounds) return;
  for (int64_t i = 0; i < e.count; ++i) e.rounded[i] = float_to_bf16(static_cast<float>(e.weights[i]));
}

}  // namespace

template <typename Real>
void update_parts(const OptimizerSpec& spec, std::vector<PartOf<Real>> parts,
                  const UpdateExchange& exchange) {
  for (const PartOf<Real>& part : parts) check(spec, part.elements);
  std::vector<std::vector<double>> rounds;
  for (const SumsSpec& sums : spec.sums) {
    rounds.push_back(add_up(spec, sums, parts));
    exchange.sum(rounds.back(), sums.meaning);
  }
  std::shared_ptr<Real[]> room;
  if (spec.whole) room = change_whole(spec, *spec.whole, parts, exchange);
  for (const PartOf<Real>& part : parts)
    if (part.elements.count > 0) update_part(spec, part);
}

template void update_parts<float>(const OptimizerSpec&, std::vector<PartOf<float>>, const UpdateExchange&);
template void update_parts<double>(const OptimizerSpec&, std::vector<PartOf<double>>, const UpdateExchange&);

}  // namespace ringside
