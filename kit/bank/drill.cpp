#include "drill.h"

#include <cmath>
#include <set>

#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/lesson/prediction.h"
#include "ringside/lesson/word_question.h"

namespace ringside::inline kit {
namespace {

constexpr uint64_t kMostTries = 1000;
constexpr size_t kLeastWrong = 2, kMostWrong = 4;

DrawnQuestion word_form(std::string asks, AnswerKind kind, Words right, Words options,
                        std::vector<WrongWords> wrong, std::string brief) {
  DrawnQuestion question{{.id = {}, .question = std::move(asks)}, std::move(brief)};
  question.spec.words = WordQuestion{kind, always(std::move(right)), {}, always(std::move(wrong))};
  if (!options.empty()) question.spec.words->options = always(std::move(options));
  return question;
}

std::string unfit_numbers(const PredictionSpec& spec) {
  const double right = spec.formula(no_scenario());
  if (!std::isfinite(right) || right == 0) return "its answer is nothing";
  for (const WrongFormula& one : spec.wrong) {
    const double value = one.value(no_scenario());
    if (!tells_apart(right, value)) return "'" + one.name + "' is near the right answer";
    for (const WrongFormula& other : spec.wrong)
      if (&other != &one && !tells_apart(value, other.value(no_scenario())))
        return "'" + one.name + "' is near '" + other.name + "'";
  }
  return "";
}

std::string unfit_words(const WordQuestion& words) {
  std::set<Words> seen;
  for (const WrongWords& wrong : words.wrong(no_scenario()))
    if (!seen.insert(wrong.answer).second) return "two wrong answers are one";
  return "";
}

}  // namespace

Words Draw::shuffled(Words words) {
  for (size_t i = words.size(); i > 1; --i) std::swap(words[i - 1], words[stream_.below(i)]);
  return words;
}

const Config& no_scenario() {
  static const Config none = Config::parse("drill", {}, {});
  return none;
}

DrawnQuestion ask_number(std::string asks, std::string unit, double right, std::vector<WrongNumber> wrong,
                         std::string brief) {
  DrawnQuestion question{{.id = {}, .question = std::move(asks), .unit = std::move(unit)}, std::move(brief)};
  question.spec.formula = always(right);
  for (WrongNumber& one : wrong)
    question.spec.wrong.push_back({std::move(one.name), always(one.value), {}, std::move(one.why)});
  return question;
}

DrawnQuestion ask_choice(Draw& draw, std::string asks, std::string right, std::vector<WrongWords> wrong,
                         std::string brief) {
  Words options{right};
  for (const WrongWords& one : wrong) options.push_back(one.answer.at(0));
  return word_form(std::move(asks), AnswerKind::kChoice, {std::move(right)}, draw.shuffled(options),
                   std::move(wrong), std::move(brief));
}

DrawnQuestion ask_order(Draw& draw, std::string asks, Words right, std::vector<WrongWords> wrong,
                        std::string brief) {
  Words options = draw.shuffled(right);
  if (options == right) std::swap(options.front(), options.back());
  return word_form(std::move(asks), AnswerKind::kOrder, std::move(right), options, std::move(wrong),
                   std::move(brief));
}

DrawnQuestion ask_line(std::string asks, Words listing, size_t line, std::vector<WrongWords> wrong,
                       std::string brief) {
  return word_form(std::move(asks), AnswerKind::kLine, {std::to_string(line)}, std::move(listing),
                   std::move(wrong), std::move(brief));
}

DrawnQuestion ask_text(std::string asks, std::string right, std::vector<WrongWords> wrong, std::string brief,
                       std::vector<std::string> accepted) {
  DrawnQuestion question = word_form(std::move(asks), AnswerKind::kText, {std::move(right)}, {},
                                     std::move(wrong), std::move(brief));
  question.spec.words->accepted = std::move(accepted);
  return question;
}

const std::vector<Drill>& drills() {
  static const std::vector<Drill> all = [] {
    std::vector<Drill> list;
    for (auto* of_topic :
         {drills_of_memory, drills_of_traffic, drills_of_buckets, drills_of_pipelines, drills_of_numbers,
          drills_of_servers, drills_of_hangs, drills_of_speed, drills_of_code})
      for (Drill& drill : of_topic()) list.push_back(std::move(drill));
    return list;
  }();
  return all;
}

std::string unfit(const DrawnQuestion& question) {
  const PredictionSpec& spec = question.spec;
  if (std::string why = contradiction_in(spec, no_scenario()); !why.empty()) return why;
  const size_t wrong = spec.words ? spec.words->wrong(no_scenario()).size() : spec.wrong.size();
  if (wrong < kLeastWrong || wrong > kMostWrong) return "it has not two to four wrong answers";
  return spec.words ? unfit_words(*spec.words) : unfit_numbers(spec);
}

DrawnQuestion draw_question(const Drill& drill, uint64_t seed) {
  std::string why;
  for (uint64_t attempt = 0; attempt < kMostTries; ++attempt) {
    Draw draw(RandomStream(seed, "drill " + drill.id, attempt));
    DrawnQuestion question = drill.ask(draw);
    if (why = unfit(question); !why.empty()) continue;
    question.spec.id = drill.id;
    question.spec.why = drill.minute;
    return question;
  }
  throw InvariantError("drill '" + drill.id + "': none of 1,000 draws can be asked: " + why);
}

}  // namespace ringside::inline kit
