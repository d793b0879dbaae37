// What the lesson counts in small models, and what follows from it for a released one
// (planner/card_budget.h). GB is 10^9 bytes.
#pragma once

#include "ringside/lesson/lesson_kit.h"
#include "ringside/planner/card_budget.h"

namespace ringside::lessons::fits {

inline constexpr double kGiga = 1e9;
inline constexpr int kStages = 4;

CardBudget budget_of(const Config& config);  // a card of the scenario

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
      "cards",        "stage", "parameters [bytes]", "gradients [bytes]", "optimizer [bytes]",
      "card [bytes]", "asked"};
  int64_t stage = 0;
  double parameters = 0, gradients = 0, optimizer = 0, card = 0;
  bool asked = false;  // the scenario's stage
  double state() const { return parameters + gradients + optimizer; }
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
  ActivationSizes sizes() const { return {b, s, h, a, L}; }
};
inline constexpr char kFitted[] = "fitted", kPredicted[] = "predicted";

// What is fitted to the sizes, and what follows for one sequence of the released model.
struct FitRow {
  static constexpr Columns kTable{"fit", "c1", "c2", "error [%]", "sequence [bytes]", "logits [bytes]"};
  double hidden = 0, scores = 0, error = 0;  // the largest one of the sizes kept aside
  double sequence = 0, logits = 0;           // the logits are in it
};
// Sequences of the largest micro-batch beside a stage's state, by the fit.
struct MostRow {
  static constexpr Columns kTable{"micro-batches", "stage",      "left [GB]", "all kept",
                                  "no scores",     "recomputed", "asked"};
  int64_t stage = 0;
  double left = 0;
  int64_t all_kept = 0, no_scores = 0, recomputed = 0;
  bool asked = false;  // the scenario's stage
};
// Least squares over the sizes that are to be fitted, each by its share; sets `by_fit` and `error` of all.
// Not with the scenario's part.
FitRow fit_sizes(std::vector<SizeRow>& sizes);
// The scenario's part: records the row with it, and what follows from it for the cards.
void record_fit(Recorder& pen, FitRow fit, const CardBudget& budget, const std::vector<CardRow>& cards);

void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::fits
