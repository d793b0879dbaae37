// Short ways to declare a question whose answers are the same at every scenario.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ringside/lesson/lesson.h"

namespace ringside {

// The parts of a question that is answered in words: ask("first", tr("Which is first?"), {.right = {"a"},
// ...}).
struct FixedWords {
  AnswerKind kind = AnswerKind::kChoice;
  Words right = {}, options = {};
  std::vector<WrongWords> wrong = {};
  std::function<std::optional<Words>(const Trace&)> measured = {};
  std::string figure = {};
};
inline PredictionSpec ask(std::string id, std::string question, FixedWords words) {
  PredictionSpec spec{.id = std::move(id), .question = std::move(question)};
  spec.words = WordQuestion{.kind = words.kind,
                            .right = always(std::move(words.right)),
                            .options = always(std::move(words.options)),
                            .wrong = always(std::move(words.wrong)),
                            .measured = std::move(words.measured)};
  spec.figure = std::move(words.figure);
  return spec;
}

// Of one that is answered by a number; each wrong answer by the name of what is believed.
struct FixedNumber {
  std::string unit = {};
  double right = 0;
  std::vector<std::pair<std::string, double>> wrong = {};
  std::function<std::optional<double>(const Trace&)> measured = {};
  std::string figure = {};
};
inline PredictionSpec ask(std::string id, std::string question, FixedNumber number) {
  PredictionSpec spec{.id = std::move(id), .question = std::move(question), .unit = std::move(number.unit)};
  spec.formula = always(number.right);
  for (auto& [name, value] : number.wrong) spec.wrong.push_back({std::move(name), always(value)});
  spec.measured = std::move(number.measured);
  spec.figure = std::move(number.figure);
  return spec;
}

}  // namespace ringside
