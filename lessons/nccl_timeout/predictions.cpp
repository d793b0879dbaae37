#include "predictions.h"

#include <map>

#include "arithmetic.h"
#include "ringside/base/units.h"
#include "ringside/lesson/question_forms.h"
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

// ---- The number: five seconds, no formula ---------------------------------------------

PredictionSpec parity_question() {
  PredictionSpec spec = ask(
      "parity",
      tr("A hidden state has 3,584 numbers, and 3,584 is even. Can hidden states have 467,019,003?"),
      AskedWords{
          .right = {tr("no")},
          .options = {tr("yes"), tr("no")},
          .wrong = {{tr("the right batch and length make any number"),
                     {tr("yes")},
                     tr("Batch x length x 3,584 is even, whatever batch and length are. The logged number "
                        "ends in 3.")}},
          .around = {tr("even or odd"),
                     tr("The number is odd: 3,584 divides it with 2,299 left over. No batch size and no "
                        "length gives it.")}});
  spec.context = tr(
      "The source's documents say that the logged tensor is hidden states, and fix the program three times "
      "for that.");
  return spec;
}

PredictionSpec what_question() {
  const std::string states = tr("hidden states"), logits = tr("logits"), gradients = tr("gradients"),
                    all = tr("all parameters");
  PredictionSpec spec =
      ask("what", tr("The elements in NumelIn, of what are they?"),
          AskedWords{
              .right = {gradients},
              .options = {states, logits, gradients, all},
              .wrong =
                  {{tr("hidden states are the largest thing that forward returns"),
                    {states},
                    tr("Hidden states come in rows of 3,584 elements. The number leaves 2,299.")},
                   {tr("what is returned is what is sent"),
                    {logits},
                    tr("Logits have one element a class and sample. With 1,000 classes that would be 467,000 "
                       "samples in one call.")},
                   {tr("all of the model at once"),
                    {all},
                    tr("The model has some 15 times as many parameters. Gradients are sent in buckets, while "
                       "backward still runs.")}},
              .measured = [](const Trace& trace) -> std::optional<Words> {
                const std::string tag = attribute(trace, "symptom", "stuck_tag");
                return tag.empty() ? std::nullopt : std::optional(Words{tag});
              },
              .around = {
                  tr("what it is"),
                  tr("After an evaluation the next thing that all ranks bring together is the gradients of "
                     "the next step. Head, final norm and the last two layers fill the first bucket.")}});
  spec.context =
      tr("The model has some 7 billion parameters. The line was printed in the first training step after an "
         "evaluation.");
  spec.more = tr(
      "The same number was logged again after V1, which was made against hidden states: what V1 removed was "
      "not it.");
  spec.section = "symptom";
  return spec;
}

PredictionSpec data_set_question() {
  PredictionSpec spec = ask(
      "data_set", tr("A third log of the program says 466,735,788. How many classes has that data set?"),
      AskedWords{
          .right = {"172"},
          .options = {"101", "172", "251", "1000"},
          .wrong = {{tr("the same data set"), {"251"}, tr("251 classes make 467,019,003.")}},
          .around = {tr("which data set"),
                     tr("Two layers and the final norm take 466,119,168. The rest is 616,620 = 172 x 3,585: "
                        "172 classes, each with a bias. 172 and 251 are data sets of that program.")}});
  spec.context = tr(
      "A layer has 233,057,792 parameters, the final norm 3,584. In a terminal: ./run plan explain 466735788 "
      "--config assets/models/qwen2_5_vl_7b.json");
  spec.more = tr("This number is even. Parity does not refute hidden states here, the remainder 2,220 does.");
  return spec;
}

PredictionSpec head_question() {
  const std::string none = tr("none: another bucket has it"), biased = tr("a classifier with a bias"),
                    plain = tr("a classifier without a bias");
  PredictionSpec spec = ask(
      "other_head",
      tr("Another user's log (LlamaFactory #7396) says 466,119,168. Which head is in that bucket?"),
      AskedWords{
          .right = {none},
          .options = {biased, plain, none},
          .wrong = {{tr("a head of one class"),
                     {biased},
                     tr("One class with a bias is 3,585 elements more.")},
                    {tr("a head of one class"), {plain}, tr("One class is 3,584 elements more.")}},
          .around = {tr("which head"),
                     tr("466,119,168 is two layers and the final norm alone. A language model's head of 545 "
                        "million is larger than a bucket and is sent by itself.")}});
  spec.context =
      tr("In a terminal: ./run plan explain 466119168 --config assets/models/qwen2_vl_7b.json --lm-head");
  return spec;
}

