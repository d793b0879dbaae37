// Questions that are answered in words: which answers there are, when two are the same, and what a
// declaration must keep to.
#pragma once

#include <string>

#include "ringside/lesson/lesson.h"

namespace ringside::inline kit {

inline constexpr size_t kMostOptions = 16, kMostLines = 200;  // to choose or to order; of a listing
inline constexpr size_t kMostWordBytes = 200;                 // of an option, a line, a typed answer
inline constexpr size_t kMostWrongWords = 16;

// What there is to choose or to order, or the lines; nothing for kText.
Words options_of(const WordQuestion& question, const Config& config);

// Why nobody can answer so: "'x' is none of: a, b". "": it is an answer, right or wrong.
std::string why_no_answer(const WordQuestion& question, const Config& config, const Words& answer);

// As the question compares them: kChoices as a set; kLine by number; kText without regard to case (of a to
// z), and to blanks but for those between two words: "[1, 2]" is "[1,2]", "1 2" is not "12".
bool same_words(AnswerKind kind, const Words& a, const Words& b);

// Whether it is the right answer, or an accepted form of it.
bool is_words_answer(const WordQuestion& question, const Config& config, const Words& answer);

// For people: "a, b", as the options stand; an order as "a → b"; a line with its text, "line 3: return 1".
std::string in_words(const WordQuestion& question, const Config& config, const Words& answer);

// What is wrong with the declaration of a prediction at this scenario; "": nothing. A number has a formula.
// Words have a right answer and wrong ones, all of which can be given; no wrong one is the right one.
std::string contradiction_in(const PredictionSpec& prediction, const Config& config);

// InvariantError that names lesson, prediction and contradiction.
void check_predictions(const Lesson& lesson, const Config& config);

}  // namespace ringside::inline kit
