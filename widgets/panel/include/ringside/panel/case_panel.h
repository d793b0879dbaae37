// The panel of a lesson whose cases are solved by looking (lesson/investigation.h): the lesson's figures as
// tabs, a look at the evidence as a button that is counted, an answer that is judged, and the hole that opens
// when the dump is first seen. What is particular to a lesson is data.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ringside/lesson/investigation.h"
#include "ringside/panel/figures.h"

namespace ringside {

struct CaseBook {
  struct Act {
    std::string number, section, picture;  // where it can be seen
  };
  std::vector<Act> acts;  // the first has the fixes, the last one the cases
  struct Fix {
    std::string name, label;  // "timeout" is run as the section "fix timeout"; "rank" is found by looking
  };
  std::vector<Fix> fixes;
  int cases = 0, of_one_line = 0;  // so many in all; the first few are dealt by the seed
  double shown_seconds = 0;        // what the clock of the hole counts to
  // Questions that are answered by a fix, by the sizes in a log line, by the timeline.
  std::string of_fixes = {}, of_sizes = {}, of_timeline = {};
  std::map<std::string, std::string> picture_after = {};      // of a question that was answered
  std::map<std::string, std::string> act_of_picture = {};     // of one that shows another act
  std::vector<std::string> main_parameters = {}, quiet = {};  // quiet: in names of sections nobody watches
};

struct Investigation {             // of one case
  std::vector<std::string> looks;  // in their order: "logs", "dump"
  std::string rank, cause;         // named; "" where not yet
  bool by_rank = false;            // the rank alone is asked for
  bool searching = false;          // looks are offered: of a case always
  int tries = 0;
  bool right = false, told = false;  // told: given up, and shown
  std::set<std::string> seen;        // "fixed", "check": watched since
  Answered verdict = Answered::kNothing;

  bool looked(const std::string& at) const;
  bool is_whole() const { return !rank.empty() && (by_rank || !cause.empty()); }  // may be answered
  bool open() const { return !right && !told; }  // the truth is not to be drawn
  void answer(const SectionView& section);
  std::string solved_words() const;        // "solved with 1 look, at try 2"
  std::vector<std::string> words() const;  // as the scenario has them: "look=logs,dump"
};

// What a person found out, and the buttons for it.
class Cases {
 public:
  explicit Cases(const CaseBook& book) : book_(book) {}
  void update(View& view);  // once a frame: watches what was asked for, once it is recorded
  // Of the case that the section belongs to, as this seed deals it; null for another one.
  Investigation* of(const View& view, const std::string& section);
  Investigation* of(const View& view) { return view.section ? of(view, view.section->name()) : nullptr; }
  void inspector(View& view);  // the line, fixes, looks, the answer
  std::optional<NextAct> next(View& view);
  bool leads(View& view);  // a case is watched, or the first one is played by its buttons
  void follow_question() { led_ = false; }
  int solved(const View& view);
  std::string show;             // a figure that a button asked for; "" for none
  bool hole = false;            // the dump was opened just now
  std::set<std::string> tried;  // fixes

 private:
  using Way = std::function<void(Wishes&)>;
  Way way_to(const View& view, const std::string& section, std::vector<std::string> words);
  Way way_to_case(const View& view, int number, const std::string& end = "");
  void look(Investigation& opened, const std::string& at);
  void fixes(View& view, Investigation& opened);
  void looks(Investigation& opened);
  void naming(View& view, Investigation& opened);
  void verdict(View& view, const Investigation& opened);
  void after(View& view, const Investigation& opened);
  std::optional<NextAct> next_look(View& view, Investigation& opened);
  std::optional<NextAct> next_of_case(View& view, const Investigation& opened);
  std::optional<NextAct> next_of_fixes(View& view, Investigation& opened);

  const CaseBook& book_;
  std::map<std::string, Investigation> all_;
  std::string awaited_;  // the section to watch as soon as it is there
  bool led_ = false;
};

class CasePanel : public FigurePanel {
 public:
  CasePanel(const Lesson& lesson, CaseBook book);

  size_t picture_for(const PredictionSpec&) const override { return 0; }
  size_t picture_after(const PredictionSpec& asked) const override;
  std::vector<std::string> main_parameters(const Lesson&) const override { return book_.main_parameters; }
  bool folds_controls(View& view) override;
  void readout(View& view) override;
  std::string sentence(View& view) override;
  std::string section_of(const Config& config) const override;
  std::string section_before(const PredictionSpec&) const override { return "symptom"; }
  bool worth_watching(const std::string& section) const override;
  bool offers(View& view, const std::string& section) override;
  std::string timeline_closed(View& view) override;
  bool take(View& view, const std::string& parameter, const std::string& value) override;
  std::string shown_value(View& view, const std::string& parameter) override;
  std::optional<NextAct> next_act(View& view) override;
  std::optional<std::string> record(View& view) override;
  void draw_record(View& view, ImVec2 size) override;
  bool moves() const override { return opened_at_ >= 0; }
  std::map<std::string, std::string> state() const override;

 protected:
  void see(View& view) override;
  void draw_figure(View& view, size_t nth, ImVec2 size) override;  // as far as it was looked at

 private:
  // The scenario with what was looked at as its words.
  Config seen_by(const View& view);
  const CaseBook::Act* act(const std::string& number) const;  // null for "all"
  std::string picture_of_act(const std::string& number) const;
  void go_to(const std::string& picture) { show_picture(place_of(picture)); }
  void go_to_act(const std::string& number, Wishes& wishes);
  std::string act_of(const View& view) const;
  bool shows_all(View& view);  // the dump was looked at, or nothing is asked
  void draw_clock(const ui::Rect& rect, double part) const;
  void draw_threads(const View& view, size_t figure, double part) const;
  void card_button(View& view);
  void note_state(View& view);

  const CaseBook book_;
  Cases cases_;
  std::string watched_, scenario_;  // in the frame before
  double opened_at_ = -1, threads_ = -1;
  std::map<std::string, std::string> state_;
};

}  // namespace ringside
