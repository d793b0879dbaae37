#include "scenario.h"

#include "cases.h"
#include "parts.h"
#include "ringside/base/source_tree.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/planner/reducer.h"

namespace ringside::nccl_lesson {
namespace {

constexpr int64_t kTokens = 64;         // T
constexpr int64_t kEvaluationRows = 8;  // of an evaluation batch, on each rank

}  // namespace

std::vector<ParameterSpec> parameter_specs() {
  constexpr auto kCount = ParameterKind::kCount;
  std::vector<std::string> cases = {"all"}, ids;
  for (int number = 1; number <= kCases; ++number) cases.push_back(std::to_string(number));
  for (const TextBlock& cause : causes().all()) ids.push_back(cause.id);
  std::vector<ParameterSpec> specs = {
      choice("act", "1 the symptom, 2 the numbers, 3 V1 V2 V3, 4 the autopsy, 5 the cases", "all",
             {"all", "1", "2", "3", "4", "5"}),
      choice("fix", "act 1: what is tried first", "all", {"all", "timeout", "outputs", "barrier", "rank"}),
      choice("case",
             "act 5: which; 1 to 4 have one log line, 5 is the real program's bug; all: 1 to 4, and with "
             "act=all "
             "each of them, without their answers",
             "all", cases)};
  for (ParameterSpec& spec : investigation_parameters("act 5", 8, ids)) specs.push_back(std::move(spec));
  const std::vector<ParameterSpec> others = {
      number("ranks", "N, ranks as threads", "ranks", "4", 3, 8),
      number("deadline", "of a collective; the log's was 600 s", "s", "1", 0.2, 10, ParameterKind::kReal),
      text("model", "acts 2 and 4: a model of assets/models, or a config.json", "qwen2_5_vl_7b",
           {"qwen2_5_vl_7b", "qwen2_5_vl_3b", "qwen2_5_7b", "llama_3_1_8b"}),
      number("classes", "acts 2 and 4: of that model's head", "classes", "251", 1, 1000000, kCount),
      choice("bias", "acts 2 and 4: of that head", "on", {"on", "off"}),
      number("bucket", "acts 2 and 4: reduce_bucket_size", "elements", "500000000", 1, 1e15, kCount),
      number("logged", "the number in the log", "elements", "467019003", 1, 1e15, kCount),
      text("faults",
           "none, a plan of assets/faults, or a fault plan (JSON) of your own, run instead of the acts",
           "none",
           {"none", "skip", "extra", "wrong_size", "wrong_dtype", "other_tensor", "nan", "stop_inside",
            "kill", "raise", "late", "one_batch_more", "evaluates_alone"}),
      choice("check",
             "only with faults=...: compare every call across ranks. Off, calls that do not match are paired "
             "as they come; in NCCL that is not defined: a hang is the mild case",
             "off", {"on", "off"}),
      text("dumps", "none, or a folder for the flight recorders of what hangs", "none", {"none"}),
      number("seed", "of weights and data, and of who is guilty in act 5", "", "0", 0, 1e15)};
  specs.insert(specs.end(), others.begin(), others.end());
  return specs;
}

Dataset load_data(const Config& config) {
  DataOptions options;
  options.source = "synthetic";
  options.max_tokens = kTokens;
  options.synthetic_classes = lesson_model().classes;
  options.synthetic_train = 256;
  options.synthetic_test = kEvaluationRows * 2 * config.integer("ranks");  // two batches a rank
  options.seed = static_cast<uint64_t>(config.integer("seed"));
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

namespace {

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

Training base_training(const Config& config) {
  Training training;
  training.model = lesson_model();
  training.max_tokens = kTokens;
  training.ranks = static_cast<int>(config.integer("ranks"));
  training.precision = Precision::kFloat32;
  training.bucket_elements = bucket_for(training.model);
  training.check = false;  // as NCCL does by default: silence, then the watchdog
  training.timeout = std::chrono::nanoseconds(static_cast<int64_t>(config.real("deadline") * 1e9));
  training.batch = 4 * training.ranks;
  training.steps = kSteps;
  training.evaluate_every = kEvaluatedStep + 1;
  training.evaluation_rows = kEvaluationRows;
  training.seed = static_cast<uint64_t>(config.integer("seed"));
  training.outputs = OutputVersion::kOriginal;
  training.evaluation_gather = EvaluationGather::kOutputs;
  training.two_groups = true;
  training.agree_on_steps = false;
  return training;
}

std::string asset(const std::string& folder, const std::string& name) {
  const bool is_file = name.find('/') != std::string::npos || name.ends_with(".json");
  return is_file ? name : (assets() / folder / (name + ".json")).string();
}

bool runs_act(const Config& config, const std::string& act) {
  return config.text("faults") == "none" && (config.text("act") == "all" || config.text("act") == act);
}

}  // namespace ringside::nccl_lesson