PredictionSpec accumulate_question() {
  PredictionSpec spec = ask(
      "accumulate",
      tr("SeqNum=56731 is the first call after S whole steps: 730 + S x (17 g + 4) + 1. Which g?"),
      AskedWords{
          .right = {"8"},
          .options = {"1", "2", "4", "8", "16"},
          .wrong = {{tr("the third log's"),
                     {"4"},
                     tr("g = 4 makes 72 calls a step: 56,000 / 72 is not whole.")}},
          .around = {tr("the sequence number"),
                     tr("56,000 = 400 x 140, with g = 8 micro-batches a step. The other g leave a rest.")}});
  spec.context = tr(
      "730 broadcasts come first, one a parameter. A step is 17 buckets for each of g micro-batches, and 4 "
      "calls of the optimizer. In a terminal: ./run plan steps 56731 --config "
      "assets/models/qwen2_5_vl_7b.json --classes 251 --head-bias");
  spec.more =
      tr("2,131 = 730 + 10 x 140 + 1 fits as well, and 87,131 = 730 + 1,200 x 72 + 1 with g = 4: three of "
         "three are "
         "the first call after a step boundary.");
  return spec;
}

// ---- The run --------------------------------------------------------------------------

PredictionSpec first_bucket_question() {
  const std::string not_states =
      tr("Hidden states are what an evaluation could gather. The bucket holds gradients, one element a "
         "parameter.");
  PredictionSpec spec;
  spec.id = "first_bucket";
  spec.name = tr("the first bucket");
  spec.question = tr("How many elements has the first bucket of the model that runs here?");
  std::map<std::string, int64_t> sums;
  for (const Gradient& gradient : gradients_in(GradientOrder::kBackward, classifier_shapes(lesson_model())))
    sums[gradient.group] += gradient.elements;
  spec.context =
      tr("Gradients drop into the bucket in the order of backward: head {}, final norm {}, then {} for each "
         "layer. It "
         "is sent as soon as the next one would pass the limit: here after two layers.",
         format_count(sums["head"]), format_count(sums["final norm"]), format_count(sums["layer 0"]));
  spec.unit = tr("elements");
  spec.whole = true;
  spec.formula = [](const Config& config) {
    const Training training = base_training(config);
    return static_cast<double>(
        plan_buckets(classifier_shapes(training.model), {.bucket_size = training.bucket_elements})
            .buckets.front()
            .elements);
  };
  spec.wrong = {
      wrong(tr("the hidden states of one layer, on one rank"), not_states, one_layer),
      wrong(tr("the hidden states of all layers"), not_states,
            [](const Config& config) { return one_layer(config) * layers_and_embedding(config); }),
      wrong(tr("the hidden states of one layer, over all ranks"), tr("A log line counts one rank."),
            [](const Config& config) { return one_layer(config) * ranks(config); }),
      wrong(tr("all gradients at once"),
            tr("Buckets are sent while backward still runs: the first one goes as soon as it is full."),
            [](const Config& config) {
              return static_cast<double>(count_trainable(classifier_shapes(base_training(config).model)));
            }),
      wrong(tr("the bucket's size"),
            tr("It is sent before the gradient that would pass the limit, so it is rarely full."),
            [](const Config& config) { return static_cast<double>(base_training(config).bucket_elements); })};
  spec.measured = [](const Trace& trace) { return figure(trace, "symptom", "stuck_elements"); };
  spec.why =
      tr("Head, final norm and the last two layers fit. The next gradient would pass the limit, so the "
         "bucket goes "
         "without it.");
  spec.more = tr("The source's 7B fills its bucket in the same order: its sum is the number in the log.");
  spec.section = "symptom";
  return spec;
}

PredictionSpec numel_question() {
  PredictionSpec spec = ask(
      "numel_in", tr("NumelIn in a log line of NCCL's watchdog: the elements of how many ranks is that?"),
      AskedNumber{
          .unit = tr("ranks"),
          .right = 1,
          .measured = [](const Trace& trace) -> std::optional<double> {
            const auto line = figure(trace, "symptom", "stuck_elements"),
                       bucket = outcome(trace, "first_bucket_here");
            if (!line || !bucket || *bucket == 0) return std::nullopt;
            return *line / *bucket;
          },
          .around = {tr("one rank or all"),
                     tr("Each rank prints what it passed in itself. The number divided by the first bucket "
                        "of one rank is 1.")},
          .whole = true});
  spec.context = tr("Each rank of the group calls the all-reduce with a tensor of its own.");
  spec.wrong = {wrong(tr("of all ranks"),
                      tr("An all-reduce adds up tensors of equal size, so more ranks do not make it larger."),
                      ranks)};
  spec.section = "symptom";
  spec.again = {"ranks=8"};
  return spec;
}

