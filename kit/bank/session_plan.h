// What to ask today, in the minutes that there are.
//
//   due        cards whose time has come, the least recalled first: on the day of the interview, where there
//              is one, else now. Leeches (forgotten eight times) come last: read their lesson again
//   new        mistakes made in lessons, then the path (cards.h)
//   minutes    a card counts what its kind took before (the median of ten and more, no less than 10 s), else
//              45 s
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cards.h"
#include "preparation.h"
#include "review_log.h"

namespace ringside::inline kit {

struct PlannedCard {
  Card card;
  CardMemory memory;  // is_new(): never asked
  double recall = 0;  // now; 0 of a new card
  double seconds = 0;
};

struct SessionPlan {
  std::vector<PlannedCard> cards = {};  // in the order in which they are asked
  size_t due = 0, left_out = 0,
         leeches = 0;  // due in all; of these, for which there is no time; leeches among them
  double seconds = 0;
};

struct SessionWishes {
  int64_t now = 0;  // UTC ms
  double minutes = 10;
  std::vector<std::string> topics = {};  // or lessons; none: all
  FsrsOptions fsrs = {};
};
SessionWishes wishes_of(const Preparation& kept, int64_t now);  // an interview that has come is none
// UsageError naming a topic that is none.
SessionPlan plan_session(const std::vector<Card>& cards, const std::vector<ReviewEntry>& log,
                         const SessionWishes& wishes);
// The same of what is known of cards, for days to come.
using Memories = std::map<std::string, CardMemory>;
using SecondsOfKinds = std::map<CardKind, double>;
SessionPlan plan_session(const std::vector<Card>& cards, const Memories& memories,
                         const SecondsOfKinds& seconds, const SessionWishes& wishes);
SecondsOfKinds seconds_of_kinds(const std::vector<Card>& cards, const std::vector<ReviewEntry>& log);
bool is_of(const Card& card, const std::vector<std::string>& topics);

}  // namespace ringside::inline kit
