#include "ringside/planner/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "ringside/base/error.h"
#include "ringside/base/units.h"
#include "run_search.h"

namespace ringside {
namespace {

void check_range(const char* name, int64_t value, int64_t most) {
  if (value >= 1 && value <= most) return;
  throw UsageError(fmt::format("{}={}: allowed are 1 to {}", name, value, format_count(most)));
}

HiddenStates as_hidden_states(int64_t number, int64_t hidden) {
  HiddenStates states{hidden, number / hidden, number % hidden, {}};
  if (states.remainder != 0) return states;
  for (int64_t batch = 1; batch <= kMostBatch; ++batch) {
    if (states.rows % batch == 0 && states.rows / batch <= kMostLength)
      states.plausible.push_back({batch, states.rows / batch});
  }
  return states;
}

// What the rule allows first, then the order of a pass, and what comes early in it.
bool before(const RunHit& a, const RunHit& b) {
  const auto key = [](const RunHit& hit) {
    return std::tuple(!hit.flushed, hit.order != GradientOrder::kBackward, !hit.is_first, !hit.classes);
  };
  return key(a) < key(b);
}

}  // namespace

Explanation explain_number(const std::vector<ParameterShape>& body, int64_t hidden,
                           const ExplainOptions& options) {
  check_range("number", options.number, kMostModelParameters);
  check_range("bucket-size", options.bucket_size, kMostModelParameters);
  if (options.classes) check_range("classes", *options.classes, kMostClasses);
  check_range("hidden", hidden, int64_t{1} << 24);
  Explanation result;
  result.number = options.number;
  result.bucket_size = options.bucket_size;
  result.hidden = as_hidden_states(options.number, hidden);
  for (const GradientOrder order : {GradientOrder::kBackward, GradientOrder::kParameters})
    search_runs(order, gradients_in(order, body), hidden, options, result);
  std::stable_sort(result.hits.begin(), result.hits.end(), before);
  if (result.hits.size() > kMostHits) result.hits.resize(kMostHits);
  return result;
}

Explanation explain_number(const ModelConfig& config, const ExplainOptions& options) {
  ModelHead head;
  if (options.head == ModelHead::Kind::kLanguageModel) head.kind = options.head;
  return explain_number(model_shapes(config, head, options.freeze_vision), config.text.hidden, options);
}

}  // namespace ringside
