// Does a 7B model train on 8 cards of 80 GB? State by the formula, held against counted bytes; activations
// counted in small models, fitted, and scaled.
#include <fmt/format.h>

#include <cmath>

#include "parts.h"
#include "ringside/lesson/claim_forms.h"
#include "ringside/lesson/parameter_specs.h"
#include "ringside/lesson/question_forms.h"
#include "ringside/lesson/tr.h"

namespace ringside::fits_lesson {
namespace {

const ClaimResult kNotRun = not_testable(tr("it was not run"));
constexpr const char *kParametersWord = "parameters", *kGradientsWord = "gradients",
                     *kOptimizerWord = "optimizer state", *kActivationsWord = "activations";

std::string stage_word(int64_t stage) { return fmt::format("stage {}", stage); }

// ---- Measured -----------------------------------------------------------------------

std::optional<double> state_one_card(const Trace& trace) {
  const auto row = state_row(trace, 0);
  return row ? std::optional(row->scaled_state() / kGiga) : std::nullopt;
}

std::optional<Words> stages_that_fit(const Trace& trace) {
  Words fit;
  for (int stage = 0; stage < kStages; ++stage) {
    const auto row = state_row(trace, stage);
    if (!row) return std::nullopt;
    if (row->scaled_state() <= row->card_bytes) fit.push_back(stage_word(stage));
  }
  return fit.empty() ? Words{"none"} : fit;
}

std::string largest(const StateBytes& state, double activations) {
  const std::pair<double, const char*> parts[] = {{state.parameters, kParametersWord},
                                                  {state.gradients, kGradientsWord},
                                                  {state.optimizer, kOptimizerWord},
                                                  {activations, kActivationsWord}};
  return std::max_element(std::begin(parts), std::end(parts))->second;
}

std::optional<int> asked_stage(const Trace& trace) {
  const auto model = rows_in<ModelRow>(trace);
  return model.empty() ? std::nullopt : std::optional(static_cast<int>(model.front().stage));
}

std::optional<Words> dominates(const Trace& trace) {
  const auto stage = asked_stage(trace);
  const auto row = stage ? state_row(trace, *stage) : std::nullopt;
  const auto one = sequence_bytes(trace);
  if (!row || !one) return std::nullopt;
  return Words{largest({row->scaled(row->parameter_bytes), row->scaled(row->gradient_bytes),
                        row->scaled(row->optimizer_bytes)},
                       *one)};
}

std::optional<double> most_sequences(const Trace& trace) {
  const auto stage = asked_stage(trace);
  const auto row = stage ? state_row(trace, *stage) : std::nullopt;
  const auto one = sequence_bytes(trace);
  if (!row || !one) return std::nullopt;
  return std::max(0.0, std::floor((row->card_bytes - row->scaled_state()) / *one));
}

// ---- Predictions --------------------------------------------------------------------

PredictionSpec ask_state() {
  const auto of = [](double bytes) {
    return [bytes](const Config& config) { return bytes * budget_of(config).parameters / kGiga; };
  };
  return {
      .id = "state_one_card",
      .question = tr("Stage 0, bf16, AdamW: how many GB do the model's parameters, gradients and optimizer "
                     "state take on one card?"),
      .unit = "GB",
      .formula = of(16),
      .wrong = {{tr("the weights alone"),
                 of(2),
                 {},
                 tr("In bf16 the weights are 2 bytes a parameter. A training also keeps gradients, 2, and "
                    "for AdamW 12: a master copy and two moments in fp32.")},
                {tr("weights and gradients, no optimizer"),
                 of(4),
                 {},
                 tr("AdamW keeps 12 bytes a parameter: a master copy and two moments, in fp32 each.")},
                {tr("the fp32 master copy, or one moment, left out"),
                 of(12),
                 {},
                 tr("In bf16 the optimizer changes an fp32 copy of the parameters, 4 bytes, and keeps two "
                    "moments of 4 bytes.")}},
      .measured = state_one_card,
      .name = tr("state"),
      .board = "state",
      .context = tr("GB is 10^9 bytes. The answer is scaled from the bytes that a small model is counted to "
                    "keep."),
      .why = tr("2 bytes for a parameter, 2 for its gradient, 12 for AdamW: 16 bytes. The weights are an "
                "eighth of it.")};
}

PredictionSpec ask_fits() {
  const auto right = [](const Config& config) {
    const Budget budget = budget_of(config);
    Words fit;
    for (int stage = 0; stage < kStages; ++stage)
      if (budget.state(stage).total() <= budget.memory) fit.push_back(stage_word(stage));
    return fit.empty() ? Words{"none"} : fit;
  };
  return ask("fits", tr("In which stages does that state, without activations, fit on a card?"),
             {.kind = AnswerKind::kChoices,
              .options = {"stage 0", "stage 1", "stage 2", "stage 3", "none"},
              .right_by = right,
              .wrong = {{tr("the weights fit on one card, so all stages fit"),
                         {"stage 0", "stage 1", "stage 2", "stage 3"},
                         tr("Weights are 2 of 16 bytes a parameter. Stage 0 keeps all 16 on every card.")},
                        {tr("only stage 3 helps"),
                         {"stage 3"},
                         tr("Stage 1 already splits the optimizer's state, 12 of 16 bytes.")},
                        {tr("stage 1 saves too little"),
                         {"stage 2", "stage 3"},
                         tr("Stage 1 splits the largest part: 12 of 16 bytes a parameter.")},
                        {tr("more cards change nothing"),
                         {"none"},
                         tr("From stage 1 on each card keeps 1/N of what is split.")}},
              .measured = stages_that_fit,
              .around = {tr("which stage"),
                         tr("Stages 0 to 3 keep 16, 4 + 12/N, 2 + 14/N and 16/N bytes a parameter. Stage 1 "
                            "makes the largest step, because the optimizer's state is 12 of the 16 bytes."),
                         "state"}});
}

PredictionSpec ask_dominates() {
  const auto right = [](const Config& config) {
    const Budget budget = budget_of(config);
    return Words{largest(budget.state(budget.stage), budget.one(by_listing(budget)))};
  };
  return ask(
      "dominates",
      tr("In the scenario's stage, with one sequence a card: which part of the memory is the largest?"),
      {.options = {kParametersWord, kGradientsWord, kOptimizerWord, kActivationsWord},
       .right_by = right,
       .wrong = {{tr("the optimizer always is the largest"),
                  {kOptimizerWord},
                  tr("It is the largest part of the state. But ZeRO splits it, and leaves the "
                     "activations as they are.")},
                 {tr("the weights are what a model is"),
                  {kParametersWord},
                  tr("In bf16 they are 2 of 16 bytes a parameter.")},
                 {tr("gradients are as large as the model"),
                  {kGradientsWord},
                  tr("They are as large as the weights: 2 of 16 bytes a parameter.")},
                 {tr("activations taken for large at any size"),
                  {kActivationsWord},
                  tr("They grow with tokens and sequences. With few of them the state is larger.")}},
       .measured = dominates,
       .around = {tr("largest part"),
                  tr("ZeRO splits state among the cards and leaves activations whole. A layer keeps "
                     "s b h (c + 6 a s/h) bytes here, and with s tokens the second term grows by s²."),
                  "activations"}});
}

PredictionSpec ask_most() {
  const auto most = [](const auto& a_sequence) {
    return [a_sequence](const Config& config) {
      const Budget budget = budget_of(config);
      return double(budget.most(budget.state(budget.stage).total(), a_sequence(budget)));
    };
  };
  const auto own = [](const Budget& budget) { return budget.one(by_listing(budget)); };
  const auto paper = [](const Budget& budget) { return budget.one(kPaper); };
  const auto flash = [](const Budget& budget) { return budget.one({by_listing(budget).hidden, 0}); };
  const auto inputs = [](const Budget& budget) { return budget.one({2, 0}); };
  return {
      .id = "most",
      .question = tr("In the scenario's stage, nothing recomputed: how many sequences does the largest "
                     "micro-batch of a card have?"),
      .unit = tr("sequences"),
      .formula = most(own),
      .wrong = {{tr("only the layers' inputs counted"),
                 most(inputs),
                 {},
                 tr("That is what activation checkpointing keeps. Without it a layer keeps all that its "
                    "backward needs.")},
                {tr("the attention's scores forgotten"),
                 most(flash),
                 {},
                 tr("A kernel such as FlashAttention never stores them. This engine's attention does: 6 a s² "
                    "bytes a layer and sequence.")},
                {tr("the paper's coefficients for another layer"),
                 most(paper),
                 {},
                 tr("34 and 5 are of a GELU layer with I = 4h. This layer is SwiGLU with a wider I, and "
                    "computes its softmax in fp32.")}},
      .measured = most_sequences,
      .name = tr("micro-batch"),
      .board = "activations",
      .why = tr("What the state leaves, divided by the activations of one sequence. They are counted in "
                "small models of the same proportions, and scaled."),
      .whole = true};
}

// ---- Claims -------------------------------------------------------------------------

ClaimResult formula_is_counted(const Trace& trace) {
  std::vector<std::string> bytes;
  bool holds = true;
  for (const StateRow& row : rows_in<StateRow>(trace)) {
    holds = holds && std::abs(row.predicted + row.padding - row.counted) <= 0;
    bytes.push_back(fmt::format("{:.2f}", double(row.counted - row.padding) / double(row.parameters)));
  }
  if (bytes.size() < kStages) return kNotRun;
  return holds_if(holds, tr("{} bytes a parameter counted in stages 0 to 3, each byte predicted",
                            fmt::join(bytes, ", ")));
}

ClaimResult weights_suffice(const Trace& trace) {
  const auto row = state_row(trace, 0);
  if (!row) return kNotRun;
  const double weights = row->scaled(row->parameter_bytes) / kGiga, all = row->scaled_state() / kGiga,
               card = row->card_bytes / kGiga;
  const std::string evidence = tr(
      "{:.1f} GB of weights, {:.1f} GB with gradients and optimizer state, a card of {:.1f} GB (scaled from "
      "counted bytes)",
      weights, all, card);
  if (weights > card) return not_testable(tr("the weights alone do not fit: {}", evidence));
  return holds_if(all <= card, evidence);
}

ClaimResult paper_form(const Trace& trace) {
  const auto fit = fitted(trace);
  if (!fit) return kNotRun;
  const double error = largest_error(trace, *fit);
  const std::string evidence =
      tr("fitted: {:.1f} + {:.2f} a s/h; the sizes kept aside are predicted within {:.1f} %", fit->hidden,
         fit->scores, 100 * error);
  const bool same =
      std::abs(fit->hidden / kPaper.hidden - 1) < 0.05 && std::abs(fit->scores / kPaper.scores - 1) < 0.05;
  if (error > 0.1) return {Verdict::kFails, evidence};
  return {same ? Verdict::kHolds : Verdict::kPartly,
          same ? evidence : tr("the form holds, its coefficients are of another layer; {}", evidence)};
}

ClaimResult zero_shards_activations(const Trace& trace) {
  const auto zero = state_row(trace, 0), three = state_row(trace, 3);
  if (!zero || !three || zero->activations == 0) return kNotRun;
  const double ratio = double(three->activations) / double(zero->activations);
  return holds_if(ratio < 0.9,
                  tr("their peak in stage 3 is {:.2f} times that of stage 0, the state {:.2f} times", ratio,
                     three->scaled_state() / zero->scaled_state()));
}

std::vector<std::string> opening(const Config& config) {
  const Budget budget = budget_of(config);
  return {tr("{} has {:.2f} billion parameters: {:.1f} GB of weights in bf16.", budget.model.source,
             budget.parameters / 1e9, 2 * budget.parameters / kGiga),
          tr("There are {} cards of {:g} GB. Each trains on sequences of {} tokens.", budget.cards,
             budget.memory / kGiga, budget.sequence.s)};
}

std::vector<Gauge> gauges() {
  return {{tr("activations of a sequence"), "GB",
           [](const FigureInput& input) -> std::optional<double> {
             const auto one = sequence_bytes(input.trace);
             return one ? std::optional(*one / kGiga) : std::nullopt;
           }},
          {tr("state in stage 3"), "GB", [](const FigureInput& input) -> std::optional<double> {
             const auto row = state_row(input.trace, 3);
             return row ? std::optional(row->scaled_state() / kGiga) : std::nullopt;
           }}};
}

}  // namespace

std::vector<PredictionSpec> predictions() { return {ask_state(), ask_fits(), ask_dominates(), ask_most()}; }

}  // namespace ringside::fits_lesson

