#include "session_plan.h"

#include <algorithm>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/lesson/suggest.h"

namespace ringside::inline kit {
namespace {

constexpr double kSecondsOfACard = 45, kLeastSeconds = 10, kMostSeconds = 600;
constexpr size_t kEnoughTimes = 10;

void check_topics(const std::vector<Card>& cards, const std::vector<std::string>& topics) {
  std::vector<std::string> known = bank_topics();
  for (const Card& card : cards)
    if (std::ranges::find(known, card.lesson) == known.end()) known.push_back(card.lesson);
  for (const std::string& topic : topics)
    if (std::ranges::find(known, topic) == known.end())
      throw UsageError("topics: there is no '" + as_typed(topic) + "'" + suggestion(topic, known) +
                       "; there are: " + join(known));
}

}  // namespace

bool is_of(const Card& card, const std::vector<std::string>& topics) {
  const auto has = [&](const std::string& name) { return std::ranges::find(topics, name) != topics.end(); };
  return topics.empty() || has(card.topic) || has(card.lesson);
}

SessionWishes wishes_of(const Preparation& kept, int64_t now) {
  SessionWishes wishes{.now = now, .minutes = kept.minutes};
  if (kept.interview > now) wishes.fsrs.interview = kept.interview;
  return wishes;
}

// Of each kind of card, the median of what it took.
SecondsOfKinds seconds_of_kinds(const std::vector<Card>& cards, const std::vector<ReviewEntry>& log) {
  std::map<std::string_view, CardKind> kinds;
  for (const Card& card : cards) kinds[card.id] = card.kind;
  std::map<CardKind, std::vector<double>> took;
  for (const ReviewEntry& entry : log)
    if (const auto found = kinds.find(entry.card); found != kinds.end())
      took[found->second].push_back(std::min(double(entry.ms) / 1000, kMostSeconds));
  SecondsOfKinds seconds;
  for (auto& [kind, times] : took) {
    if (times.size() < kEnoughTimes) continue;
    const auto middle = times.begin() + std::ptrdiff_t(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    seconds[kind] = std::max(*middle, kLeastSeconds);
  }
  return seconds;
}

SessionPlan plan_session(const std::vector<Card>& cards, const std::vector<ReviewEntry>& log,
                         const SessionWishes& wishes) {
  check_topics(cards, wishes.topics);
  return plan_session(cards, replay(log, wishes.fsrs), seconds_of_kinds(cards, log), wishes);
}

SessionPlan plan_session(const std::vector<Card>& cards, const Memories& memories,
                         const SecondsOfKinds& seconds, const SessionWishes& wishes) {
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
  std::ranges::stable_sort(due, [&](const PlannedCard& a, const PlannedCard& b) {
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

}  // namespace ringside::inline kit