PredictionSpec timeout_question() {
  PredictionSpec spec;
  spec.id = "timeout_x3";
  spec.name = tr("three times the timeout");
  spec.question = tr("The timeout is made three times as long. After how many seconds does the run die?");
  spec.context = tr("This is what most people try first. 0 means that it never dies.");
  spec.unit = "s";
  spec.formula = [](const Config& config) { return kTimesLonger * config.real("deadline"); };
  spec.wrong = {wrong(tr("after the old deadline"), tr("The watchdog waits for the new one."),
                      [](const Config& config) { return config.real("deadline"); }),
                wrong(tr("never"), tr("A longer wait does not bring the missing rank."),
                      [](const Config&) { return 0.0; })};
  spec.measured = [](const Trace& trace) -> std::optional<double> {
    const auto ms = figure(trace, "fix timeout", kEndedMs);
    return ms ? std::optional(*ms * 1e-3) : std::nullopt;
  };
  spec.why = tr("The missing rank never comes. The run fails at the same call, after three times as long.");
  spec.more = tr(
      "A longer timeout helps where a rank is slow and does come, as while it saves a checkpoint: case 9.");
  spec.section = "fix timeout";
  spec.again = {"deadline=0.5", "deadline=2"};
  return spec;
}

double wire_ms(const Config& config) {
  for (const WireTime& time : wire_times(config.integer("logged"), kRanksOfTheCase))
    if (time.link == "nvlink") return time.ms;
  return 0;
}

PredictionSpec wire_question() {
  PredictionSpec spec;
  spec.id = "wire_ms";
  spec.name = tr("on the wire");
  spec.question = tr("How long is the logged all-reduce on the wire: bf16, 8 ranks, NVLink at 450 GB/s?");
  spec.context = tr("In a ring of N ranks each sends 2(N-1)/N of the tensor.");
  spec.unit = "ms";
  spec.formula = wire_ms;
  spec.wrong = {
      wrong(tr("its deadline"), tr("A call times out because a rank is missing, or stands still in it."),
            [](const Config&) { return SourceArithmetic().deadline_s * 1e3; }),
      wrong(tr("counted once"), tr("Each element travels twice: to be added up, and to come back."),
            [](const Config& config) { return wire_ms(config) / 2; }),
      wrong(tr("4 bytes an element"), tr("It travels as bf16, two bytes an element."),
            [](const Config& config) { return wire_ms(config) * 2; }),
      wrong(tr("every rank sends all of it to every other"),
            tr("In a ring each rank sends a part at a time, 2(N-1)/N of the tensor in all."),
            [](const Config& config) { return wire_ms(config) * kRanksOfTheCase / 2; })};
  spec.why = tr("That is milliseconds, and the deadline is ten minutes: size is not why it timed out.");
  return spec;  // no run sends that much: the answer is calculated
}

// What one rank would receive in an evaluation: from each other rank, two batches of all it returned.
PredictionSpec gathered_question() {
  const auto received = [](const Config& config, double layers, double senders) {
    constexpr double kBatches = 2, kFloat = 4, kLabel = 8, kMebi = 1048576;
    const Training training = base_training(config);
    const auto rows = static_cast<double>(training.evaluation_rows);
    const double others = rows * static_cast<double>(training.model.classes) * kFloat + rows * kLabel;
    return senders * kBatches * (layers * one_layer(config) * kFloat + others) / kMebi;
  };
  PredictionSpec spec;
  spec.id = "gathered_bytes";
  spec.name = tr("gathered");
  spec.question = tr(
      "Were hidden states returned and gathered, fp32: how many MiB would a rank receive in one evaluation?");
  spec.context = tr(
      "Two batches of 8 rows and 64 tokens on each rank; 4 layers and an embedding of 64 elements a token, 7 "
      "logits and a label of 8 bytes a row. The source's program returned none.");
  spec.unit = "MiB";
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
      wrong(tr("logits and labels alone"), tr("Hidden states are far larger."),
            [=](const Config& config) { return received(config, 0, ranks(config) - 1); })};
  spec.measured = [](const Trace& trace) -> std::optional<double> {
    const auto bytes = figure(trace, "original", kGathered);
    return bytes ? std::optional(*bytes / 1048576) : std::nullopt;
  };
  spec.why =
      tr("Each of the other ranks sends its rows with the hidden states of all layers. That would cost "
         "memory and time, "
         "and it is another call than the one that timed out.");
  spec.section = "original";
  spec.again = {"ranks=8", "ranks=3"};
  return spec;
}

}  // namespace

std::vector<PredictionSpec> predictions() {
  return {parity_question(), what_question(),         data_set_question(), accumulate_question(),
          head_question(),   first_bucket_question(), numel_question(),    timeout_question(),
          wire_question(),   gathered_question()};
}

}  // namespace ringside::nccl_lesson
