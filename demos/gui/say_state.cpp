#include "say_state.h"

#include <algorithm>

#include "ringside/lesson/tr.h"

namespace ringside::gui {

void SayState::enter(const Lesson& lesson) {
  *this = SayState();
  lesson_ = lesson.id;
  saying_ = saying_of(lesson.text);
  ticked_.resize(saying_.points.size());
  had_.resize(saying_.follow_ups.size());
}

// A page that has nothing is passed over.
void SayState::go_to(SayPage page) {
  if (page == SayPage::kPoints && saying_.points.empty()) page = SayPage::kText;
  if (page == SayPage::kAsked && saying_.follow_ups.empty()) page = SayPage::kDone;
  if (page == SayPage::kAsked && asked_ >= saying_.follow_ups.size()) asked_ = 0;
  page_ = page;
  shown_ = alone_ = false;
}

void SayState::again(const std::string& id) {
  const auto& all = saying_.follow_ups;
  const auto found = std::ranges::find(all, id, said_id);
  if (found == all.end()) {
    ticked_.assign(saying_.points.size(), false);
    points_said_ = false;
    started_at_.reset();
    return go_to(SayPage::kAloud);
  }
  asked_ = size_t(found - all.begin());
  go_to(SayPage::kAsked);
  alone_ = true;
}

void SayState::start(double seconds) {
  if (page_ == SayPage::kAloud) started_at_ = seconds;
}

void SayState::tick(size_t point) {
  if (page_ != SayPage::kPoints || point >= ticked_.size()) return;
  chosen_ = point;
  ticked_[point] = !ticked_[point];
}

void SayState::choose(int direction) {
  const size_t count = ticked_.size();
  if (count > 0) chosen_ = (chosen_ + count + size_t(direction + int(count))) % count;
}

void SayState::next(StudyRecord& record) {
  switch (page_) {
    case SayPage::kAloud: return go_to(SayPage::kPoints);
    case SayPage::kPoints:
      record.add(points_attempt(lesson_, saying_, ticked_));
      points_said_ = true;
      return go_to(SayPage::kText);
    case SayPage::kText: asked_ = 0; return go_to(SayPage::kAsked);
    case SayPage::kAsked:
      if (shown_) return answer(true, record);
      shown_ = true;
      return;
    case SayPage::kDone: return;
  }
}

void SayState::answer(bool had_it, StudyRecord& record) {
  if (page_ != SayPage::kAsked || !shown_) return;
  had_[asked_] = had_it;
  record.add(follow_up_attempt(lesson_, saying_.follow_ups[asked_], had_it));
  shown_ = false;
  if (alone_ || ++asked_ >= saying_.follow_ups.size()) go_to(SayPage::kDone);
}

std::string SayState::next_label() const {
  switch (page_) {
    case SayPage::kAloud:
      return saying_.points.empty() ? tr("read the answer ▸") : tr("tick what you said ▸");
    case SayPage::kPoints: return tr("read the answer ▸");
    case SayPage::kText: return saying_.follow_ups.empty() ? tr("done ▸") : tr("next question ▸");
    case SayPage::kAsked: return shown_ ? tr("I had it ▸") : tr("show the answer ▸");
    case SayPage::kDone: break;
  }
  return "";
}

std::optional<double> SayState::seconds_left(double seconds) const {
  if (!started_at_) return std::nullopt;
  return std::max(0.0, kSaySeconds - (seconds - *started_at_));
}

bool SayState::counting(double seconds) const {
  return page_ == SayPage::kAloud && seconds_left(seconds).value_or(0) > 0;
}

size_t SayState::ticks() const { return size_t(std::ranges::count(ticked_, true)); }

const FollowUp* SayState::question() const {
  return page_ == SayPage::kAsked ? &saying_.follow_ups[asked_] : nullptr;
}

}  // namespace ringside::gui
