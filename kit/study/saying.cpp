#include "saying.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace ringside {
namespace {

constexpr std::string_view kInShort = "**In short.**";
constexpr size_t kIdBytes = 64;  // what the record keeps of a name

bool begins_sentence(std::string_view text) {
  return !text.empty() && (std::isupper(static_cast<unsigned char>(text[0])) || (text[0] & 0x80) != 0);
}

// The paragraph behind **In short.**, in one line.
std::string in_short(const std::string& answers) {
  const size_t at = answers.find(kInShort);
  if (at == std::string::npos) return "";
  const size_t first = at + kInShort.size(), end = std::min(answers.find("\n\n", first), answers.size());
  std::string line = without_marks(std::string_view(answers).substr(first, end - first));
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

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

std::vector<std::string> sentences_of(std::string_view text) {
  std::vector<std::string> all;
  size_t from = text.find_first_not_of(" \n");
  for (size_t i = from; i < text.size(); ++i) {
    const bool is_end = text[i] == '.' || text[i] == '?' || text[i] == '!';
    const bool last = text.find_first_not_of(" \n", i + 1) == text.npos;
    if (!last && !(is_end && text[i + 1] == ' ' && begins_sentence(text.substr(i + 2)))) continue;
    all.emplace_back(text.substr(from, i + 1 - from));
    if (last) break;
    from = i + 2;
  }
  return all;
}

Saying saying_of(std::string_view lesson_text) {
  Saying saying;
  saying.answers = part_of(lesson_text, kSayItPart);
  for (const std::string& item : items_of(part_of(lesson_text, kKeyPointsPart)))
    saying.points.push_back(without_marks(item));
  if (saying.points.empty()) saying.points = sentences_of(in_short(saying.answers));
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
