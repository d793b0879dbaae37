// What a run records, in a section for each language, and the parts of the lesson.
#pragma once

#include "ringside/lesson/lesson_kit.h"

namespace ringside::lessons::generators {

inline constexpr char kPython[] = "Python", kCpp[] = "C++", kByHand[] = "by hand";
inline const std::vector<std::string> kVariants = {"source", "yield_from", "caught", "no_yield"};

struct Step {
  static constexpr Columns kTable{"steps", "line", "who", "what", "value"};
  int64_t line = 0;        // of the listing, from 1
  std::string who = "";    // main, numbers(0), ..., or by hand: after the program
  std::string what = "";   // line (comes next), call, yield, return, stop, print, or left in the returned
  std::string value = "";  // yielded, returned or printed: a number, or the name of a type
};

struct Printed {
  static constexpr Columns kTable{"printed", "variant", "language", "prints"};
  std::string variant, language, numbers;
};

std::string printed_by(const std::vector<Step>& steps);  // "0 1 3 4"
std::string program_of(const std::string& variant, const std::string& language = kPython);
void run(const Config& config, const RunContext& context);
Lesson make_lesson();

}  // namespace ringside::lessons::generators
