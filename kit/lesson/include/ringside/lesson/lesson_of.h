// A lesson of its texts and its functions. The texts are blocks in a file of their own (text_blocks.h), which
// no compiler reads; a function is given with the id of its block.
//
//   [lesson]       starting, watch, axis, step: LessonWords
//                  opening   {ranks} ranks train.            a sentence each, {name} is the scenario's value,
//                                                            {model : stem} that of a path, {2 ranks : .1f} a
//                                                            formula of it and of the symbols
//                  nothing   No step has been taken.         what an empty figure says
//                  untested  nothing was sent                what a claim says that was not run
//                  needs     answers                         see below
//                  let       warm = dial where way = soft and tau = {tau}
//                                                            names a row, see below
//   [parameter ID] means, unit, default, least, most; kind real, count or text, where it is no integer; of
//   one that
//                  C++ declares, its default and most alone; or
//                  choice    bytes | a byte is in both       one a choice; of free text: suggest
//   [question ID]  see question_text.h
//   [claim ID]     source, says
//                  found     {:.2f} of {} are late           the evidence, with the values that its function
//                                                            gives to judged() (claim_forms.h)
//                  section   C++                             of a claim about times (timings.h), which has no
//                  slow      array                           function: the slow way takes at least and at
//                  fast      array, vectorised               most so many times as long as the fast one
//                  least     1.1                             (most: without a limit where it is missing);
//                                                            found: words behind the ratio
//   [figure ID]    title, tab, section, nothing
//                  sentence  {} of {} are late               with the values that its function returns
//                  answers   sent most                       ids of questions: see FigureSpec
//                  shows     run, instant or scenario        run where it is missing
//                  group     the mechanism                   of its tab; the one before's where it is missing
//                  live      memory | loss                   parts or lines of the live panel that lead to it
//                  matters   training | ::evaluate           where it is the picture to look at: figure.h
//                  table     printed where kind = text       a recorded table that it shows, or its rows that
//                                                            have these words; of several one behind the
//                                                            other;
//                  columns   variant | prints : .1f          these of it (rows.h: table_of_rows), or all;
//                  lit       stage = {stage}                 the rows that are lit; or, as bars,
//                  bars      read | missed = late : alarm    columns, a part each, with its name where it is
//                                                            another, and its ink (figure.h);
//                  row       {way}, {ranks} ranks            a row's name, and
//                  word      {seconds : .1f} s               what stands behind it;
//                  stacked   yes                             or several parts beside each other
//                  curves    DPO: chosen | rejected = lost : dim dots
//                                                            recorded curves (curves.h), as lines: a section,
//                                                            each line, its name, its ink and stroke;
//                  lines     losses where way = DPO: step | chosen | rejected = lost : dim dots
//                                                            or lines of such rows, over the first column;
//                  means     20                              each line as the means of a 20th of its points
//                  x         tokens T | | log                of these lines, or of bars: name | unit | log,
//                                                            or from 0, or from 1 to 100; of lines with
//                                                            numbers of the run, from 0 to {last.most : .0f}
//                  y         kept for backward | bytes
//                  mark      cut = last.cut                  of curves: a place on x,
//                  level     noise = 3 last.noise            on y; not drawn before its row is there
//   [gauge ID]     name, unit, value
//   [readout ID]   name, value      sent, {100 warm.bias : .0f} %           as `found` below
//                  answers          as a figure's: not shown while one of them is open
//   [live ID]      part             memory, traffic or results: a line of that part of the live panel
//                  name, unit, value
//
// A question, a claim or a gauge may have `needs` as well: names of sections, or of tables that have a row,
// with commas. Where one is not there, it has not run, and its function is not called. A function that finds
// so itself throws NotRun (rows.h).
//
// What is made of numbers of recorded rows needs no function. A `let`, the lesson's or the block's own, is
// the last row of a table that has these words in its columns (of all sections; {name}, but in claims and
// questions: the scenario's value), and its columns are symbols of a formula (formula.h): "100 warm.bias".
// Behind "with most" or "with least" stands a formula of its columns: of these rows the one that has most of
// it. warm.rows is how many there are, 0 where there is none; what is divided by that 0 was not run. But in
// claims and questions, "dial here" are rows of the section under the playhead, as far as it had come; "dial
// here or in warm up" those of section "warm up" where it has none.
//   value, measured  of a gauge, a live line, a question: a formula; of a question with options: warm.bias <
//                    0.1, one line an option in their order, of which the first that is so is what was
//                    measured
//   holds            of a claim: warm.bias < 0.1, 1 < warm.signal < 2     all of a line; one line of several
//                                                                         alone: partly
//   partly, untold   of a claim beside `holds`: partly where this is so; not testable where this is so
//   found, sentence  {warm.way} is {100 warm.bias : .0f} % off            or "bytes", "count", "size .0f"
//                                                                         (no sign); without a form what is
//                                                                         in the column; {ranks}: of the
//                                                                         scenario, but in `found`
//                    {warm.bias < 1 ? little|warm.bias < 9 ? more|much}   words, with their blanks
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ringside/lesson/question_text.h"

namespace ringside::inline kit {

struct ClaimOf {
  std::string id;
  std::function<ClaimResult(const Trace&)> judge;  // {}: it was not run
};

// A figure's sentence, or the values of its block's.
struct SentenceOf {
  SentenceOf() = default;
  template <std::invocable<const FigureInput&> F>
  SentenceOf(F f) {
    if constexpr (std::same_as<std::invoke_result_t<F, const FigureInput&>, std::string>)
      text = std::move(f);
    else
      values = std::move(f);
  }
  std::function<std::string(const FigureInput&)> text = {};
  std::function<std::vector<Attribute>(const FigureInput&)> values = {};  // none: there is nothing to say
};

struct FigureOf {
  std::string id;
  FigureValue value = {};  // an empty one, or {}: nothing to show yet
  SentenceOf sentence = {};
  FigureMarks marks = {};  // of the block's curves
};

// Not finite where there is no value.
struct GaugeValue {
  template <typename F>
  GaugeValue(F f) {
    if constexpr (std::invocable<F, const Trace&>)
      of = [f = std::move(f)](const FigureInput& input) { return f(input.trace); };
    else
      of = std::move(f);
  }
  std::function<std::optional<double>(const FigureInput&)> of;
};
struct GaugeOf {
  std::string id;
  GaugeValue value;
};

struct LessonParts {
  std::vector<ParameterSpec> parameters = {};  // each in the place of the block with its name, or first
  std::vector<std::pair<std::string, void (*)(const std::string&)>> checks = {};  // of a text or integer
  std::function<void(const Config&, const RunContext&)> run;
  bool as_processes = false;
  std::vector<PredictionSpec> predictions = {};  // asked before those of the blocks
  std::vector<QuestionOf> questions = {};
  Symbols symbols = {};  // of formulas in the questions' blocks
  std::vector<ClaimOf> claims = {};
  std::vector<FigureOf> figures = {};
  std::vector<GaugeOf> gauges = {};
  std::function<std::vector<Readout>(const FigureInput&)> readouts = {};
  std::function<std::vector<LiveLine>(const FigureInput&)> live = {};
  std::function<std::vector<std::string>(const Config&)> opening = {};  // else the block's
  Summary summary = {};
  std::function<StepTimer(const Config&)> step_timer = {};
  std::function<std::string(const Trace&)> failed_check =
      {};  // beside unexplained bytes and other parameters
};

// In the order of the blocks. InvariantError naming what has a block and no function, or no block.
Lesson lesson_of(std::string_view texts, LessonParts parts);

}  // namespace ringside::inline kit
