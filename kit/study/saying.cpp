#include "saying.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "ringside/base/text.h"

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

// Between its first two lines of ```.
std::string listing_in(std::string_view text) {
  constexpr std::string_view kFence = "\n```";
  const size_t fence = text.find(kFence), begin = text.find('\n', fence + 1), end = text.find(kFence, begin);
  if (fence == text.npos || begin == text.npos || end == text.npos) return "";
  return std::string(text.substr(begin + 1, end - begin));
}

}  // namespace

Saying saying_of(std::string_view lesson_text) {
  Saying saying;
  saying.listing = listing_in(part_of(lesson_text, ""));
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

namespace {

constexpr std::string_view kSmallWords[] = {
    "that",  "this",   "with",  "from",  "what",    "which", "each",  "than",  "then",    "they",   "them",
    "when",  "where",  "does",  "have",  "more",    "most",  "into",  "only",  "also",    "such",   "same",
    "other", "others", "their", "there", "between", "were",  "will",  "would", "because", "itself", "every",
    "after", "before", "until", "still", "over",    "under", "about", "while"};
constexpr size_t kLeastLetters = 4, kStem = 5;

bool is_word_letter(char c) { return c == '_' || std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_number_letter(char c) {
  return c == '.' || c == ',' || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

void add_word(std::set<std::string>& all, std::string word) {
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (word.size() < kLeastLetters) return;
  if (std::find(std::begin(kSmallWords), std::end(kSmallWords), word) != std::end(kSmallWords)) return;
  if (word.size() > kLeastLetters && word.back() == 's') word.pop_back();
  all.insert(word.substr(0, kStem));
}

// What carries a sentence: "trains" and "training" are one word.
std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> all;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    if (is_word_letter(text[i])) {
      while (end < text.size() && is_word_letter(text[end])) ++end;
      add_word(all, std::string(text.substr(i, end - i)));
    } else if (std::isdigit(static_cast<unsigned char>(text[i])) != 0) {
      while (end < text.size() && is_number_letter(text[end])) ++end;
      std::string number(text.substr(i, end - i));
      number.erase(number.find_last_not_of(".,") + 1);
      all.insert(number);
    } else {
      end += first_letter(text.substr(i)).bytes;
      for (const std::string_view symbol : {"Ψ", "ψ", "√", "²"})
        if (text.substr(i, end - i) == symbol) all.insert(std::string(symbol));
    }
    i = end;
  }
  return all;
}

}  // namespace

bool shares_words(std::string_view point, std::string_view text) {
  const std::set<std::string> wanted = words_of(point), there = words_of(text);
  const auto shared = std::count_if(wanted.begin(), wanted.end(),
                                    [&](const std::string& word) { return there.contains(word); });
  const auto common = static_cast<size_t>(shared);
  return common >= std::min<size_t>(2, wanted.size()) && common > 0 && 5 * common >= 2 * wanted.size();
}

std::vector<FollowUp> follow_ups_now(const std::string& lesson, const Saying& saying,
                                     const StudyRecord& record) {
  const auto answered = [&](const FollowUp& one) {
    return std::any_of(record.attempts().begin(), record.attempts().end(), [&](const Attempt& attempt) {
      return attempt.lesson == lesson && attempt.correct && attempt.prediction == said_id(one);
    });
  };
  std::vector<FollowUp> all = saying.follow_ups;
  std::stable_partition(all.begin(), all.end(), [&](const FollowUp& one) { return !answered(one); });
  if (all.size() > kFollowUps) all.erase(all.begin() + kFollowUps, all.end());
  return all;
}

Attempt points_attempt(const std::string& lesson, const Saying& saying, const std::vector<bool>& ticked,
                       size_t wrong) {
  Attempt attempt = attempt_of(lesson, std::string(kSaidPoints), AnswerKind::kChoices);
  const size_t asked = std::min(ticked.size(), saying.points.size());
  for (size_t i = 0; i < asked; ++i) {
    attempt.right_words.push_back(saying.points[i]);
    (ticked[i] ? attempt.words : attempt.errors).push_back(saying.points[i]);
  }
  attempt.correct = asked == saying.points.size() && attempt.words.size() >= points_to_pass(asked) + wrong;
  return attempt;
}

Attempt follow_up_attempt(const std::string& lesson, const FollowUp& follow_up, bool had_it) {
  Attempt attempt = attempt_of(lesson, said_id(follow_up), AnswerKind::kText);
  attempt.typed = without_marks(follow_up.question);
  attempt.correct = had_it;
  return attempt;
}

}  // namespace ringside
