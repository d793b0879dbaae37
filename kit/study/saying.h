// Say it, for who asks it: what a lesson's text gives to be said aloud, and how it stands in the study
// record. The key points are one attempt, each question of "They will ask next" is one. They are kept as
// guesses are and come back as guesses do (StudyRecord::to_redo).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ringside/lesson/lesson_text.h"
#include "study_record.h"

namespace ringside::inline kit {

inline constexpr int kSaySeconds = 30;  // to say it in

struct Saying {
  std::string listing;  // the first block of code before the first heading of level 2, which is asked about
  std::vector<std::string>
      points;           // words alone; the sentences of **In short.** where a lesson has no key points
  std::string answers;  // the part "Say it", markdown
  std::vector<FollowUp> follow_ups;
};
Saying saying_of(std::string_view lesson_text);

// Ids of attempts; no prediction is called so.
inline constexpr std::string_view kSaidPoints = "say it";
std::string said_id(const FollowUp& follow_up);  // "say it: Why not always stage 3?", cut
bool is_said(std::string_view id);

// Whether a text has that point, as far as words tell (clauses.h): two in five of the words that carry it,
// and at least two; and no clause that says the opposite in the same words. Words do not tell everything: a
// person confirms it.
bool shares_words(std::string_view point, std::string_view text);
inline constexpr size_t kFollowUps = 5;  // of a session: those that were never answered well come first
std::vector<FollowUp> follow_ups_now(const std::string& lesson, const Saying& saying,
                                     const StudyRecord& record);

// So many points are enough: half of them. What is wrong counts against them.
inline size_t points_to_pass(size_t points) { return (points + 1) / 2; }

// `ticked` has a value for each point that was asked about; those behind it were not reached and count as not
// said.
Attempt points_attempt(const std::string& lesson, const Saying& saying, const std::vector<bool>& ticked,
                       size_t wrong = 0);
Attempt follow_up_attempt(const std::string& lesson, const FollowUp& follow_up, bool had_it);

}  // namespace ringside::inline kit
