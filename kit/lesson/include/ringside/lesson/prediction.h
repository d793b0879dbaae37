// When a question may be asked, and whose answer a wrong one is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ringside/lesson/lesson.h"
#include "ringside/lesson/word_question.h"

namespace ringside::inline kit {

// A wrong value that nobody can take for the right one: finite, and 5% of the right one away.
bool tells_apart(double right, double wrong);

// Whether an answer is that value: within 2.5% of it, half of what tells two values apart.
bool is_answer(double answer, double value);

// The wrong formulas that tell themselves apart at this scenario, with their values. `right` is the
// formula's, or what was measured.
std::vector<WrongAnswer> wrong_answers(const PredictionSpec& prediction, const Config& config, double right);
// Of a question in words: those that are not `right`.
std::vector<WrongAnswer> wrong_answers(const WordQuestion& question, const Config& config,
                                       const Words& right);

// Of those, the ones that give this answer: more than one where they cannot be told apart.
std::vector<WrongAnswer> named_wrong(const PredictionSpec& prediction, const Config& config, double answer);
std::vector<WrongAnswer> named_wrong(const WordQuestion& question, const Config& config, const Words& answer);

// ---- An answer, judged -------------------------------------------------------

struct NamedError {
  std::string name, why;
  bool operator==(const NamedError&) const = default;
};
// A number of ranks at which a formula is wrong though it is right at the scenario's.
struct Elsewhere {
  double here = 0, ranks = 0;  // the scenario's, and that one
  double mine = 0, right = 0;  // there; NaN: the learner's formula has no value
};
struct Judgement {
  bool right = false;                  // everywhere, where it is a formula
  std::optional<Elsewhere> elsewhere;  // right here, but not there
  std::vector<NamedError> errors;      // those that it agrees with, in all that was compared
};

// A number is judged at the scenario. A formula also with 2, 8 and 64 in place of N, where the right one is
// known as text: it is right, or is a known error, only if it fits everywhere. One without a symbol is a
// number.
Judgement judge(const PredictionSpec& prediction, const Config& config, double answer);
Judgement judge(const PredictionSpec& prediction, const Config& config, const Formula& answer);
Judgement judge(const PredictionSpec& prediction, const Config& config, const Words& answer);
// "right at 4 ranks, wrong at 64"
std::string in_words(const Elsewhere& elsewhere);
// The value of a formula in the question's symbols with N replaced; none where it has none.
std::optional<double> value_at(const Formula& formula, const PredictionSpec& prediction, const Config& config,
                               double ranks);
std::optional<double> right_at(const PredictionSpec& prediction, const Config& config, double ranks);

// No run measures it: the answer is the formula's, and is called calculated wherever it is shown.
bool is_calculated(const PredictionSpec& prediction);

// Whether the right answer differs from every wrong one that applies here. If not, ask at another scenario.
bool askable(const PredictionSpec& prediction, const Config& config);

}  // namespace ringside::inline kit
