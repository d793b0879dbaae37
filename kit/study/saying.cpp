#include "saying.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace ringside {
namespace {

constexpr size_t kIdBytes = 64;  // what the record keeps of a name

Attempt attempt_of(const std::string& lesson, const std::string& id, AnswerKind kind) {
  Attempt attempt;
  attempt.lesson = lesson;
  attempt.prediction = id;
  attempt.scenario = lesson;
  attempt.answered_by = kind;
  attempt.value = attempt.right = std::nan("");
  return attempt;
}

}  // namespace

Saying saying_of(std::string_view lesson_text) {
  Saying saying;
  saying.answers = part_of(lesson_text, kSayItPart);
  for (const std::string& item : items_of(part_of(lesson_text, kKeyPointsPart)))
    saying.points.push_back(without_marks(item));
  if (saying.points.empty()) saying.points = sentences_of(in_short_of(lesson_text));
  saying.follow_ups = follow_ups_of(lesson_text);
  std::erase_if(saying.follow_ups, [](const FollowUp& one) { return one.answer.empty(); });
  return saying;
}

std::string said_id(const FollowUp& follow_up) {
  return clean_text(std::string(kSaidPoints) + ": " + without_marks(follow_up.question), kIdBytes);
}

bool is_said(std::string_view id) {
  return id == kSaidPoints ||
         (id.starts_with(kSaidPoints) && id.substr(kSaidPoints.size()).starts_with(": "));
}

Attempt points_attempt(const std::string& lesson, const Saying& saying, const std::vector<bool>& ticked) {
  Attempt attempt = attempt_of(lesson, std::string(kSaidPoints), AnswerKind::kChoices);
  const size_t asked = std::min(ticked.size(), saying.points.size());
  for (size_t i = 0; i < asked; ++i) {
    attempt.right_words.push_back(saying.points[i]);
    (ticked[i] ? attempt.words : attempt.errors).push_back(saying.points[i]);
  }
  attempt.correct = asked == saying.points.size() && attempt.errors.empty();
  return attempt;
}

Attempt follow_up_attempt(const std::string& lesson, const FollowUp& follow_up, bool had_it) {
  Attempt attempt = attempt_of(lesson, said_id(follow_up), AnswerKind::kText);
  attempt.typed = without_marks(follow_up.question);
  attempt.correct = had_it;
  return attempt;
}

}  // namespace ringside
