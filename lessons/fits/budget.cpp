// The arithmetic: what a card holds of a released model, and the fit of counted activations.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "parts.h"
#include "ringside/base/error.h"
#include "ringside/base/source_tree.h"
#include "ringside/lesson/suggest.h"
#include "ringside/planner/model_shapes.h"

namespace ringside::fits_lesson {
namespace {

std::string path_of(const std::string& model) {
  const bool is_file = model.find('/') != std::string::npos || model.ends_with(".json");
  return is_file ? model : (assets() / "models" / (model + ".json")).string();
}

// Those of assets/models, "llama_2_7b, ...".
std::string model_names() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(assets() / "models"))
    if (file.path().extension() == ".json") names.push_back(file.path().stem());
  std::sort(names.begin(), names.end());
  return join(names);
}

}  // namespace

void validate_model(const std::string& model) {
  const std::string path = path_of(model);
  if (!std::filesystem::is_regular_file(path))
    throw UsageError(
        fmt::format("model={}: there is no file {}; models of assets/models are {}, or give the path "
                    "of a config.json",
                    model, path, model_names()));
  read_model_config(path);
}

StateBytes Budget::state(int of_stage) const {
  ZeroSetup setup;
  setup.parameters = parameters;
  setup.ranks = cards;
  setup.stage = of_stage;
  return zero_state(setup);
}

double logits_bytes(double tokens, double vocabulary) { return 4 * tokens * vocabulary; }
double Budget::logits() const {
  return logits_bytes(static_cast<double>(sequence.s), static_cast<double>(model.text.vocabulary));
}
double Budget::one(const Coefficients& fit) const { return fit.bytes(sequence) + logits(); }

double Budget::checkpointed(const Coefficients& fit, int64_t b) const {
  Shape layer = sequence;
  layer.L = 1;
  const double inputs = 2 * sequence.hidden() * static_cast<double>(sequence.L);
  return static_cast<double>(b) * (inputs + fit.bytes(layer) + logits());
}

int64_t Budget::most(double state_bytes, double a_sequence) const {
  return std::max<int64_t>(0, static_cast<int64_t>(std::floor((memory - state_bytes) / a_sequence)));
}

Budget budget_of(const Config& config) {
  Budget budget;
  budget.model = read_model_config(path_of(config.text("model")));
  budget.model.source = std::filesystem::path(config.text("model")).stem();
  budget.parameters = static_cast<double>(
      count_parameters(model_shapes(budget.model, {ModelHead::Kind::kLanguageModel, 0, false})));
  budget.cards = static_cast<int>(config.integer("cards"));
  budget.stage = static_cast<int>(config.integer("stage"));
  budget.memory = config.real("memory") * kGiga;
  const TextSizes& text = budget.model.text;
  budget.sequence = {1, config.integer("tokens"), text.hidden, text.heads, text.layers};
  return budget;
}

Coefficients by_listing(const Budget& budget) {
  const TextSizes& text = budget.model.text;
  const double I = static_cast<double>(text.intermediate) / static_cast<double>(text.hidden);
  const double kv = static_cast<double>(text.kv_heads) / static_cast<double>(text.heads);
  return {22 + 4 * kv + 8 * I, 6};
}

// The normal equations of two unknowns; each size counts by its relative error.
std::optional<Coefficients> fit(const std::vector<SizeRow>& sizes) {
  double xx = 0, xy = 0, yy = 0, x1 = 0, y1 = 0;
  for (const SizeRow& size : sizes) {
    if (!size.fitted || size.counted <= 0) continue;
    const auto bytes = static_cast<double>(size.counted);
    const double x = Coefficients{1, 0}.bytes(size.shape()) / bytes;
    const double y = Coefficients{0, 1}.bytes(size.shape()) / bytes;
    xx += x * x, xy += x * y, yy += y * y, x1 += x, y1 += y;
  }
  const double determinant = xx * yy - xy * xy;
  if (determinant <= 1e-12 * xx * yy) return std::nullopt;
  return Coefficients{(x1 * yy - y1 * xy) / determinant, (y1 * xx - x1 * xy) / determinant};
}

std::optional<Coefficients> fitted(const Trace& trace) { return fit(rows_in<SizeRow>(trace)); }

double largest_error(const Trace& trace, const Coefficients& fit) {
  double most = 0;
  for (const SizeRow& size : rows_in<SizeRow>(trace)) {
    if (!size.fitted)
      most = std::max(most, std::abs(fit.bytes(size.shape()) / static_cast<double>(size.counted) - 1));
  }
  return most;
}

std::optional<StateRow> state_row(const Trace& trace, int stage) {
  const auto rows = rows_where<StateRow>(trace, [&](const StateRow& row) { return row.stage == stage; });
  return rows.empty() ? std::nullopt : std::optional(rows.front());
}

std::optional<double> sequence_bytes(const Trace& trace) {
  const auto model = rows_in<ModelRow>(trace);
  const auto fit = fitted(trace);
  if (model.empty() || !fit) return std::nullopt;
  const ModelRow& of = model.front();
  return fit->bytes({1, of.s, of.h, of.a, of.layers}) +
         logits_bytes(static_cast<double>(of.s), static_cast<double>(of.vocabulary));
}

}  // namespace ringside::fits_lesson
