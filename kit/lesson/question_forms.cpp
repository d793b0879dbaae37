#include "ringside/lesson/question_forms.h"

#include "ringside/lesson/figure_forms.h"
#include "ringside/lesson/word_question.h"

namespace ringside {
namespace {

void set_around(PredictionSpec& spec, AskedAround around) {
  spec.name = std::move(around.name);
  spec.why = std::move(around.why);
  spec.board = std::move(around.board);
}

}  // namespace

PredictionSpec ask(std::string id, std::string question, AskedWords words) {
  const auto right = words.right_by ? words.right_by : always(words.right);
  const auto wrong = [right, kind = words.kind, all = words.wrong](const Config& config) {
    std::vector<WrongWords> here = all;
    std::erase_if(here, [&](const WrongWords& one) { return same_words(kind, one.answer, right(config)); });
    return here;
  };
  PredictionSpec spec{.id = std::move(id), .question = std::move(question)};
  spec.words = WordQuestion{.kind = words.kind,
                            .right = right,
                            .options = words.options_by ? words.options_by : always(words.options),
                            .wrong = wrong,
                            .measured = std::move(words.measured)};
  spec.figure = std::move(words.figure);
  set_around(spec, std::move(words.around));
  return spec;
}

Words lines_of(const std::string& text) {
  Words lines;
  for (figure::SourceLine& line : figure::listing_of(text).lines) lines.push_back(std::move(line.text));
  return lines;
}

PredictionSpec ask(std::string id, std::string question, AskedNumber number) {
  PredictionSpec spec{.id = std::move(id), .question = std::move(question), .unit = std::move(number.unit)};
  spec.formula = always(number.right);
  for (auto& [name, value] : number.wrong) spec.wrong.push_back({std::move(name), always(value)});
  spec.measured = std::move(number.measured);
  spec.figure = std::move(number.figure);
  spec.whole = number.whole;
  set_around(spec, std::move(number.around));
  return spec;
}

}  // namespace ringside
