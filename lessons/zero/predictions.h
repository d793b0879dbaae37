// What a learner is asked before the run, with the misconceptions whose formula is known.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ringside/lesson/lesson.h"

namespace ringside::zero_lesson {

std::vector<PredictionSpec> predictions();  // all of them, in the order they are asked

// Its parts: how much is there twice, what a rank keeps, what it sends, which stage to take.
PredictionSpec copies_question();
std::vector<PredictionSpec> state_questions();
std::vector<PredictionSpec> sent_questions();
std::vector<PredictionSpec> choice_questions();

using TextOf = std::function<std::string(const Config&)>;
using SymbolsOf = std::function<std::vector<Symbol>(const Config&)>;

// What one sees before the first question, with the scenario's numbers.
std::vector<std::string> opening(const Config& config);

// A known error: what it is called, and why it is one.
struct Mistake {
  std::string name, why;
};
// A wrong formula is its text: the value is what the text gives. "" where it does not apply.
WrongFormula wrong_formula(Mistake mistake, TextOf text, SymbolsOf symbols);

Symbol ranks_symbol(const Config& config);  // N
Symbol parameters_symbol();                 // Ψ, as the unit: 1

}  // namespace ringside::zero_lesson
