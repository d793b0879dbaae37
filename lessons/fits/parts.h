// What the lesson counts in small models, and what follows from it for a released one.
//
// State of a rank: 16 bytes per parameter in bf16 with AdamW, cut by the stage (Rajbhandari et al.,
// arXiv:1910.02054). What forward keeps for backward, of b sequences of s tokens, hidden size h, a heads, L
// layers:
//   bytes = L (c1 s b h + c2 a s^2 b)
// the form of Korthikanti et al. 2022 (arXiv:2205.05198: c1 = 34, c2 = 5 for GELU with I = 4h, dropout, 16
// bits). c1 and c2 are fitted to counted bytes. Left out: embedding and head, and what backward works with
// beside it, which the peak has (a few percent, the table has both). GB is 10^9 bytes.
#pragma once

#include "ringside/lesson/lesson_kit.h"
#include "ringside/planner/model_config.h"
#include "ringside/planner/zero_plan.h"

namespace ringside::lessons::fits {

inline constexpr double kGiga = 1e9;
inline constexpr int kStages = 4;

struct Shape {
  int64_t b = 1, s = 1, h = 1, a = 1, L = 1;  // sequences, tokens, hidden, heads, layers
  double hidden() const { return double(s * b) * double(h); }
  double scores() const { return double(a * b) * double(s) * double(s); }
};

struct Coefficients {  // c1 and c2
  double hidden = 0, scores = 0;
  double bytes(const Shape& of) const { return double(of.L) * (hidden * of.hidden() + scores * of.scores()); }
};
inline constexpr Coefficients kPaper{34, 5};  // of arXiv:2205.05198

// A released model, and what a card holds of it.
struct Budget {
  ModelConfig model;
  double parameters = 0;  // Ψ
  int cards = 1, stage = 0;
  double memory = 0;                                          // bytes of a card
  Shape sequence;                                             // one of them: b = 1
  StateBytes state(int of_stage) const;                       // of a card, calculated
  double logits() const;                                      // of one sequence, in fp32, once
  double one(const Coefficients& fit) const;                  // activations and logits of one sequence
  double checkpointed(const Coefficients& fit) const;         // layer inputs, and one layer
  int64_t most(double state_bytes, double a_sequence) const;  // sequences that fit; 0: none
};
Budget budget_of(const Config& config);
// UsageError with the models that there are; what reading throws.
void validate_model(const std::string& model);
// Of this engine's layer: for a token about 22 h for norms and attention, 4 h by kv_heads / heads, 8 I for
// SwiGLU, 6 a s for the scores (a softmax in fp32 and its copy in bf16). A test holds it to the fit.
Coefficients by_listing(const Budget& budget);

// A small training of one stage: state counted on rank 0 and predicted.
struct StateRow {
  static constexpr Columns kTable{"state",
                                  "stage",
                                  "parameters",
                                  "predicted [bytes]",
                                  "padding [bytes]",
                                  "counted [bytes]",
                                  "activations [bytes]",
                                  "parameter bytes [bytes]",
                                  "gradient bytes [bytes]",
                                  "optimizer bytes [bytes]",
                                  "model parameters",
                                  "card bytes [bytes]"};
  int64_t stage = 0, parameters = 0, predicted = 0, padding = 0, counted = 0, activations = 0;  // their peak
  double parameter_bytes = 0, gradient_bytes = 0, optimizer_bytes = 0;  // counted, by kind, without padding
  double model_parameters = 0, card_bytes = 0;
  double scaled(double bytes) const { return bytes / double(parameters) * model_parameters; }
  double scaled_state() const { return scaled(double(counted - padding)); }
};

// The peak of the activations of one small training.
struct SizeRow {
  static constexpr Columns kTable{"sizes",        "b",     "s", "h", "a", "layers", "counted [bytes]",
                                  "peak [bytes]", "fitted"};
  int64_t b = 0, s = 0, h = 0, a = 0, layers = 0;
  int64_t counted = 0, peak = 0;  // live when forward has ended; of the step, with what backward works with
  bool fitted = true;             // or kept aside, to be predicted
  Shape shape() const { return {b, s, h, a, layers}; }
};

// Of the released model, for who reads the trace alone.
struct ModelRow {
  static constexpr Columns kTable{"model", "s", "h", "a", "layers", "vocabulary", "stage", "cards", "name"};
  int64_t s = 0, h = 0, a = 0, layers = 0, vocabulary = 0, stage = 0, cards = 0;
  std::string name;
};

// Least squares over the sizes that are to be fitted, each by its share; none where there are too few.
std::optional<Coefficients> fitted(const Trace& trace);
double largest_error(const Trace& trace, const Coefficients& fit);  // of the sizes kept aside, relative
StateRow state_row(const Trace& trace, int64_t stage);              // NotRun, as of those that follow
// From counted bytes alone: of one sequence of the released model, with its logits.
double sequence_bytes(const Trace& trace);
// What was counted of the stage that is asked about.
struct Asked {
  StateRow state;
  double sequence = 0;  // bytes of one
};
Asked asked_of(const Trace& trace);

void run(const Config& config, const RunContext& context);
std::vector<FigureOf> figures();
std::vector<Readout> readouts(const FigureInput& input);
Lesson make_lesson();

}  // namespace ringside::lessons::fits
