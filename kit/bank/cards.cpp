#include "cards.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "causes.h"
#include "coding_drill.h"
#include "ringside/base/field.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/modules.h"
#include "ringside/lesson/tr.h"
#include "ringside/lesson/word_question.h"
#include "saying.h"

namespace ringside::inline kit {
namespace {

constexpr const char *kDrillPlace = "drill/", *kAskedPlace = "asked/", *kNextPlace = "next/",
                     *kCodePlace = "code/", *kCallPlace = "call/", *kCallLesson = "nccl_timeout";
constexpr size_t kNextQuestions = 2, kMostCardId = 200;

std::string asked_id(const std::string& lesson, const std::string& prediction) {
  return kAskedPlace + lesson + "/" + prediction;
}
// "asked/zero/sent" -> "zero", "sent"
std::pair<std::string, std::string> parts_of_id(const std::string& id) {
  const size_t first = id.find('/'), second = id.find('/', first + 1);
  if (second == id.npos) return {"", id.substr(first + 1)};
  return {id.substr(first + 1, second - first - 1), id.substr(second + 1)};
}

Card question_card(const std::string& lesson, const std::string& prediction, bool mistake = false) {
  return {asked_id(lesson, prediction),
          topic_of_lesson(lesson),
          lesson,
          CardKind::kQuestion,
          1,
          {lesson},
          mistake};
}

void add_follow_ups(std::vector<Card>& cards) {
  for (const FrontMatter& lesson : lesson_catalogue())
    for (const FollowUp& one : saying_of(lesson.text).follow_ups)
      cards.push_back({follow_up_id(lesson.id, one), topic_of_lesson(lesson.id), lesson.id,
                       CardKind::kFollowUp, 2, lesson.questions});
}

// Those whose last answer was wrong.
void add_mistakes(std::vector<Card>& cards, const StudyRecord& record) {
  std::map<std::string, const Attempt*> last;
  for (const Attempt& attempt : record.attempts())
    if (!is_said(attempt.prediction)) last[asked_id(attempt.lesson, attempt.prediction)] = &attempt;
  for (const auto& [id, attempt] : last)
    if (!attempt->correct) cards.push_back(question_card(attempt->lesson, attempt->prediction, true));
}

const FrontMatter* text_of_lesson(const std::string& id) {
  for (const FrontMatter& lesson : lesson_catalogue())
    if (lesson.id == id) return &lesson;
  return nullptr;
}

void add_lesson_text(AskedCard& asked, const std::string& lesson, const std::string& but = "") {
  const FrontMatter* text = text_of_lesson(lesson);
  if (text == nullptr) return;
  const Saying saying = saying_of(text->text);
  asked.points = saying.points;
  if (!asked.drill && but.empty()) asked.listing = saying.listing;
  for (const FollowUp& one : saying.follow_ups)
    if (asked.next.size() < kNextQuestions && one.question != but)
      asked.next.push_back(without_marks(one.question));
}

std::string right_of(const AskedCard& card) {
  if (card.spec.words) return in_words(*card.spec.words, card.config, card.spec.words->right(card.config));
  return in_unit(card.spec.formula(card.config), card.spec.unit);
}

AskedCard ask_drill(const Drill& drill, uint64_t seed) {
  const DrawnQuestion question = draw_question(drill, seed);
  AskedCard asked{
      .spec = question.spec, .drill = true, .minute = drill.minute, .strong = drill.strong, .see = drill.see};
  asked.ten_seconds = right_of(asked) + ": " + question.brief + ".";
  add_lesson_text(asked, drill.lesson);
  return asked;
}

// Those that were judged once.
void add_coding(std::vector<Card>& cards, const std::vector<std::string>& reviewed) {
  for (const coding::CodingDrill& drill : coding::coding_drills())
    if (const std::string id = kCodePlace + drill.id; std::ranges::find(reviewed, id) != reviewed.end())
      cards.push_back({id, drill.topic, drill.lesson, CardKind::kCode, 2, {}});
}
AskedCard ask_code(const coding::CodingDrill& drill, const std::string& lesson) {
  AskedCard asked{.by_person = true, .see = "ringside drill " + drill.id};
  asked.spec.question = tr("Write it without looking: {}. In a new folder: ringside drill {} --folder again",
                           drill.title, drill.id);
  asked.ten_seconds = tr("One that is right: ringside drill {} --solution", drill.id);
  add_lesson_text(asked, lesson);
  return asked;
}

std::optional<AskedCard> ask_on_call(const std::string& name) {
  const auto cause = from_text<Cause>(name);
  if (!cause) return std::nullopt;
  const CauseWords& words = words_of(*cause);
  AskedCard asked{.by_person = true,
                  .ten_seconds = std::string(words.shows),
                  .minute = std::string(words.differs),
                  .see = "ringside on_call"};
  asked.spec.question =
      tr("On call: the cause is that {} ({}). By which lines of the log do you know it, and what "
         "is it taken for?",
         words.is, name);
  add_lesson_text(asked, kCallLesson, name);
  return asked;
}

std::optional<AskedCard> ask_follow_up(const Card& card) {
  const FrontMatter* lesson = text_of_lesson(card.lesson);
  if (lesson == nullptr) return std::nullopt;
  for (const FollowUp& one : saying_of(lesson->text).follow_ups) {
    if (follow_up_id(card.lesson, one) != card.id) continue;
    AskedCard asked{.by_person = true, .see = "ringside run " + card.lesson};
    asked.spec.question = without_marks(one.question);
    const std::string answer = without_marks(one.answer);
    asked.ten_seconds = sentences_of(answer).empty() ? answer : sentences_of(answer).front();
    asked.minute = answer.size() > asked.ten_seconds.size()
                       ? answer.substr(std::min(answer.size(), asked.ten_seconds.size() + 1))
                       : "";
    add_lesson_text(asked, card.lesson, one.question);
    return asked;
  }
  return std::nullopt;
}

// Of a lesson that is built: its first scenario.
std::optional<AskedCard> ask_built(const Card& card, const std::string& prediction) {
  if (build_of(card.lesson) != Build::kReady) return std::nullopt;
  const Lesson& lesson = find_lesson(card.lesson);
  for (const PredictionSpec& spec : lesson.predictions) {
    if (spec.id != prediction) continue;
    AskedCard asked{.spec = spec,
                    .config = Config::parse(lesson.id, lesson.parameters, {}),
                    .see = "ringside run " + lesson.id};
    asked.ten_seconds = right_of(asked);
    asked.minute = spec.why;
    asked.strong = spec.more;
    add_lesson_text(asked, card.lesson);
    return asked;
  }
  return std::nullopt;
}

// Of what was kept when it was answered: the person judges.
std::optional<AskedCard> ask_kept(const Card& card, const std::string& prediction,
                                  const StudyRecord& record) {
  const Attempt* last = nullptr;
  for (const Attempt& one : record.attempts())
    if (one.lesson == card.lesson && one.prediction == prediction) last = &one;
  if (last == nullptr || last->question.empty()) return std::nullopt;
  // A lesson that is built and no longer asks this question may have other parameters.
  const bool gone = build_of(card.lesson) == Build::kReady;
  AskedCard asked{.by_person = true, .see = "ringside run " + (gone ? card.lesson : last->scenario)};
  asked.spec.question = last->question;
  std::string right;
  for (const std::string& word : last->right_words) right += (right.empty() ? "" : ", ") + word;
  asked.ten_seconds = right.empty() ? in_unit(last->right, "") : right;
  for (const std::string& error : last->errors) asked.minute += tr("You once said: {}. ", error);
  add_lesson_text(asked, card.lesson);
  return asked;
}

}  // namespace

std::string topic_of_lesson(const std::string& lesson) {
  for (const Drill& drill : drills())
    if (drill.lesson == lesson) return drill.topic;
  const FrontMatter* text = text_of_lesson(lesson);
  return text == nullptr ? lesson : text->track;
}

std::vector<std::string> bank_topics() {
  std::vector<std::string> topics;
  const auto add = [&](const std::string& topic) {
    if (std::ranges::find(topics, topic) == topics.end()) topics.push_back(topic);
  };
  for (const Drill& drill : drills()) add(drill.topic);
  for (const FrontMatter& lesson : lesson_catalogue()) add(topic_of_lesson(lesson.id));
  return topics;
}

std::vector<Card> bank_cards(const StudyRecord& record, const std::vector<std::string>& reviewed) {
  std::vector<Card> cards;
  add_mistakes(cards, record);
  const size_t mistakes = cards.size();
  for (const Drill& drill : drills()) cards.push_back(card_of(drill));
  add_follow_ups(cards);
  add_coding(cards, reviewed);
  for (const std::string& id : reviewed) {
    const auto [lesson, prediction] = parts_of_id(id);
    if (id.starts_with(kAskedPlace)) cards.push_back(question_card(lesson, prediction));
    if (id.starts_with(kCallPlace) && from_text<Cause>(prediction))
      cards.push_back({id, topic_of_lesson(kCallLesson), kCallLesson, CardKind::kOnCall, 2, {}});
  }
  std::stable_sort(cards.begin() + std::ptrdiff_t(mistakes), cards.end(),
                   [](const Card& a, const Card& b) { return a.level < b.level; });
  std::set<std::string> seen;
  std::erase_if(cards, [&](const Card& card) { return !seen.insert(card.id).second; });
  return cards;
}

Card card_of(const Drill& drill) {
  return {kDrillPlace + drill.id, drill.topic, drill.lesson, CardKind::kDrill, drill.level, {drill.source}};
}

std::string follow_up_id(const std::string& lesson, const FollowUp& one) {
  return clean_text(kNextPlace + lesson + "/" + without_marks(one.question), kMostCardId);
}

std::vector<Card> question_cards(const std::string& lesson) {
  std::vector<Card> cards;
  for (const PredictionSpec& spec : find_lesson(lesson).predictions)
    cards.push_back(question_card(lesson, spec.id));
  return cards;
}

std::optional<AskedCard> ask_card(const Card& card, uint64_t seed, const StudyRecord& record) {
  const auto [lesson, name] = parts_of_id(card.id);
  if (card.kind == CardKind::kFollowUp) return ask_follow_up(card);
  if (card.kind == CardKind::kQuestion) {
    std::optional<AskedCard> asked = ask_built(card, name);
    return asked ? asked : ask_kept(card, name, record);
  }
  if (card.kind == CardKind::kOnCall) return ask_on_call(name);
  if (card.kind == CardKind::kCode) return ask_code(coding::find_coding_drill(name), card.lesson);
  for (const Drill& drill : drills())
    if (drill.id == name) return ask_drill(drill, seed);
  return std::nullopt;
}

// A lesson's question may take its scenario's symbols; a drill's has none, and takes any unit.
TypedAnswer read_answer(const AskedCard& card, const std::string& line) {
  return card.drill ? read_in_units(card.spec, line) : read_typed(card.spec, card.config, line);
}

std::vector<std::string> listing_lines(const std::string& listing) {
  std::vector<std::string> lines;
  std::istringstream parts(listing);
  for (std::string part; std::getline(parts, part);) lines.push_back("    " + part);
  return lines;
}

std::vector<std::string> question_lines(const AskedCard& card) {
  std::vector<std::string> lines;
  std::istringstream parts(card.spec.question);  // records stand on lines of their own
  for (std::string part; std::getline(parts, part);) lines.push_back(part);
  if (!card.spec.context.empty()) lines.push_back(card.spec.context);
  for (const char* count : {"ranks", "workers"})
    if (card.config.declares(count)) lines.push_back(tr("With {} {}.", card.config.text(count), count));
  const bool by_line = card.spec.words && card.spec.words->kind == AnswerKind::kLine;  // its options have it
  for (const std::string& line : listing_lines(by_line ? "" : card.listing)) lines.push_back(line);
  if (!card.spec.words && !card.spec.unit.empty()) lines.push_back(tr("In {}.", card.spec.unit));
  return lines;
}

Judgement judge(const AskedCard& card, const TypedAnswer& answer) {
  return judge(card.spec, card.config, answer);
}

}  // namespace ringside::inline kit
