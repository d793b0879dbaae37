// The arithmetic: what a card holds of a released model, and the fit of counted activations.

#include <filesystem>

#include "parts.h"
#include "ringside/base/least_squares.h"
#include "ringside/lesson/suggest.h"
#include "ringside/planner/model_shapes.h"

namespace ringside::lessons::fits {
namespace {

std::string path_of(const std::string& model) {
  const bool is_file = model.find('/') != std::string::npos || model.ends_with(".json");
  return is_file ? model : packaged_model(model);
}

}  // namespace

void validate_model(const std::string& model) {
  const std::string path = path_of(model);
  if (!std::filesystem::is_regular_file(path))
    throw UsageError(
        fmt::format("model={}: there is no file {}; models of assets/models are {}, or give the path "
                    "of a config.json",
                    model, path, join(packaged_models())));
  read_model_config(path);
}

StateBytes Budget::state(int of_stage) const {
  ZeroSetup setup;
  setup.parameters = parameters;
  setup.ranks = cards;
  setup.stage = of_stage;
  return zero_state(setup);
}

double logits_bytes(int64_t tokens, int64_t vocabulary) { return 4 * double(tokens) * double(vocabulary); }
double Budget::logits() const { return logits_bytes(sequence.s, model.text.vocabulary); }
double Budget::one(const Coefficients& fit) const { return fit.bytes(sequence) + logits(); }

double Budget::checkpointed(const Coefficients& fit) const {
  Shape layer = sequence;
  layer.L = 1;
  return 2 * sequence.hidden() * double(sequence.L) + fit.bytes(layer) + logits();
}

int64_t Budget::most(double state_bytes, double a_sequence) const {
  return std::max<int64_t>(0, int64_t(std::floor((memory - state_bytes) / a_sequence)));
}

Budget budget_of(const Config& config) {
  Budget budget;
  budget.model = read_model_config(path_of(config.text("model")));
  budget.model.source = std::filesystem::path(config.text("model")).stem();
  budget.parameters = double(count_parameters(model_shapes(budget.model, {ModelHead::Kind::kLanguageModel})));
  budget.cards = int(config.integer("cards"));
  budget.stage = int(config.integer("stage"));
  budget.memory = config.real("memory") * kGiga;
  const TextSizes& text = budget.model.text;
  budget.sequence = {1, config.integer("tokens"), text.hidden, text.heads, text.layers};
  return budget;
}

Coefficients by_listing(const Budget& budget) {
  const TextSizes& text = budget.model.text;
  const double I = double(text.intermediate) / double(text.hidden),
               kv = double(text.kv_heads) / double(text.heads);
  return {22 + 4 * kv + 8 * I, 6};
}

std::optional<Coefficients> fitted(const Trace& trace) {
  std::vector<TwoTerms> samples;
  for (const SizeRow& size : rows_where<SizeRow>(trace, having(&SizeRow::fitted, true)))
    samples.push_back({Coefficients{1, 0}.bytes(size.shape()), Coefficients{0, 1}.bytes(size.shape()),
                       double(size.counted)});
  const auto fit = fit_two_terms(samples);
  return fit ? std::optional(Coefficients{fit->a, fit->b}) : std::nullopt;
}

double largest_error(const Trace& trace, const Coefficients& fit) {
  double most = 0;
  for (const SizeRow& size : rows_where<SizeRow>(trace, having(&SizeRow::fitted, false)))
    most = std::max(most, std::abs(fit.bytes(size.shape()) / double(size.counted) - 1));
  return most;
}

StateRow state_row(const Trace& trace, int64_t stage) {
  return needed(row_where<StateRow>(trace, having(&StateRow::stage, stage)));
}

double sequence_bytes(const Trace& trace) {
  const ModelRow of = needed(rows_in<ModelRow>(trace)).front();
  return needed(fitted(trace)).bytes({1, of.s, of.h, of.a, of.layers}) + logits_bytes(of.s, of.vocabulary);
}

Asked asked_of(const Trace& trace) {
  return {state_row(trace, needed(rows_in<ModelRow>(trace)).front().stage), sequence_bytes(trace)};
}

}  // namespace ringside::lessons::fits
