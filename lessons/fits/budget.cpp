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
  const std::string path = is_file ? model : packaged_model(model);
  if (std::filesystem::is_regular_file(path)) return path;
  throw UsageError(
      fmt::format("model={}: there is no file {}; models of assets/models are {}, or give the path of a "
                  "config.json",
                  model, path, join(packaged_models())));
}

}  // namespace

void validate_model(const std::string& model) { read_model_config(path_of(model)); }

StateBytes Budget::state(int of_stage) const {
  ZeroSetup setup;
  setup.parameters = parameters;
  setup.ranks = cards;
  setup.stage = of_stage;
  return zero_state(setup);
}

double Budget::logits() const { return 4 * double(sequence.s) * double(model.text.vocabulary); }
double Budget::one(const Coefficients& fit) const { return fit.bytes(sequence) + logits(); }
double Budget::checkpointed(const Coefficients& fit) const {
  return kInputs.bytes(sequence) + fit.bytes(sequence) / double(sequence.L) + logits();
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

FitRow fit_sizes(std::vector<SizeRow>& sizes) {
  std::vector<TwoTerms> samples;
  for (const SizeRow& size : sizes)
    if (size.role == kFitted)
      samples.push_back(
          {Coefficients{1, 0}.bytes(size), Coefficients{0, 1}.bytes(size), double(size.counted)});
  const auto [c1, c2] = fit_two_terms(samples).value();
  FitRow fit{c1, c2};
  for (SizeRow& size : sizes) {
    const double bytes = fit.fit().bytes(size);
    size.by_fit = int64_t(bytes), size.error = 100 * (bytes / double(size.counted) - 1);
    if (size.role == kPredicted) fit.error = std::max(fit.error, std::abs(size.error));
  }
  return fit;
}

}  // namespace ringside::lessons::fits
