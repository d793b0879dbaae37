// What a run records, in a section for each language, and the parts of the lesson.
#pragma once

#include "ringside/lesson/lesson.h"
#include "ringside/lesson/rows.h"

namespace ringside::generators_lesson {

inline constexpr char kPython[] = "Python", kCpp[] = "C++", kByHand[] = "by hand";
inline constexpr char kProgram[] = "program";  // the figure beside the questions
inline const std::vector<std::string> kVariants = {"source", "yield_from", "caught", "no_yield"};

struct Step {
  static constexpr char kTable[] = "steps";
  int64_t line = 0;
  std::string who = "", what = "", value = "";
};
void visit_fields(RowOf<Step> auto& row, auto&& visit) {
  visit(Field{"line", "of the listing, from 1"}, row.line);
  visit(Field{"who", "main, numbers(0), ..., or by hand: after the program"}, row.who);
  visit(Field{"what", "line (comes next), call, yield, return, stop, print, or left in the returned"},
        row.what);
  visit(Field{"value", "yielded, returned or printed: a number, or the name of a type"}, row.value);
}

struct Printed {
  static constexpr char kTable[] = "printed";
  std::string variant, language, numbers;
};
void visit_fields(RowOf<Printed> auto& row, auto&& visit) {
  visit(Field{"variant", "of the program"}, row.variant);
  visit(Field{"language", "that it ran in"}, row.language);
  visit(Field{"prints", "the numbers"}, row.numbers);
}

std::string printed_by(const std::vector<Step>& steps);  // "0 1 3 4"
std::string program_of(const std::string& variant, const std::string& language = kPython);
std::vector<FigureSpec> figures();
std::vector<Readout> readouts(const FigureInput& input);

}  // namespace ringside::generators_lesson
