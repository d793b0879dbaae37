// Say it, without its pictures: where the learner is, what was ticked and answered. From page to page by one
// button: half a minute to say it aloud, the points to tick, the text, then what is asked next, one at a
// time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ringside/lesson/lesson.h"
#include "saying.h"
#include "study_record.h"

namespace ringside::gui {

enum class SayPage : uint8_t { kAloud, kPoints, kText, kAsked, kDone };
inline constexpr int kSayPages = 5;
inline constexpr const char* kSayPageNames[] = {"aloud", "points", "text", "asked", "done"};

class SayState {
 public:
  void enter(const Lesson& lesson);  // from its start
  void go_to(SayPage page);
  void again(const std::string& id);  // what the record asks for again: the points, or one question alone

  // ---- Acts. Seconds are the desk's.
  void start(double seconds);  // the half minute, or anew
  void tick(size_t point);     // or not
  void choose(int direction);  // another point
  void next(StudyRecord& record);
  void answer(bool had_it, StudyRecord& record);  // of the question asked, once its answer is shown

  // ---- What it knows
  SayPage page() const { return page_; }
  const Saying& saying() const { return saying_; }
  std::string next_label() const;                            // "": it is all said
  std::optional<double> seconds_left(double seconds) const;  // nothing before the start
  bool counting(double seconds) const;
  bool ticked(size_t point) const { return ticked_[point]; }
  size_t ticks() const;
  bool points_said() const { return points_said_; }  // and kept
  size_t chosen() const { return chosen_; }
  size_t asked() const { return asked_; }
  bool shown() const { return shown_; }  // the answer
  const std::vector<std::optional<bool>>& had() const {
    return had_;
  }  // of each question; nothing: not answered
  const FollowUp* question() const;

 private:
  std::string lesson_;
  Saying saying_;
  SayPage page_ = SayPage::kAloud;
  std::optional<double> started_at_;
  std::vector<bool> ticked_;
  size_t chosen_ = 0, asked_ = 0;
  bool points_said_ = false, shown_ = false,
       alone_ = false;  // alone_: one question is asked again, the others are not
  std::vector<std::optional<bool>> had_;
};

}  // namespace ringside::gui
