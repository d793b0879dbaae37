#include "saying.h"

#include <algorithm>
#include <set>

#include "clauses.h"

namespace ringside::inline kit {
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

size_t count_shared(const std::set<std::string>& wanted, const std::set<std::string>& there) {
  return size_t(std::ranges::count_if(wanted, [&](const std::string& word) { return there.contains(word); }));
}

// The clauses that share most with the point say "not", and the point does not.
bool is_denied(const Clauses& point, const Clauses& said) {
  const std::set<std::string> wanted = words_of(point);
  if (std::ranges::any_of(point, &Clause::negated)) return false;
  size_t most = 0;
  for (const Clause& clause : said) most = std::max(most, count_shared(wanted, clause.words));
  return std::ranges::all_of(said, [&](const Clause& clause) {
    return clause.negated || count_shared(wanted, clause.words) < most;
  });
}

// A clause of the point is there, seven words in ten, and only with the other sign.
bool is_contradicted(const Clauses& point, const Clauses& said) {
  return std::ranges::any_of(point, [&](const Clause& part) {
    if (part.words.size() < 2) return false;
    bool other = false;
    for (const Clause& clause : said) {
      if (10 * count_shared(part.words, clause.words) < 7 * part.words.size()) continue;
      if (clause.negated == part.negated) return false;
      other = true;
    }
    return other;
  });
}

}  // namespace

bool shares_words(std::string_view point, std::string_view text) {
  const Clauses asked = clauses_of(point), said = clauses_of(text);
  const std::set<std::string> wanted = words_of(asked);
  const size_t common = count_shared(wanted, words_of(said));
  const bool shared =
      common >= std::min<size_t>(2, wanted.size()) && common > 0 && 5 * common >= 2 * wanted.size();
  return shared && !is_denied(asked, said) && !is_contradicted(asked, said);
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

}  // namespace ringside::inline kit
