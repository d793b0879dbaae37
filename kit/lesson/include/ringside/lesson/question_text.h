// A question by its block of text (text_blocks.h), and by what C++ has to add.
//
//   ask, name, context, why, more, section, instant, board, figure, unit, formula    texts of PredictionSpec
//   again    ranks=8 ranks=3
//   whole    yes                                  it counts something
//
// One for a number: a number is a formula (formula.h) in the scenario's parameters, by their names, and in
// the lesson's symbols. Where there is a `formula`, in these symbols, it may be typed, and is right.
//   right    100 (ranks - 1) / ranks              where the formula does not say it
//   wrong    the belief | its number | why it is wrong       (the number is left out where C++ has it)
//   near     left out          a wrong number where it is near the right one; else nothing is asked there
//
// One in words:
//   option   one of several; option * ... the right one; where several are right, all of them are asked for
//   kind     choices, order, line or text: where the options do not say it
//   right    the right answer, where no option is marked: a, b
//   wrong    the belief | its answer | why it is wrong       (of several: a, b)
//   accepted another form of the right answer, of the kind text
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "ringside/lesson/lesson.h"
#include "ringside/lesson/text_blocks.h"

namespace ringside::inline kit {

using FromTrace = std::function<std::optional<double>(const Trace&)>;
using ByScenario = std::function<double(const Config&)>;
using Symbols = std::function<std::vector<Symbol>(const Config&)>;

// What a run says to a question, of a function of the trace that returns a number, Words, or as an int the
// option that is right, from 0. Nothing has been measured where it is not finite, no word, or less than 0, or
// no value of an std::optional of these.
struct Measured {
  Measured() = default;
  template <std::invocable<const Trace&> F>
  Measured(F f) {
    using R = std::invoke_result_t<F, const Trace&>;
    if constexpr (std::same_as<R, int> || std::same_as<R, std::optional<int>>)
      option = std::move(f);
    else if constexpr (std::same_as<R, Words>)
      words = [f = std::move(f)](const Trace& trace) {
        Words found = f(trace);
        return found.empty() ? std::nullopt : std::optional(std::move(found));
      };
    else if constexpr (std::same_as<R, std::optional<Words>>)
      words = std::move(f);
    else
      number = std::move(f);
  }

  FromTrace number;
  std::function<std::optional<Words>(const Trace&)> words;
  std::function<std::optional<int>(const Trace&)> option;
};

// What is right, of a function of the scenario.
struct RightBy {
  RightBy() = default;
  template <std::invocable<const Config&> F>
  RightBy(F f) {
    if constexpr (std::convertible_to<std::invoke_result_t<F, const Config&>, Words>)
      words = std::move(f);
    else
      number = std::move(f);
  }

  ByScenario number;
  std::function<Words(const Config&)> words;
};

struct QuestionOf {
  std::string id = {};  // of the block
  Measured measured = {};
  RightBy right = {};                                // else the block says it
  std::vector<ByScenario> wrong = {};                // numbers of the block's beliefs, in its order
  std::function<Words(const Config&)> options = {};  // else the block has them
  // What an answer of the block is at this scenario: of curves that are dealt out, the letter.
  std::function<std::string(const Config&, const std::string&)> named = {};
  std::string context = {};  // else the block's
};
// InvariantError naming the block where it does not fit. A number may be made of parameters and symbols.
PredictionSpec question_of(const TextBlock& block, QuestionOf question,
                           const std::vector<ParameterSpec>& parameters = {}, const Symbols& symbols = {});

// The sentences of a field, with the scenario in them: {stage}, {2 ranks : .1f} of parameters and symbols.
std::function<std::vector<std::string>(const Config&)> sentences_of(
    const TextBlock& block, const std::string& field, const std::vector<ParameterSpec>& parameters,
    const Symbols& symbols);

inline PredictionSpec word_question(const TextBlock& block, Measured measured = {}) {
  return question_of(block, {.measured = std::move(measured)});
}
}  // namespace ringside::inline kit
