#include "session_plan.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/lesson/suggest.h"

namespace ringside {
namespace {

constexpr double kSecondsOfACard = 45, kMostSeconds = 600;
constexpr size_t kEnoughTimes = 10;

void check_topics(const std::vector<Card>& cards, const std::vector<std::string>& topics) {
  std::vector<std::string> known = bank_topics();
  for (const Card& card : cards)
    if (std::find(known.begin(), known.end(), card.lesson) == known.end()) known.push_back(card.lesson);
  for (const std::string& topic : topics)
    if (std::find(known.begin(), known.end(), topic) == known.end())
      throw UsageError("topics: there is no '" + as_typed(topic) + "'" + suggestion(topic, known) +
                       "; there are: " + join(known));
}

// Of each kind of card, the median of what it took.
std::map<CardKind, double> seconds_of_kinds(const std::map<std::string, const Card*>& by_id,
                                            const std::vector<ReviewEntry>& log) {
  std::map<CardKind, std::vector<double>> took;
  for (const ReviewEntry& entry : log)
    if (const auto found = by_id.find(entry.card); found != by_id.end())
      took[found->second->kind].push_back(std::min(static_cast<double>(entry.ms) / 1000, kMostSeconds));
  std::map<CardKind, double> seconds;
  for (auto& [kind, times] : took) {
    if (times.size() < kEnoughTimes) continue;
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    seconds[kind] = std::max(*middle, 1.0);
  }
  return seconds;
}

}  // namespace

bool is_of(const Card& card, const std::vector<std::string>& topics) {
  const auto has = [&](const std::string& name) {
    return std::find(topics.begin(), topics.end(), name) != topics.end();
  };
  return topics.empty() || has(card.topic) || has(card.lesson);
}

SessionPlan plan_session(const std::vector<Card>& cards, const std::vector<ReviewEntry>& log,
                         const SessionWishes& wishes) {
  check_topics(cards, wishes.topics);
  const std::map<std::string, CardMemory> memories = replay(log, wishes.fsrs);
  std::map<std::string, const Card*> by_id;
  for (const Card& card : cards) by_id[card.id] = &card;
  const std::map<CardKind, double> seconds = seconds_of_kinds(by_id, log);
  std::vector<PlannedCard> due, fresh;
  for (const Card& card : cards) {
    if (!is_of(card, wishes.topics)) continue;
    const auto kind = seconds.find(card.kind);
    const double takes = kind == seconds.end() ? kSecondsOfACard : kind->second;
    const auto known = memories.find(card.id);
    if (known == memories.end())
      fresh.push_back({card, {}, 0, takes});
    else if (known->second.due <= wishes.now)
      due.push_back({card, known->second, recall(wishes.fsrs, known->second, wishes.now), takes});
  }
  const int64_t day = std::max(wishes.now, wishes.fsrs.interview);
  std::stable_sort(due.begin(), due.end(), [&](const PlannedCard& a, const PlannedCard& b) {
    if (a.memory.is_leech() != b.memory.is_leech()) return b.memory.is_leech();
    return recall(wishes.fsrs, a.memory, day) < recall(wishes.fsrs, b.memory, day);
  });
  SessionPlan plan{.due = due.size()};
  for (const PlannedCard& one : due) plan.leeches += one.memory.is_leech();
  const auto take = [&](std::vector<PlannedCard>& from) {
    for (PlannedCard& one : from) {
      if (!plan.cards.empty() && plan.seconds + one.seconds > 60 * wishes.minutes) return;
      plan.seconds += one.seconds;
      plan.cards.push_back(std::move(one));
    }
  };
  take(due);
  plan.left_out = plan.due - plan.cards.size();
  if (plan.left_out == 0) take(fresh);
  return plan;
}

ShareInterval wilson(int64_t recalled, int64_t reviews) {
  if (reviews == 0) return {};
  constexpr double z = 1.959964;
  const auto n = static_cast<double>(reviews), r = static_cast<double>(recalled);
  const double middle = (r + z * z / 2) / (n + z * z),
               half = z / (n + z * z) * std::sqrt(r * (n - r) / n + z * z / 4);
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

std::vector<TopicStrength> strengths(const std::vector<Card>& cards, const std::vector<ReviewEntry>& log) {
  std::map<std::string, std::string> topic_of;
  std::map<std::string, TopicStrength> all;
  for (const Card& card : cards) {
    topic_of[card.id] = card.topic;
    ++all[card.topic].cards;
  }
  std::map<std::string, int64_t> last_day;
  for (const ReviewEntry& entry : log) {
    const auto topic = topic_of.find(entry.card);
    if (topic == topic_of.end()) continue;
    TopicStrength& strength = all[topic->second];
    const int64_t day = entry.at / kDayMs;
    const auto [last, first] = last_day.try_emplace(entry.card, day);
    strength.seen += first;
    if (first || last->second == day) continue;
    last->second = day;
    ++strength.reviews;
    strength.recalled += entry.rating != Rating::kAgain;
  }
  std::vector<TopicStrength> list;
  for (const std::string& topic : bank_topics()) {
    TopicStrength& strength = all[topic];
    const ShareInterval share = wilson(strength.recalled, strength.reviews);
    strength.topic = topic;
    strength.low = share.low;
    strength.high = share.high;
    if (strength.cards > 0) list.push_back(strength);
  }
  return list;
}

}  // namespace ringside
