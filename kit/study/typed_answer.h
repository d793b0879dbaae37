// An answer as it is typed into one line, in the terminal and in the study room: read, judged, and said
// beside what was measured.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "ringside/lesson/prediction.h"
#include "study_record.h"

namespace ringside::inline kit {

// One of both, or neither and what is wrong with it.
struct TypedAnswer {
  std::string typed;
  std::optional<double> value;     // NaN never
  std::optional<Formula> formula;  // where the question has symbols: what was typed, as it is read
  std::optional<Words> words;
  std::string mistake;    // "" where the line was blank: nothing was answered
  std::string note;       // what the reader made of it: "P stands for Ψ here", "taken as a share"
  bool as_share = false;  // "0.35" where a percentage was asked for: read as 35
  bool is_answer() const { return value || words; }
};

// "50", "50 %", "0.5" of percentages, "2Ψ + 14Ψ/N" in the question's symbols or those of the scenario
// (N = ranks); options by their text, by letter_of(place), or by a number that only one of them has; several
// and orders behind commas or blanks: "b, a, c"; the number of a line; a few words, numbers with or without
// commas and brackets. Full-width signs ("７５％") are read as ASCII.
TypedAnswer read_typed(const PredictionSpec& spec, const Config& config, const std::string& line);
// Where a question asks for a share of a whole, which its right and wrong answers show: 0 to 100.
std::optional<std::pair<double, double>> range_of(const PredictionSpec& spec, const Config& config);
inline char letter_of(size_t option) { return char('a' + option); }

// Of an answer: right within the tolerance of what is calculated, or of what this run measured.
Judgement judge(const PredictionSpec& spec, const Config& config, const TypedAnswer& answer,
                const Trace& trace = {});
// To be kept.
Attempt judged(const Lesson& lesson, const PredictionSpec& spec, const Config& config,
               const TypedAnswer& answer, const Trace& trace = {});

// Of that question at this scenario, with what is right and how the answer was judged: who asks adds the
// answer.
Attempt judged_attempt(const Lesson& lesson, const PredictionSpec& spec, const Config& config,
                       const Judgement& judgement);

// "5.50 bytes per parameter", "50 %"
std::string in_unit(double value, const std::string& unit);

// "50 %", "2Ψ + 14Ψ/N = 5.50 bytes per parameter", "all alike": an answer as it is told back.
std::string said(const PredictionSpec& spec, const Config& config, const TypedAnswer& answer);

// "You said 50 %. Measured: 75 %. Your error: half, as if there were two of everything. ...", and why.
// "Near." within a tenth, "Not so." where the error has no name. Where the run did not come to it: what is
// calculated.
std::string beside_measured(const PredictionSpec& spec, const Config& config, const TypedAnswer& answer,
                            const Trace& trace);

}  // namespace ringside::inline kit
