#include "ringside/lesson/prediction.h"

#include <algorithm>
#include <cmath>

namespace ringside::inline kit {
namespace {

constexpr double kApart = 0.05, kSame = 0.025;  // relative

}  // namespace

bool tells_apart(double right, double wrong) {
  return std::isfinite(wrong) && wrong != right && std::abs(wrong - right) >= kApart * std::abs(right);
}

bool is_answer(double answer, double value) { return std::abs(answer - value) <= kSame * std::abs(value); }

std::vector<WrongAnswer> wrong_answers(const PredictionSpec& prediction, const Config& config, double right) {
  std::vector<WrongAnswer> answers;
  for (const WrongFormula& wrong : prediction.wrong) {
    const double value = wrong.value(config);
    if (tells_apart(right, value)) answers.push_back({wrong.name, value});
  }
  return answers;
}

std::vector<WrongAnswer> named_wrong(const PredictionSpec& prediction, const Config& config, double answer) {
  std::vector<WrongAnswer> answers = wrong_answers(prediction, config, prediction.formula(config));
  std::erase_if(answers, [&](const WrongAnswer& wrong) { return !is_answer(answer, wrong.value); });
  return answers;
}

std::vector<WrongAnswer> wrong_answers(const WordQuestion& question, const Config& config,
                                       const Words& right) {
  std::vector<WrongAnswer> answers;
  if (!question.wrong) return answers;
  for (WrongWords& wrong : question.wrong(config)) {
    if (!same_words(question.kind, wrong.answer, right))
      answers.push_back({std::move(wrong.name), std::nan(""), std::move(wrong.answer)});
  }
  return answers;
}

std::vector<WrongAnswer> named_wrong(const WordQuestion& question, const Config& config,
                                     const Words& answer) {
  if (is_words_answer(question, config, answer)) return {};
  std::vector<WrongAnswer> answers = wrong_answers(question, config, question.right(config));
  std::erase_if(answers,
                [&](const WrongAnswer& wrong) { return !same_words(question.kind, wrong.words, answer); });
  return answers;
}

bool is_calculated(const PredictionSpec& prediction) {
  return prediction.words ? prediction.words->measured == nullptr : prediction.measured == nullptr;
}

bool askable(const PredictionSpec& prediction, const Config& config) {
  if (prediction.words) {
    const std::vector<WrongWords> all =
        prediction.words->wrong ? prediction.words->wrong(config) : std::vector<WrongWords>{};
    return std::ranges::none_of(all, [&](const WrongWords& wrong) {
      return is_words_answer(*prediction.words, config, wrong.answer);
    });
  }
  const double right = prediction.formula(config);
  return std::ranges::all_of(prediction.wrong, [&](const WrongFormula& wrong) {
    const double value = wrong.value(config);
    return !std::isfinite(value) || tells_apart(right, value);
  });
}

}  // namespace ringside::inline kit
