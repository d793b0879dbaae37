// What to ask today, in the minutes that there are; and how strong somebody is in a topic.
//
//   due        cards whose time has come, the least recalled first: on the day of the interview, where there
//   is
//              one, else now. Leeches (forgotten eight times) come last: read their lesson again
//   new        mistakes made in lessons, then the path (cards.h)
//   minutes    a card counts what its kind took before (the median of ten and more), else 45 s
//
// Strength is the share of a topic's cards that were recalled on the first review of a day, with the 95 %
// interval of Wilson 1927 (doi:10.1080/01621459.1927.10502953):
//
//   (r + z²/2) / (n + z²)  ±  z / (n + z²) √(r (n - r) / n + z²/4)        r of n, z = 1.96
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cards.h"
#include "review_log.h"

namespace ringside {

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
// UsageError naming a topic that is none.
SessionPlan plan_session(const std::vector<Card>& cards, const std::vector<ReviewEntry>& log,
                         const SessionWishes& wishes);
bool is_of(const Card& card, const std::vector<std::string>& topics);

struct TopicStrength {
  std::string topic;
  int64_t cards = 0, seen = 0;        // there are; were asked
  int64_t reviews = 0, recalled = 0;  // first ones of a day, of cards that were seen before
  double low = 0, high = 1;           // of the share that is recalled
};
struct ShareInterval {
  double low = 0, high = 1;
};
ShareInterval wilson(int64_t recalled, int64_t reviews);
std::vector<TopicStrength> strengths(const std::vector<Card>& cards, const std::vector<ReviewEntry>& log);

}  // namespace ringside
