// What is right in the questions, and what people believe instead, where texts.inc does not say it.
#include "lesson.h"
#include "ringside/planner/reducer.h"

namespace ringside::nccl_lesson {
namespace {

constexpr double kMebi = 1048576;

double ranks(const Config& config) { return double(config.integer("ranks")); }

// What forward returns of one evaluation batch on one rank, in elements: one layer's hidden states.
double one_layer(const Config& config) {
  const Training training = base_training(config);
  return double(training.evaluation_rows * training.max_tokens * training.model.hidden);
}
double layers_and_embedding(const Config&) { return double(lesson_model().layers + 1); }

double first_bucket(const Config& config) {
  const Training training = base_training(config);
  const auto shapes = classifier_shapes(training.model);
  return double(plan_buckets(shapes, {.bucket_size = training.bucket_elements}).buckets.front().elements);
}

double nvlink_ms(const Config& config) { return wire_ms(config.integer("logged")).at("nvlink"); }

// What one rank would receive in an evaluation: from each other rank, two batches of all it returned, in MiB.
ByScenario received(bool all_layers, int layers, int more_senders, bool one_sender = false) {
  return [=](const Config& config) {
    constexpr double kBatches = 2, kFloat = 4, kLabel = 8;
    const auto rows = double(base_training(config).evaluation_rows), classes = double(lesson_model().classes);
    const double states = all_layers ? layers_and_embedding(config) : layers;
    const double senders = one_sender ? 1 : ranks(config) - 1 + more_senders;
    return senders * kBatches * (states * one_layer(config) * kFloat + rows * (classes * kFloat + kLabel)) /
           kMebi;
  };
}

ByScenario times(ByScenario value, double factor) {
  return [=](const Config& config) { return value(config) * factor; };
}
FromTrace measured(const char* section, const char* key, double factor = 1) {
  return [=](const Trace& trace) { return needed(number_in(trace, section, key)) * factor; };
}

Words tag_of_symptom(const Trace& trace) {
  const std::string tag = attribute(trace, "symptom", kStuckTag);
  return tag.empty() ? Words() : Words{tag};
}
double buckets_in_line(const Trace& trace) {
  return needed(number_in(trace, "symptom", kStuckElements)) / needed(outcome(trace, "first_bucket_here"));
}

// The groups of gradients, with the model's sums.
std::string context_of_bucket() {
  std::map<std::string, int64_t> sums;
  for (const Gradient& gradient : gradients_in(GradientOrder::kBackward, classifier_shapes(lesson_model())))
    sums[gradient.group] += gradient.elements;
  return tr(
      "Gradients are put into the bucket in the order of backward: head {}, final norm {}, then {} for each "
      "layer. The bucket is sent when the next gradient would pass the limit: here after two layers.",
      format_count(sums["head"]), format_count(sums["final norm"]), format_count(sums["layer 0"]));
}

}  // namespace

std::vector<QuestionOf> questions() {
  return {{"what", tag_of_symptom},
          {.id = "first_bucket",
           .measured = measured("symptom", kStuckElements),
           .right = first_bucket,
           .wrong = {one_layer,
                     [](const Config& config) { return one_layer(config) * layers_and_embedding(config); },
                     [](const Config& config) { return one_layer(config) * ranks(config); },
                     [](const Config&) { return double(count_trainable(classifier_shapes(lesson_model()))); },
                     [](const Config& config) { return double(base_training(config).bucket_elements); }},
           .context = context_of_bucket()},
          {"numel_in", buckets_in_line},
          {"timeout_x3", measured("fix timeout", kEndedMs, 1e-3)},
          {.id = "wire_ms",  // no run sends that much: the answer is calculated
           .right = nvlink_ms,
           .wrong = {always(kSourceDeadlineS * 1e3), times(nvlink_ms, 0.5), times(nvlink_ms, 2),
                     times(nvlink_ms, 8 / 7.0), times(nvlink_ms, 4 / 7.0),
                     times(nvlink_ms, kRanksOfTheCase / 2.0)}},
          {"gathered_bytes",
           measured("original", kGathered, 1 / kMebi),
           received(true, 0, 0),
           {received(false, 1, 0), received(true, 0, 0, true), received(true, 0, 1), received(false, 0, 0)}}};
}

}  // namespace ringside::nccl_lesson
