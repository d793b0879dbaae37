// Short ways to declare a question: what is asked, what is right, what people believe instead.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ringside/lesson/lesson.h"

namespace ringside {

// What is said around a question: see PredictionSpec.
struct AskedAround {
  std::string name = {}, why = {}, board = {};
};

// One that is answered in words: ask("first", tr("Which is first?"), {.right = {"a"}, .options = ...}).
struct AskedWords {
  AnswerKind kind = AnswerKind::kChoice;
  Words right = {}, options = {};
  std::function<Words(const Config&)> right_by = {}, options_by = {};  // instead, where the scenario decides
  std::vector<WrongWords> wrong = {};  // left out where the scenario makes it right
  std::function<std::optional<Words>(const Trace&)> measured = {};
  std::string figure = {};
  AskedAround around = {};
};
PredictionSpec ask(std::string id, std::string question, AskedWords words);
Words lines_of(const std::string& text);  // as the options of a question of kLine

// One that is answered by a number, the same at every scenario; each wrong one by the name of what is
// believed.
struct AskedNumber {
  std::string unit = {};
  double right = 0;
  std::vector<std::pair<std::string, double>> wrong = {};
  std::function<std::optional<double>(const Trace&)> measured = {};
  std::string figure = {};
  AskedAround around = {};
  bool whole = false;  // it counts something
};
PredictionSpec ask(std::string id, std::string question, AskedNumber number);

}  // namespace ringside
