#include "review_session.h"

#include <algorithm>

#include "ringside/base/check.h"
#include "ringside/base/random.h"
#include "ringside/lesson/front_matter.h"
#include "ringside/lesson/modules.h"
#include "ringside/lesson/tr.h"

namespace ringside::inline kit {
namespace {

constexpr int64_t kSoonMs = 20 * 60'000;  // what comes again so soon comes in this session
constexpr int kMostTimes = 3;             // that a card is asked in one

}  // namespace

std::vector<Card> session_cards(const StudyRecord& record, const std::vector<ReviewEntry>& log,
                                const std::vector<std::string>& topics) {
  std::vector<std::string> reviewed;
  for (const ReviewEntry& entry : log) reviewed.push_back(entry.card);
  std::vector<Card> cards = bank_cards(record, reviewed);
  for (const FrontMatter& lesson : lesson_catalogue()) {
    const Card any{.id = {}, .topic = topic_of_lesson(lesson.id), .lesson = lesson.id};
    if (!is_of(any, topics) || build_of(lesson.id) != Build::kReady) continue;
    std::vector<Card> fresh = question_cards(lesson.id);
    std::erase_if(fresh, [&](const Card& card) {
      return std::ranges::any_of(cards, [&](const Card& one) { return one.id == card.id; });
    });
    if (fresh.empty()) continue;
    const auto place = std::ranges::find_if(cards, [](const Card& card) { return !card.mistake; });
    cards.insert(place, fresh.begin(), fresh.end());
    break;
  }
  return cards;
}

ReviewSession::ReviewSession(ReviewLog& log, const StudyRecord& record, Setup setup, int64_t now)
    : log_(log),
      record_(record),
      setup_(std::move(setup)),
      memories_(replay(setup_.entries, setup_.fsrs)),
      queue_(setup_.cards.begin(), setup_.cards.end()) {
  advance(now);
}

// A card of a lesson that is gone is passed over.
void ReviewSession::advance(int64_t now) {
  asked_.reset();
  judgement_.reset();
  shown_at_ = 0;
  asked_at_ = now;
  while (!asked_ && !queue_.empty()) {
    card_ = queue_.front();
    queue_.pop_front();
    const auto times = uint64_t(setup_.seed ? 0 : times_seen());
    asked_ = ask_card(card_, mix_seed(setup_.seed.value_or(0), card_.id, times), record_);
  }
}

int ReviewSession::times_seen() const {
  const auto found = memories_.find(card_.id);
  return found == memories_.end() ? 0 : found->second.reviews;
}

std::string ReviewSession::answer(const std::string& line, int64_t now) {
  const TypedAnswer typed = read_answer(*asked_, line);
  if (!typed.is_answer()) return typed.mistake.empty() ? tr("Not understood.") : typed.mistake;
  judgement_ = judge(*asked_, typed);
  shown_at_ = now;
  return "";
}

void ReviewSession::show(int64_t now) { shown_at_ = now; }

Rating ReviewSession::proposed() const {
  const bool right = judgement_ && judgement_->right;
  if (setup_.seed) return right ? Rating::kEasy : Rating::kAgain;
  return right ? Rating::kGood : Rating::kAgain;
}

ReviewSession::Rated ReviewSession::rate(Rating rating, int64_t now) {
  RINGSIDE_CHECK(shown(), "a card is rated once its answer is shown");
  ReviewEntry entry{.card = card_.id, .at = now, .ms = shown_at_ - asked_at_, .rating = rating};
  if (judgement_ && !judgement_->errors.empty()) entry.error = judgement_->errors[0].name;
  entry.id = log_.append(entry);  // on the disk from here on
  CardMemory& memory = memories_[card_.id];
  last_ = Last{card_, memory, entry};
  memory = next_memory(setup_.fsrs, memory, entry);
  ++reviewed_;
  recalled_ += rating != Rating::kAgain;
  const Rated rated{memory.due - now, memory.lapses, memory.is_leech(), card_.lesson};
  if (!setup_.seed && rated.again_in <= kSoonMs && ++times_[card_.id] < kMostTimes) queue_.push_back(card_);
  advance(now);
  return rated;
}

bool ReviewSession::undo(int64_t now) {
  if (!last_) return false;
  log_.undo(last_->entry.id, now);
  if (asked_) queue_.push_front(card_);
  memories_[last_->card.id] = last_->before;
  if (!queue_.empty() && queue_.back().id == last_->card.id) queue_.pop_back();
  queue_.push_front(last_->card);
  --reviewed_;
  recalled_ -= last_->entry.rating != Rating::kAgain;
  last_.reset();
  advance(now);
  return true;
}

}  // namespace ringside::inline kit
