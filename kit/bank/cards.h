// The bank: everything that can be asked, as cards with one id each.
//
//   drill/zero_state                          a drill (drill.h); numbers of its own each time
//   asked/zero/sent                           what a lesson asks; of those that were answered wrongly also
//                                             where the lesson is not built
//   code/shard_bounds                         a coding drill (kit/coding) that was judged once
//   call/absent                               a cause that was missed on call: how a log shows it
//   next/zero/Why not always stage 3?         what an interviewer asks next, of a lesson's text
//
// An answer has three lengths: ten seconds (what is right, and how it comes about), a minute (why), five
// minutes (the lesson's own answer and its points), and what a strong answer adds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "drill.h"
#include "ringside/lesson/lesson_text.h"
#include "study_record.h"

namespace ringside::inline kit {

enum class CardKind : uint8_t { kDrill, kQuestion, kFollowUp, kCode, kOnCall };
inline constexpr std::string_view kCardKindTexts[] = {"drill", "question", "follow-up", "code", "on call"};
inline std::span<const std::string_view> texts(CardKind) { return kCardKindTexts; }

struct Card {
  std::string id = {}, topic = {}, lesson = {};
  CardKind kind = CardKind::kDrill;
  int level = 1;
  std::vector<std::string> sources = {};
  bool mistake = false;  // it was answered wrongly in its lesson, and not rightly since
};

// In the order of the path: mistakes, then level by level, topic after topic. Lessons are not loaded, so
// their questions are there once they were answered wrongly, or asked here.
std::vector<Card> bank_cards(const StudyRecord& record, const std::vector<std::string>& reviewed = {});
// The questions of a lesson that is built: loads it.
std::vector<Card> question_cards(const std::string& lesson);
Card card_of(const Drill& drill);
std::string follow_up_id(const std::string& lesson, const FollowUp& follow_up);
std::vector<std::string> bank_topics();
std::string topic_of_lesson(const std::string& lesson);

// A card as it is put to somebody.
struct AskedCard {
  PredictionSpec spec = {};
  Config config = no_scenario();
  bool by_person = false;  // nobody but the person can judge the answer
  bool drill = false;
  std::string listing = {};  // the program that a lesson asks about
  std::string ten_seconds = {}, minute = {}, strong = {}, see = {};
  std::vector<std::string> points = {};  // of the lesson: five minutes
  std::vector<std::string> next = {};    // what is asked next
};
// `seed`: of a drill's numbers. Nothing where the lesson is not built and the record knows no more of it.
std::optional<AskedCard> ask_card(const Card& card, uint64_t seed, const StudyRecord& record);
Judgement judge(const AskedCard& card, const TypedAnswer& answer);
// The question as it is put, without its options: a line that begins with four blanks stands as it is.
std::vector<std::string> question_lines(const AskedCard& card);
std::vector<std::string> listing_lines(const std::string& listing);
TypedAnswer read_answer(const AskedCard& card, const std::string& line);

}  // namespace ringside::inline kit
