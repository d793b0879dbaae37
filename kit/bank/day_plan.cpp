#include "day_plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "preparation.h"
#include "ringside/lesson/suggest.h"
#include "ringside/lesson/tr.h"

namespace ringside::inline kit {
namespace {

constexpr int kLongestMock = 30, kShortestMock = 5;  // minutes
constexpr int kMostInADay = 4;                       // that a card is asked on one day

class Days {
 public:
  Days(const StudyPath& path, const std::vector<Card>& cards, const std::vector<ReviewEntry>& log,
       const SessionWishes& wishes, int64_t total)
      : path_(path),
        cards_(cards),
        wishes_(wishes),
        asked_at_(wishes.now),
        seconds_(seconds_of_kinds(cards, log)),
        memories_(replay(log, wishes.fsrs)),
        total_(total) {
    wishes_.topics.clear();
    for (const PathTopic& topic : path.topics)
      if (topic.strength.seen > 0) begun_.insert(topic.topic);
  }

  PlannedDay plan(int64_t begin, int64_t days_left) {
    asked_at_ = std::max(asked_at_, begin);
    wishes_.now = begin + kDayMs - 1;  // what comes due on that day counts
    PlannedDay day{.begin = begin};
    double minutes = wishes_.minutes;
    if (days_left == 2 && total_ > 2 && minutes >= kShortestMock) {
      day.mock_minutes = std::min(int(minutes), kLongestMock);
      minutes -= day.mock_minutes;
    }
    SessionPlan session = session_of(minutes);
    const bool only_due = days_left == 1 || day.mock_minutes > 0;
    if (!only_due) session = with_lesson(std::move(session), day);
    for (const PlannedCard& one : session.cards) take(one, only_due, day);
    day.minutes += day.mock_minutes;
    return day;
  }

 private:
  SessionPlan session_of(double minutes) {
    SessionWishes wishes = wishes_;
    wishes.minutes = minutes;
    return minutes > 0 ? plan_session(cards_, memories_, seconds_, wishes) : SessionPlan{};
  }

  // Less of what is new where there is a lesson to read.
  SessionPlan with_lesson(SessionPlan session, PlannedDay& day) {
    double due = 0;
    std::set<std::string> topics = begun_;
    for (const PlannedCard& one : session.cards) {
      due += one.memory.is_new() ? 0 : one.seconds / 60;
      topics.insert(one.card.topic);
    }
    if (2 * due > wishes_.minutes) return session;
    const LessonOnPath* lesson = unread(topics);
    if (lesson == nullptr) return session;
    double& left = unread_.try_emplace(lesson->id, lesson->minutes).first->second;
    const double reading = std::min(left, wishes_.minutes - due);
    left -= reading;
    day.lesson = lesson->id;
    day.minutes += reading;
    return session_of(wishes_.minutes - reading);
  }

  const LessonOnPath* unread(const std::set<std::string>& topics) const {
    for (const PathTopic& topic : path_.topics) {
      if (!topics.contains(topic.topic) || topic.lessons.empty() || topic.lessons.front().opened) continue;
      const auto left = unread_.find(topic.lessons.front().id);
      if (left == unread_.end() || left->second > 0) return &topic.lessons.front();
    }
    return nullptr;
  }

  void take(const PlannedCard& one, bool only_due, PlannedDay& day) {
    const bool fresh = one.memory.is_new();
    if (fresh && only_due) return;
    (fresh ? day.fresh : day.due) += 1;
    day.minutes += one.seconds / 60;
    const std::string& topic = one.card.topic;
    begun_.insert(topic);
    if (fresh && std::ranges::find(day.topics, topic) == day.topics.end()) day.topics.push_back(topic);
    CardMemory& memory = memories_[one.card.id];
    const int64_t end = day.begin + kDayMs;
    int64_t at = asked_at_;
    for (int i = 0; i < kMostInADay && (memory.is_new() || memory.due < end); ++i) {
      memory = next_memory(wishes_.fsrs, memory, {.card = one.card.id, .at = at, .rating = Rating::kGood});
      at = std::max(at, memory.due);
    }
  }

  const StudyPath& path_;
  const std::vector<Card>& cards_;
  SessionWishes wishes_;
  int64_t asked_at_;  // UTC ms; the day's cards
  const SecondsOfKinds seconds_;
  Memories memories_;
  std::set<std::string> begun_;           // topics
  std::map<std::string, double> unread_;  // lessons: minutes that are left of each that was begun
  const int64_t total_;                   // days
};

}  // namespace

std::vector<PlannedDay> plan_days(const StudyPath& path, const std::vector<Card>& cards,
                                  const std::vector<ReviewEntry>& log, const SessionWishes& wishes) {
  std::vector<PlannedDay> all;
  const int64_t today = begin_of_day(wishes.now);
  const int64_t days = (wishes.fsrs.interview - today) / kDayMs;
  Days plan(path, cards, log, wishes, days);
  for (int64_t i = 0; i < days; ++i) all.push_back(plan.plan(today + i * kDayMs, days - i));
  return all;
}

std::string in_words(const PlannedDay& day) {
  std::vector<std::string> parts;
  if (!day.lesson.empty()) parts.push_back(tr("read {}", day.lesson));
  if (day.mock_minutes > 0) parts.push_back(tr("a mock interview of {} min", day.mock_minutes));
  if (day.due > 0) parts.push_back(tr("{} due", day.due));
  if (day.fresh > 0) parts.push_back(tr("{} new ({})", day.fresh, join(day.topics)));
  return parts.empty() ? tr("nothing") : join(parts);
}

}  // namespace ringside::inline kit
