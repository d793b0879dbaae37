// A case is investigated, not read: looks are counted, and the truth waits for an answer.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bucket.h"
#include "names.h"
#include "ringside/panel/figures.h"

namespace ringside::nccl_panel {

using nccl_lesson::Answered;
using nccl_lesson::attribute;
using nccl_lesson::case_of;

struct Investigation {             // of one case, or of act 1
  std::vector<std::string> looks;  // in their order: "logs", "dump"
  std::string rank, cause;         // named; "" where not yet
  bool by_rank = false;            // the rank alone is asked for: act 1
  bool searching = false;          // looks are offered: of a case always
  int tries = 0;
  bool right = false, told = false;  // told: given up, and shown
  std::set<std::string> seen;        // "fixed", "check": watched since
  Answered verdict = Answered::kNothing;

  bool looked(const std::string& at) const { return std::ranges::count(looks, at) > 0; }
  bool is_whole() const { return !rank.empty() && (by_rank || !cause.empty()); }  // may be answered
  bool open() const { return !right && !told; }  // the truth is not to be drawn
  void answer(const SectionView& section);
  std::string solved_words() const;                          // "solved with 1 look, at try 2"
  std::vector<std::string> words(const SectionView&) const;  // as the scenario has them: "look=logs,dump"
};

// What a person found out, and the buttons for it.
class Cases {
 public:
  void update(View& view);  // once a frame: watches what was asked for, once it is recorded
  // Of the case, or of act 1, that the section belongs to, as this seed deals it; null for another one.
  Investigation* of(const View& view, const std::string& section);
  Investigation* of(const View& view) { return view.section ? of(view, view.section->name()) : nullptr; }
  void inspector(View& view);  // the line, fixes, looks, the answer
  std::optional<NextAct> next(View& view);
  bool leads(View& view);  // a case is watched, or act 1 is played by its buttons
  void follow_question() { led_ = false; }
  void search(const View& view) { of(view, "symptom")->searching = true; }
  int solved(const View& view);
  std::string show;             // a figure that a button asked for; "" for none
  bool hole = false;            // the dump was opened just now
  std::set<std::string> tried;  // fixes of act 1

 private:
  using Way = std::function<void(Wishes&)>;
  Way way_to(const View& view, const std::string& section, std::vector<std::string> words);
  void look(Investigation& opened, const std::string& at);
  void fixes(View& view, Investigation& opened);
  void looks(Investigation& opened);
  void naming(View& view, Investigation& opened);
  void verdict(View& view, const Investigation& opened);
  void after(View& view, const Investigation& opened);
  std::optional<NextAct> next_look(View& view, Investigation& opened);
  std::optional<NextAct> next_of_act_one(View& view, Investigation& opened);

  std::map<std::string, Investigation> all_;
  std::string awaited_;  // the section to watch as soon as it is there
  bool led_ = false;
};

std::string looks_words(size_t looks);  // "1 look", "2 looks"

// Gradients drop into the bucket, one after the other or by a button; digits that agree with the log's lock.
class BucketPicture {
 public:
  void draw(View& view, ImVec2 size);
  bool moves() const;
  void focus() { keys_ = true; }
  void add_state(std::map<std::string, std::string>& state) const;

 private:
  void step_to(View& view, size_t count);
  void take_keys(View& view, const nccl_lesson::Bucket& bucket);
  void digits(int64_t sum, int64_t logged);

  std::string plan_ = "plan 7B";
  size_t dropped_ = 0, fits_ = 0;
  bool bounced_ = false;  // the next one was tried, and did not fit
  bool keys_ = false;     // arrows, Home, End and Space go to it
  bool playing_ = false;  // one after the other, by themselves
  double moved_at_ = -1;
  int64_t sum_ = 0, before_ = 0, agreeing_ = 0;  // agreeing_: digits from the right that are those of the log
  FigureView picture_;
  uint64_t version_ = 0;
};

}  // namespace ringside::nccl_panel
