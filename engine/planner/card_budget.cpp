#include "ringside/planner/card_budget.h"

#include <algorithm>
#include <cmath>

#include "ringside/base/least_squares.h"
#include "ringside/planner/model_shapes.h"

namespace ringside::inline planner {

double ActivationTerms::bytes(const ActivationSizes& of) const {
  return double(of.L) * double(of.s * of.b) * (hidden * double(of.h) + scores * double(of.a * of.s));
}

ActivationTerms listed_terms(const TextSizes& model) {
  const double I = double(model.intermediate) / double(model.hidden),
               kv = double(model.kv_heads) / double(model.heads);
  return {22 + 4 * kv + 8 * I, 6};
}

std::optional<ActivationTerms> fit_terms(const std::vector<CountedActivations>& counted) {
  std::vector<TwoTerms> samples;
  for (const auto& [sizes, bytes] : counted)
    samples.push_back({ActivationTerms{1, 0}.bytes(sizes), ActivationTerms{0, 1}.bytes(sizes), bytes});
  const auto found = fit_two_terms(samples);
  return found ? std::optional(ActivationTerms{found->a, found->b}) : std::nullopt;
}

ClassifierConfig small_model(const TextSizes& like, int64_t least_heads, int64_t head_size, int64_t layers) {
  const int64_t share = like.heads / like.kv_heads;
  ClassifierConfig model;
  model.kv_heads = (least_heads + share - 1) / share;
  model.heads = share * model.kv_heads;
  model.hidden = model.heads * head_size;
  model.intermediate = model.hidden * like.intermediate / like.hidden;
  model.layers = layers;
  return model;
}

StateBytes CardBudget::state(int of_stage) const {
  ZeroSetup setup;
  setup.parameters = parameters;
  setup.ranks = cards;
  setup.stage = of_stage;
  return zero_state(setup);
}

ActivationSizes CardBudget::sizes() const {
  return {1, tokens, model.text.hidden, model.text.heads, model.text.layers};
}
double CardBudget::logits() const { return 4 * double(tokens) * double(model.text.vocabulary); }
double CardBudget::sequence(const ActivationTerms& terms) const { return terms.bytes(sizes()) + logits(); }
double CardBudget::recomputed(const ActivationTerms& terms) const {
  return kInputTerms.bytes(sizes()) + terms.bytes(sizes()) / double(model.text.layers) + logits();
}

int64_t CardBudget::most(double state, double sequence) const {
  return std::max<int64_t>(0, int64_t(std::floor((memory - state) / sequence)));
}

CardBudget card_budget(const std::string& model) {
  CardBudget budget{.model = named_model(model)};
  budget.parameters = double(count_parameters(model_shapes(budget.model, {ModelHead::Kind::kLanguageModel})));
  return budget;
}

}  // namespace ringside::inline planner
