// Which section of the run is watched and at which instant; its memory and its timeline.
#pragma once

#include "ringside/panel/place.h"
#include "ringside/panel/playhead.h"
#include "ringside/widgets/memory_history.h"
#include "ringside/widgets/timeline.h"
#include "room_runs.h"

namespace ringside::gui {

// Where the playhead goes as soon as that is recorded.
struct Awaited {
  std::string instant = {};  // as for --at; or else
  Place place = {};
  bool played = false;    // the step is played once
  bool closed = false;    // no other section is drawn until then
  bool followed = false;  // the section alone: its live end
  double tried_at = -1;
};

class Watching {
 public:
  explicit Watching(const RunKeeper& runs) : runs_(runs) {}

  // ---- Acts
  void enter(const Lesson& lesson);
  void forget_trace();  // another one stands there
  // The live end, in the section that the room picks, until that place is recorded.
  void follow(std::optional<Awaited> place = {});
  void await(Awaited place);               // in the section that is watched
  bool watch(const std::string& section);  // by the learner; false where it is not recorded
  void stride(Stride by, int direction);
  void seek(int64_t time_ns);
  void go_live();
  void toggle_play();
  bool open_for(const std::string& question);  // notes that Watch opens; false where it did, in this trace
  // Once a frame. What is wrong with an instant that the run can no longer come to; "": nothing.
  std::string reach(const Config& config, double seconds);
  void take_in(const SectionView* section);  // once a frame: the one that is drawn

  // ---- What it knows. Steps are what the lesson calls so.
  // The section that is drawn. `hidden`: none but the one that the playhead names.
  const SectionView* section(bool hidden) const;
  Moment moment(const SectionView& section) const;
  Place place(const SectionView& section) const;                                       // of the playhead
  const SectionView* at_playhead() const { return watched(runs_.trace(), playhead); }  // drawn or not
  const std::string& step_word() const { return lesson_->words.step; }
  bool chosen_by_hand() const { return chosen_by_hand_; }  // the section; else the room picks it
  const Awaited* awaited() const { return awaited_ ? &*awaited_ : nullptr; }
  bool closed() const { return awaited_ && awaited_->closed; }
  ui::MemoryHistory* memory() { return history_of_ ? &memory_ : nullptr; }
  const ui::TimelineIndex& index() const { return index_; }

  Playhead playhead;
  ui::Timeline timeline;

 private:
  void forget_section();
  void reach_place();
  std::string try_instant(const Config& config, double seconds);
  void stand_at(const SectionView& section, int64_t from_ns, int64_t until_ns);
  bool is_over(const SectionView& section) const;

  const RunKeeper& runs_;
  const Lesson* lesson_ = nullptr;
  ui::MemoryHistory memory_;
  ui::TimelineIndex index_;
  std::optional<std::string> history_of_;  // the section that memory and index stand for
  bool chosen_by_hand_ = false;
  std::optional<Awaited> awaited_;
  std::optional<TimeRange> zoom_;  // of the timeline, once it has the section
  std::string opened_for_;         // the question
};

}  // namespace ringside::gui
