#include "predictions.h"

#include "arithmetic.h"
#include "ringside/comm/link_model.h"
#include "ringside/lesson/tr.h"
#include "scenario.h"
#include "sections.h"

namespace ringside::nccl_lesson {
namespace {

constexpr int kRanksOfTheCase = 8;
constexpr double kTimesLonger = 3;

WrongFormula wrong(std::string name, std::string why, std::function<double(const Config&)> value) {
  return {.name = std::move(name), .value = std::move(value), .why = std::move(why)};
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

// By the log line alone. The run's own line, of a model that is small, carries the same: that is measured.
PredictionSpec what_question() {
  const std::string states = tr("hidden states"), logits = tr("logits"), gradients = tr("gradients"),
                    all = tr("all parameters");
  PredictionSpec spec;
  spec.id = "what";
  spec.name = tr("what it is");
  spec.question = tr("The elements in NumelIn, of what are they?");
  spec.context =
      tr("The model has some 7 billion parameters and a hidden size of 3,584. The line was printed in "
         "the first training step after an evaluation.");
  spec.words = WordQuestion{
      .kind = AnswerKind::kChoice,
      .right = always(Words{gradients}),
      .options = always(Words{states, logits, gradients, all}),
      .wrong = always(std::vector<WrongWords>{
          {tr("hidden states are the largest thing that forward returns"),
           {states},
           tr("Hidden states come in rows of 3,584 elements. The number leaves 2,299 when it is divided by "
              "3,584, so no batch and no length makes it.")},
          {tr("what is returned is what is sent"),
           {logits},
           tr("Logits have one element a class and sample. With 1,000 classes that would be 467,000 samples "
              "in "
              "one call.")},
          {tr("all of the model at once"),
           {all},
           tr("The model has some 15 times as many parameters. Gradients are sent in buckets, so that "
              "sending "
              "begins while backward still runs.")}}),
      .measured = [](const Trace& trace) -> std::optional<Words> {
        const std::string tag = attribute(trace, "symptom", "stuck_tag");
        return tag.empty() ? std::nullopt : std::optional(Words{tag});
      }};
  spec.why =
      tr("After an evaluation the next thing that all ranks must bring together is the gradients of the "
         "next step. They go in buckets: the head, the final norm and the last two layers fill the first.");
  spec.more =
      tr("The same number was logged again after the first fix (V1), which was made against hidden states.");
  spec.section = "symptom";
  return spec;
}

PredictionSpec first_bucket_question() {
  PredictionSpec spec;
  spec.id = "first_bucket";
  spec.name = tr("the first bucket");
  spec.question = tr("How many elements has the first bucket of the model that runs here?");
  spec.context =
      tr("Gradients drop into the bucket in the order of backward. It is sent as soon as the next one "
         "would pass the limit.");
  spec.unit = tr("elements");
  spec.whole = true;
  spec.formula = first_bucket;
  spec.wrong = {
      wrong(tr("the hidden states of one layer, on one rank"),
            tr("Hidden states are what the evaluation gathers. The bucket holds gradients, one element a "
               "parameter."),
            one_layer),
      wrong(tr("the hidden states of all layers"),
            tr("Hidden states are what the evaluation gathers. The bucket holds gradients, one element a "
               "parameter."),
            [](const Config& config) { return one_layer(config) * layers_and_embedding(config); }),
      wrong(tr("the hidden states of one layer, over all ranks"),
            tr("Hidden states are what the evaluation gathers, and a log line counts one rank."),
            [](const Config& config) { return one_layer(config) * ranks(config); }),
      wrong(tr("all gradients at once"),
            tr("Buckets are sent while backward still runs: the first one goes as soon as it is full."),
            [](const Config& config) {
              return static_cast<double>(count_trainable(classifier_shapes(base_training(config).model)));
            }),
      wrong(
          tr("the bucket's size"),
          tr("The limit is what a bucket may hold. It is sent before the gradient that would pass it, so it "
             "is rarely full."),
          [](const Config& config) { return static_cast<double>(base_training(config).bucket_elements); })};
  spec.measured = [](const Trace& trace) { return figure(trace, "symptom", "stuck_elements"); };
  spec.why =
      tr("Head, final norm and the last two layers fit. The next gradient would pass the limit, so the "
         "bucket goes without it.");
  spec.more = tr("The source's 7B fills its bucket in the same order: its sum is the number in the log.");
  spec.section = "symptom";
  return spec;
}

PredictionSpec numel_question() {
  PredictionSpec spec;
  spec.id = "numel_in";
  spec.name = tr("one rank or all");
  spec.question = tr("NumelIn in a log line of NCCL's watchdog: the elements of how many ranks is that?");
  spec.context = tr("Each rank of the group calls the all-reduce with a tensor of its own.");
  spec.unit = tr("ranks");
  spec.whole = true;
  spec.formula = [](const Config&) { return 1.0; };
  spec.wrong = {
      wrong(tr("of all ranks"),
            tr("The line is one rank's: it says what that rank passed in. An all-reduce adds up tensors of "
               "equal size, so more ranks do not make it larger."),
            ranks)};
  spec.measured = [](const Trace& trace) -> std::optional<double> {
    const auto line = figure(trace, "symptom", "stuck_elements"),
               bucket = outcome(trace, "first_bucket_here");
    if (!line || !bucket || *bucket == 0) return std::nullopt;
    return *line / *bucket;
  };
  spec.why =
      tr("Each rank prints what it passed in itself. The number divided by the first bucket of one rank "
         "is 1.");
  spec.section = "symptom";
  spec.again = {"ranks=8"};
  return spec;
}

PredictionSpec wire_question() {
  PredictionSpec spec;
  spec.id = "wire_ms";
  spec.name = tr("on the wire");
  spec.question = tr("How long is the logged all-reduce on the wire: bf16, 8 ranks, NVLink at 450 GB/s?");
  spec.context = tr("An all-reduce is a reduce-scatter and an all-gather.");
  spec.unit = "ms";
  spec.formula = wire_ms;
  spec.wrong = {wrong(tr("its deadline"),
                      tr("A call times out because a rank is missing. Its size has nothing to do with it."),
                      [](const Config&) { return SourceArithmetic().deadline_s * 1e3; }),
                wrong(tr("counted once"), tr("Each element travels twice: to be added up, and to come back."),
                      [](const Config& config) { return wire_ms(config) / 2; }),
                wrong(tr("4 bytes an element"), tr("It travels as bf16, two bytes an element."),
                      [](const Config& config) { return wire_ms(config) * 2; }),
                wrong(tr("every rank sends all of it to every other"),
                      tr("In a ring each rank sends a part at a time, 2(N-1)/N of the tensor in all."),
                      [](const Config& config) { return wire_ms(config) * kRanksOfTheCase / 2; })};
  spec.why =
      tr("Each rank sends 2(N-1)/N of the tensor, and 450 GB pass in a second. That is milliseconds, and "
         "the deadline is ten minutes: size is not why it timed out.");
  return spec;  // no run sends that much: the answer is calculated
}

PredictionSpec timeout_question() {
  PredictionSpec spec;
  spec.id = "timeout_x3";
  spec.name = tr("three times the timeout");
  spec.question = tr("The timeout is made three times as long. After how many seconds does the run die?");
  spec.context = tr("This is what most people try first. 0 means that it never dies.");
  spec.unit = "s";
  spec.formula = [](const Config& config) { return kTimesLonger * config.real("deadline"); };
  spec.wrong = {
      wrong(tr("after the old deadline"), tr("The watchdog waits for the new one."),
            [](const Config& config) { return config.real("deadline"); }),
      wrong(tr("never"), tr("A longer wait does not bring the missing rank: the others wait for nothing."),
            [](const Config&) { return 0.0; })};
  spec.measured = [](const Trace& trace) -> std::optional<double> {
    const auto ms = figure(trace, "fix timeout", kEndedMs);
    return ms ? std::optional(*ms * 1e-3) : std::nullopt;
  };
  spec.why = tr("The missing rank never comes. The run dies at the same call, only three times later.");
  spec.more = tr(
      "A longer timeout helps where a rank is slow and does come, for example while it saves a checkpoint.");
  spec.section = "fix timeout";
  spec.again = {"deadline=0.5", "deadline=2"};
  return spec;
}

// What one rank receives in an evaluation: from each other rank, two batches of all it returned.
PredictionSpec gathered_question() {
  PredictionSpec spec;
  spec.id = "gathered_bytes";
  spec.name = tr("gathered");
  spec.question =
      tr("The evaluation gathers whatever forward returned, fp32. How many MB does a rank receive in one "
         "evaluation?");
  spec.context =
      tr("Two batches of 8 rows and 64 tokens on each rank; 4 layers and an embedding of 64 elements a "
         "token, 7 logits and a label of 8 bytes a row.");
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
      wrong(tr("the last layer alone"), tr("There is one hidden state a layer, and the embedding's."),
            [=](const Config& config) { return received(config, 1, ranks(config) - 1); }),
      wrong(tr("its own share"), tr("It receives one from every other rank."),
            [=](const Config& config) { return received(config, layers_and_embedding(config), 1); }),
      wrong(tr("its own counted too"), tr("What a rank has already does not travel."),
            [=](const Config& config) {
              return received(config, layers_and_embedding(config), ranks(config));
            }),
      wrong(tr("logits and labels alone"),
            tr("Hidden states are among what forward returned, and far larger."),
            [=](const Config& config) { return received(config, 0, ranks(config) - 1); })};
  spec.measured = [](const Trace& trace) -> std::optional<double> {
    const auto bytes = figure(trace, "original", kGathered);
    return bytes ? std::optional(*bytes * 1e-6) : std::nullopt;
  };
  spec.why =
      tr("Each of the other ranks sends its rows with the hidden states of all layers. That costs memory "
         "and time in an evaluation, and it is another call than the one that timed out.");
  spec.section = "original";
  spec.again = {"ranks=8", "ranks=3"};
  return spec;
}

}  // namespace

std::vector<PredictionSpec> predictions() {
  return {what_question(),    first_bucket_question(), numel_question(),
          timeout_question(), wire_question(),         gathered_question()};
}

}  // namespace ringside::nccl_lesson
