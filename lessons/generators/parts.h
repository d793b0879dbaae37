// What a run records, in a section for each language, and the parts of the lesson.
#pragma once

#include "ringside/lesson/lesson.h"
#include "ringside/trace/rows.h"

namespace ringside::generators_lesson {

inline constexpr char kPython[] = "Python", kCpp[] = "C++", kByHand[] = "by hand", kStepped[] = "stepped";
inline constexpr char kProgram[] = "program";  // the figure beside the questions
inline const std::vector<std::string> kVariants = {"source", "yield_from", "caught", "no_yield"};

struct Step {
  static constexpr char kTable[] = "steps";
  int64_t line = 0;
  std::string who = "", what = "", value = "";
};
void visit_fields(RowOf<Step> auto& row, auto&& visit) {
  visit(Field{"line", "of the listing, from 1"}, row.line);
  visit(Field{"who", "main, a call such as numbers(0), or by hand: what is done after the program"}, row.who);
  visit(Field{"what", "line: it comes next; call, yield, return, stop, print; left: in what was returned"},
        row.what);
  visit(Field{"value", "what is yielded, returned or printed; a type's name where it is no number"},
        row.value);
}

struct Printed {
  static constexpr char kTable[] = "printed";
  std::string variant = "", numbers = "";
};
void visit_fields(RowOf<Printed> auto& row, auto&& visit) {
  visit(Field{"variant", "of the program; stepped: the one of this run"}, row.variant);
  visit(Field{"numbers", "that it printed"}, row.numbers);
}

Words listing_of(const std::string& variant, bool cpp = false);
std::vector<PredictionSpec> predictions();
std::vector<ClaimSpec> claims();
std::vector<FigureSpec> figures();
std::vector<Readout> readouts(const FigureInput& input);

}  // namespace ringside::generators_lesson
