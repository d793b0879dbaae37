// A case is investigated, not read. Something goes wrong on purpose in the section "case N"; "case N fixed"
// is the same mended, "case N check" the same with a check on. Looks at the evidence are counted, and the
// truth waits for an answer: in the terminal as words of the scenario (look=, culprit=, cause=), in the room
// as buttons. The first case of all has the sections "symptom" and "fix NAME", a fix that is tried each: of
// it the rank alone is asked for, and "fix rank" is it mended.
#pragma once

#include <string>
#include <vector>

#include "ringside/lesson/config.h"
#include "ringside/trace/trace.h"

namespace ringside::inline kit {

// Attributes of a case's sections. Nothing shows the truth before the learner has named a rank and a cause.
inline constexpr char kKind[] = "kind";                            // hang, fixed, check, ...
inline constexpr char kCulprit[] = "culprit", kCause[] = "cause";  // the truth: "3", "killed"
inline constexpr char kSays[] = "says", kFix[] = "fix";            // the same, and what mends it, in words
inline constexpr char kOptions[] = "options";                      // "late_gather,killed": to be answered
inline constexpr char kOptionWords[] = "option words";             // the same in words, with |

inline constexpr const char* kNobody = "nobody";     // instead of a rank: all are in the call
inline constexpr const char* kAllInside = "inside";  // the cause of which that is true

// What may be looked at, and the figure that a look opens. Each costs one look, wherever it is taken.
struct Look {
  const char *name, *figure;
};
inline constexpr Look kLooks[] = {{"logs", "logs"},
                                  {"counters", "counters"},
                                  {"stacks", "stacks"},
                                  {"dump", "calls"},
                                  {"verdict", "waits"}};
std::string figure_of_look(const std::string& look);
std::string looks_words(size_t looks);  // "1 look", "2 looks"

// The parameters look, culprit and cause; `act` stands before their meanings: "act 5".
std::vector<ParameterSpec> investigation_parameters(const std::string& act, int most_ranks,
                                                    const std::vector<std::string>& causes);
// Of the word look=...; UsageError for one that does not exist.
std::vector<std::string> looks_of(const Config& config);
void check_answer(const Config& config);  // UsageError for looks and ranks that are none

int case_of(const std::string& section);           // "case 2 check" -> 2; 0 for another section
std::string name_of_case(int number);              // "case 2"
bool is_investigated(const std::string& section);  // it belongs to a case
bool tells(const std::string& section);  // a fix or a check of a case, or "fix rank": it shows the answer
enum class Answered : uint8_t { kNothing, kRight, kOnlyRank, kOnlyCause, kWrong };
// by_rank: the rank alone is asked for, as wherever there is no number of a case.
Answered judge(const SectionView& section, const std::string& rank, const std::string& cause, bool by_rank);
// Whether the case that the section belongs to has been answered rightly, or its answer was asked for.
bool is_solved(const Config& config, const SectionView& section);
// "rank 3 has one batch more than the others"
std::string truth_of(const SectionView& section);
int64_t seed_of_today();  // everybody who opens them today has the same cases: 20250717

std::vector<std::string> split(const std::string& text, char by);

}  // namespace ringside::inline kit
