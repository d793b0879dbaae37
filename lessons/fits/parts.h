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
};
struct Coefficients {  // c1 and c2
  double hidden = 0, scores = 0;
  double bytes(const auto& of) const {  // a Shape's, or what is so named
    return double(of.L) * double(of.s * of.b) * (hidden * double(of.h) + scores * double(of.a * of.s));
  }
};
inline constexpr Coefficients kPaper{34, 5};  // of arXiv:2205.05198
inline constexpr Coefficients kInputs{2, 0};  // a layer's input alone, in bf16

// A released model, and what a card holds of it.
struct Budget {
  ModelConfig model;
  double parameters = 0;  // Ψ
  int cards = 1, stage = 0;
  double memory = 0;                                   // bytes of a card
  Shape sequence;                                      // one of them: b = 1
  StateBytes state(int of_stage) const;                // of a card, calculated
  double logits() const;                               // of one sequence, in fp32, once
  double one(const Coefficients& fit) const;           // activations and logits of one sequence
  double checkpointed(const Coefficients& fit) const;  // layer inputs, and one layer
};
Budget budget_of(const Config& config);
// UsageError with the models that there are; what reading throws.
void validate_model(const std::string& model);
// Of this engine's layer: for a token about 22 h for norms and attention, 4 h by kv_heads / heads, 8 I for
// SwiGLU, 6 a s for the scores (a softmax in fp32 and its copy in bf16). A test holds it to the fit.
Coefficients by_listing(const Budget& budget);

// A small training of one stage: its state, counted on rank 0 and predicted.
struct StateRow {
  static constexpr Columns kTable{"state",           "stage",        "predicted [bytes]",  "padding [bytes]",
                                  "counted [bytes]", "each [bytes]", "activations [bytes]"};
  int64_t stage = 0, predicted = 0, padding = 0, counted = 0;
  double each = 0;          // of a parameter, without padding
  int64_t activations = 0;  // their peak
};
// The counted bytes without padding, of as many parameters as the released model has; and a card's.
struct CardRow {
  static constexpr Columns kTable{
      "cards", "stage", "parameters [bytes]", "gradients [bytes]", "optimizer [bytes]", "card [bytes]"};
  int64_t stage = 0;
  double parameters = 0, gradients = 0, optimizer = 0, card = 0;
  StateBytes bytes() const { return {parameters, gradients, optimizer}; }
  double state() const { return bytes().total(); }
};

// The activations of one small training.
struct SizeRow {
  static constexpr Columns kTable{
      "sizes",        "b",   "s", "h", "a", "L", "counted [bytes]", "by the fit [bytes]", "error [%]",
      "peak [bytes]", "role"};
  int64_t b = 0, s = 0, h = 0, a = 0, L = 0;
  int64_t counted = 0, by_fit = 0;  // counted: live when forward has ended
  double error = 0;
  int64_t peak = 0;       // of the step, with what backward works with
  std::string role = {};  // kFitted, or kPredicted: kept aside
};
inline constexpr char kFitted[] = "fitted", kPredicted[] = "predicted";

// What is fitted to the sizes, and what follows for the scenario's stage.
struct FitRow {
  static constexpr Columns kTable{"fit", "c1", "c2", "error [%]", "sequence [bytes]", "stage"};
  double hidden = 0, scores = 0, error = 0;  // the largest one of the sizes kept aside
  double sequence = 0;                       // of the released model, with its logits
  int64_t stage = 0;
  Coefficients fit() const { return {hidden, scores}; }
};
// Least squares over the sizes that are to be fitted, each by its share; sets `by_fit` and `error` of all.
// Not with the scenario's part.
FitRow fit_sizes(std::vector<SizeRow>& sizes);

// Sequences that fit beside the state; 0: none.
inline int64_t most(double memory, double state, double sequence) {
  return std::max<int64_t>(0, int64_t(std::floor((memory - state) / sequence)));
}

void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::fits
