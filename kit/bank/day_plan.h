// The days until an interview: what is due on each, what is new, what is read, when a mock is held.
//
//   due        first, as plan_session() orders them; taken as recalled when they come
//   lesson     where due cards leave half of the day: the first one of a topic that was begun or begins. One
//              a day, for its text's minutes (path.h), on several days where it needs them
//   new        in the rest of the minutes
//   mock       on the last day but one, in place of what is new, where there are three days and more, of
//              five minutes and more
//   last day   due cards alone
#pragma once

#include "path.h"

namespace ringside::inline kit {

struct PlannedDay {
  int64_t begin = 0;                     // UTC ms
  size_t due = 0, fresh = 0;             // cards
  std::vector<std::string> topics = {};  // of the new ones
  std::string lesson = {};               // "": none begins
  double minutes = 0;                    // of all; no more than there are, one card excepted
  int mock_minutes = 0;
};
// From today to the day before wishes.fsrs.interview, of wishes.minutes each. None without an interview.
std::vector<PlannedDay> plan_days(const StudyPath& path, const std::vector<Card>& cards,
                                  const std::vector<ReviewEntry>& log, const SessionWishes& wishes);
std::string in_words(const PlannedDay& day);  // "read zero, 4 due, 9 new (memory)"

}  // namespace ringside::inline kit
