#include "predictions.h"

#include "arithmetic.h"
#include "ringside/comm/link_model.h"
#include "scenario.h"
#include "sections.h"

namespace ringside::nccl_lesson {
namespace {

constexpr int kRanksOfTheCase = 8;
constexpr double kTimesLonger = 3;

WrongFormula wrong(std::string name, std::function<double(const Config&)> value) {
  return {std::move(name), std::move(value)};
}

double ranks(const Config& config) { return static_cast<double>(config.integer("ranks")); }

// What forward returns of one evaluation batch on one rank, in elements: one layer's hidden states.
double one_layer(const Config& config) {
  const Training training = base_training(config);
  return static_cast<double>(training.evaluation_rows * training.max_tokens * training.model.hidden);
}
double layers_and_embedding(const Config& config) {
  return static_cast<double>(base_training(config).model.layers + 1);
}

double first_bucket(const Config& config) {
  const Training training = base_training(config);
  const BucketPlan plan =
      plan_buckets(classifier_shapes(training.model), {.bucket_size = training.bucket_elements});
  return static_cast<double>(plan.buckets.front().elements);
}

double wire_ms(const Config& config) {
  for (const WireTime& time : wire_times(config.integer("logged"), kRanksOfTheCase))
    if (time.link == "nvlink") return time.ms;
  return 0;
}

PredictionSpec first_bucket_question() {
  PredictionSpec spec;
  spec.id = "first_bucket";
  spec.question =
      "The run here hangs in its first all-reduce after the evaluation. How many elements will its log line "
      "name?";
  spec.unit = "elements";
  spec.whole = true;
  spec.formula = first_bucket;
  spec.wrong = {
      wrong("the hidden states of one layer, on one rank", one_layer),
      wrong("the hidden states of all layers",
            [](const Config& config) { return one_layer(config) * layers_and_embedding(config); }),
      wrong("the hidden states of one layer, over all ranks",
            [](const Config& config) { return one_layer(config) * ranks(config); }),
      wrong("all gradients at once: buckets are flushed before the backward pass is over",
            [](const Config& config) {
              return static_cast<double>(count_trainable(classifier_shapes(base_training(config).model)));
            }),
      wrong("the bucket's size, which it need not fill",
            [](const Config& config) { return static_cast<double>(base_training(config).bucket_elements); })};
  spec.measured = [](const Trace& trace) { return figure(trace, "symptom", "stuck_elements"); };
  spec.section = "symptom";
  return spec;
}

PredictionSpec numel_question() {
  PredictionSpec spec;
  spec.id = "numel_in";
  spec.question = "NumelIn in a log line of NCCL's watchdog: the elements of how many ranks is that?";
  spec.unit = "ranks";
  spec.whole = true;
  spec.formula = [](const Config&) { return 1.0; };
  spec.wrong = {wrong("of all ranks: it is what one rank passed in", ranks)};
  spec.measured = [](const Trace& trace) -> std::optional<double> {
    const auto line = figure(trace, "symptom", "stuck_elements"),
               bucket = outcome(trace, "first_bucket_here");
    if (!line || !bucket || *bucket == 0) return std::nullopt;
    return *line / *bucket;
  };
  spec.section = "symptom";
  spec.again = {"ranks=8"};
  return spec;
}

PredictionSpec wire_question() {
  PredictionSpec spec;
  spec.id = "wire_ms";
  spec.question = "How long is the logged all-reduce on the wire: bf16, 8 ranks, NVLink at 450 GB/s?";
  spec.unit = "ms";
  spec.formula = wire_ms;
  spec.wrong = {wrong("its deadline: size is not what makes a collective time out",
                      [](const Config&) { return SourceArithmetic().deadline_s * 1e3; }),
                wrong("counted once: an all-reduce is a reduce-scatter and an all-gather",
                      [](const Config& config) { return wire_ms(config) / 2; }),
                wrong("4 bytes an element: it travels as bf16",
                      [](const Config& config) { return wire_ms(config) * 2; }),
                wrong("every rank sends all of it to every other",
                      [](const Config& config) { return wire_ms(config) * kRanksOfTheCase / 2; })};
  return spec;  // no run sends that much: the answer is calculated
}

PredictionSpec timeout_question() {
  PredictionSpec spec;
  spec.id = "timeout_x3";
  spec.question = "The timeout is made three times as long. After how many seconds does the run die?";
  spec.unit = "s";
  spec.formula = [](const Config& config) { return kTimesLonger * config.real("deadline"); };
  spec.wrong = {
      wrong("after the old deadline: the new one is what the watchdog waits for",
            [](const Config& config) { return config.real("deadline"); }),
      wrong("never: a longer wait does not bring the missing rank", [](const Config&) { return 0.0; })};
  spec.measured = [](const Trace& trace) -> std::optional<double> {
    const auto ms = figure(trace, "fix timeout", kEndedMs);
    return ms ? std::optional(*ms * 1e-3) : std::nullopt;
  };
  spec.section = "fix timeout";
  spec.again = {"deadline=0.5", "deadline=2"};
  return spec;
}

// What one rank receives in an evaluation: from each other rank, two batches of all it returned.
PredictionSpec gathered_question() {
  PredictionSpec spec;
  spec.id = "gathered_bytes";
  spec.question =
      "The evaluation gathers whatever forward returned, fp32. How many MB does a rank receive in one "
      "evaluation?";
  spec.unit = "MB";
  const auto received = [](const Config& config, double layers, double senders) {
    const Training training = base_training(config);
    constexpr double kBatches = 2, kFloat = 4, kLabel = 8;
    const auto rows = static_cast<double>(training.evaluation_rows);
    const double others = rows * static_cast<double>(training.model.classes) * kFloat + rows * kLabel;
    return senders * kBatches * (layers * one_layer(config) * kFloat + others) * 1e-6;
  };
  spec.formula = [=](const Config& config) {
    return received(config, layers_and_embedding(config), ranks(config) - 1);
  };
  spec.wrong = {
      wrong("the last layer alone: there is one hidden state a layer, and the embedding's",
            [=](const Config& config) { return received(config, 1, ranks(config) - 1); }),
      wrong("its own share: it receives one from every other rank",
            [=](const Config& config) { return received(config, layers_and_embedding(config), 1); }),
      wrong("its own counted too: that does not travel",
            [=](const Config& config) {
              return received(config, layers_and_embedding(config), ranks(config));
            }),
      wrong("logits and labels alone",
            [=](const Config& config) { return received(config, 0, ranks(config) - 1); })};
  spec.measured = [](const Trace& trace) -> std::optional<double> {
    const auto bytes = figure(trace, "original", kGathered);
    return bytes ? std::optional(*bytes * 1e-6) : std::nullopt;
  };
  spec.section = "original";
  spec.again = {"ranks=8", "ranks=3"};
  return spec;
}

}  // namespace

std::vector<PredictionSpec> predictions() {
  return {first_bucket_question(), numel_question(), timeout_question(), wire_question(),
          gathered_question()};
}

}  // namespace ringside::nccl_lesson