namespace ringside::lessons::fits {

Lesson make_lesson() {
  using namespace fits_lesson;
  Lesson lesson;
  lesson.parameters = {
      text("model", "a model of assets/models, or a config.json", "qwen2_5_7b",
           {"qwen2_5_7b", "llama_2_7b", "llama_3_1_8b", "llama_3_2_1b", "qwen2_5_0_5b"}, validate_model),
      number("cards", "N; the small models train on as many ranks", "cards", "8", 1, 8),
      number("memory", "of a card; GB is 10^9 bytes", "GB", "80", 1, 1000, ParameterKind::kReal),
      number("tokens", "s, of a sequence of the released model", "tokens", "2048", 128, 131072),
      number("stage", "of ZeRO, that the questions are about", "", "3", 0, 3),
  };
  lesson.predictions = predictions();
  lesson.opening = opening;
  lesson.claims = {
      {"formula", "arXiv:1910.02054", tr("stages 0 to 3 keep 16, 4 + 12/N, 2 + 14/N, 16/N bytes a parameter"),
       formula_is_counted},
      {"weights", "a common belief", tr("a model whose weights fit on a card trains on that card"),
       weights_suffice},
      {"activations", "arXiv:2205.05198", tr("a layer keeps s b h (34 + 5 a s/h) bytes of activations"),
       paper_form},
      {"shards", "a common belief", tr("ZeRO shards the activations too"), zero_shards_activations}};
  lesson.figures = figures();
  lesson.gauges = gauges();
  lesson.words = {tr("The small models are starting."), tr("Now watch what is counted."), tr("step"), "step"};
  lesson.run = run;
  lesson.summary = summarize;
  return lesson;
}

}  // namespace ringside::lessons::fits
