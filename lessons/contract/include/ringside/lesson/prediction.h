// When a question may be asked, and whose answer a wrong one is.
#pragma once

#include <vector>

#include "ringside/lesson/lesson.h"
#include "ringside/lesson/word_question.h"

namespace ringside {

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

// No run measures it: the answer is the formula's, and is called calculated wherever it is shown.
bool is_calculated(const PredictionSpec& prediction);

// Whether the right answer differs from every wrong one that applies here. If not, ask at another scenario.
bool askable(const PredictionSpec& prediction, const Config& config);

}  // namespace ringside
