#include "lesson.h"
#include "parts.h"
#include "ringside/planner/reducer.h"

namespace ringside::nccl_lesson {
namespace {

constexpr int64_t kTokens = 64;         // T
constexpr int64_t kEvaluationRows = 8;  // of an evaluation batch, on each rank

// A bucket size for which head, final norm and two layers fit with half of the next gradient to spare. That
// gradient does not fit and opens the second bucket.
int64_t bucket_for(const ClassifierConfig& model) {
  int64_t elements = 0;
  const int last = model.units() - 1;
  for (const Gradient& gradient : gradients_in(GradientOrder::kBackward, classifier_shapes(model))) {
    const bool in_first = gradient.group == "head" || gradient.group == "final norm" ||
                          gradient.group == "layer " + std::to_string(last - 2) ||
                          gradient.group == "layer " + std::to_string(last - 3);
    if (!in_first) return elements + gradient.elements / 2;
    elements += gradient.elements;
  }
  return elements;
}

}  // namespace

std::vector<ParameterSpec> parameter_specs() {
  std::vector<std::string> ids;
  for (const TextBlock& cause : causes().all()) ids.push_back(cause.id);
  return investigation_parameters("act 5", 8, ids);
}

Dataset load_data(const Config& config) {
  DataOptions options;
  options.source = "synthetic";
  options.max_tokens = kTokens;
  options.synthetic_classes = lesson_model().classes;
  options.synthetic_train = 256;
  options.synthetic_test = kEvaluationRows * 2 * config.integer("ranks");  // two batches a rank
  options.seed = uint64_t(config.integer("seed"));
  return load_dataset(options);
}

ClassifierConfig lesson_model() {
  return {.vocabulary = 299,
          .hidden = 64,
          .heads = 4,
          .kv_heads = 2,
          .intermediate = 300,
          .layers = 4,
          .classes = 7,  // odd, so that the first bucket is
          .head_bias = true};
}

Training base_training(const Config& config) {
  Training training;
  training.model = lesson_model();
  training.max_tokens = kTokens;
  training.ranks = int(config.integer("ranks"));
  training.precision = Precision::kFloat32;
  training.bucket_elements = bucket_for(training.model);
  training.check = false;  // as NCCL does by default: silence, then the watchdog
  training.timeout = std::chrono::nanoseconds(int64_t(config.real("deadline") * 1e9));
  training.batch = 4 * training.ranks;
  training.steps = kSteps;
  training.evaluate_every = kEvaluatedStep + 1;
  training.evaluation_rows = kEvaluationRows;
  training.seed = uint64_t(config.integer("seed"));
  training.outputs = OutputVersion::kOriginal;
  training.evaluation_gather = EvaluationGather::kOutputs;
  training.two_groups = true;
  training.agree_on_steps = false;
  return training;
}

bool runs_act(const Config& config, const std::string& act) {
  return config.text("faults") == "none" && (config.text("act") == "all" || config.text("act") == act);
}

}  // namespace ringside::nccl_lesson
