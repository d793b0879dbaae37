#include "word_questions.h"

namespace ringside::lessons::faults {
namespace {

PredictionSpec asked(const std::string& id, const std::string& question, WordQuestion words) {
  PredictionSpec spec{id, question};
  spec.words = std::move(words);
  return spec;
}

std::function<std::vector<WrongWords>(const Config&)> wrong(std::vector<WrongWords> all) {
  return always(std::move(all));
}

std::function<std::optional<Words>(const Trace&)> measures(Words words) {
  return [words](const Trace&) { return std::optional(words); };
}

}  // namespace

std::vector<PredictionSpec> word_questions() {
  return {
      asked("order", "in which order?",
            {.kind = AnswerKind::kOrder,
             .right = always(Words{"Ψ", "a, b", "c"}),
             .options = always(Words{"a, b", "Ψ", "c"}),
             .wrong = wrong({{"backwards", {"c", "a, b", "Ψ"}}}),
             .measured = measures({"Ψ", "a, b", "c"})}),
      asked("choice", "which one?",
            {.kind = AnswerKind::kChoice,
             .right = always(Words{"raises StopIteration"}),
             .options = always(Words{"returns an iterator", "raises StopIteration", "yields ten values"}),
             .wrong = wrong({{"return hands the values on", {"yields ten values"}}})}),
      asked("choices", "which of them share memory?",
            {.kind = AnswerKind::kChoices,
             .right = always(Words{"expand", "view"}),
             .options = always(Words{"view", "clone", "expand", "contiguous"}),
             .wrong = wrong({{"expand copies", {"view"}}}),
             .measured = measures({"view", "expand"})}),
      asked("line", "which line runs last?",
            {.kind = AnswerKind::kLine,
             .right = always(Words{"3"}),
             .options = always(Words{"def f():", "    yield 1", "    return 2", "f()"}),
             .wrong = wrong({{"calling runs it", {"4"}}}),
             .measured = measures({"3"})}),
      asked("text", "what is printed?",
            {.kind = AnswerKind::kText,
             .right = always(Words{"[0, 1]"}),
             .wrong = wrong({{"the iterator is printed", {"range(0, 2)"}}}),
             .accepted = {"0, 1"}}),
  };
}

}  // namespace ringside::lessons::faults
