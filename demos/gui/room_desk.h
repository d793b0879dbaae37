// What the room is made of. A part holds what belongs together; the desk does what concerns several of them.
// The pictures (room_*.cpp, step_*.cpp) read both, ask them to act, and write no more than the public fields.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lesson_builds.h"
#include "ringside/lesson/lesson.h"
#include "ringside/panel/figure_view.h"
#include "ringside/panel/live_panel.h"
#include "ringside/panel/panel.h"
#include "ringside/widgets/markdown.h"
#include "room.h"
#include "room_comparing.h"
#include "room_guessing.h"
#include "room_on_call.h"
#include "room_prepare.h"
#include "room_runs.h"
#include "room_training.h"
#include "room_watching.h"
#include "say_state.h"
#include "settings.h"
#include "study_record.h"
#include "word_list.h"

namespace ringside::gui {

Config parse_words(const Lesson& lesson, const std::vector<std::string>& words);

class Desk {
 public:
  Desk(const RoomOptions& options, ui::Look& look);

  // Once a frame, before anything is drawn.
  void update(double seconds);
  View view();  // of this frame
  void carry_out(Wishes& wishes);

  // ---- Acts
  void choose_lesson(const std::string& id, const std::vector<std::string>& words = {});
  void return_to(const std::string& id);  // to that lesson where the learner left it
  void build_all();                       // every lesson that is not built, one after the other
  void run(Config config);                // a scenario: a new run
  // One parameter: a new run, unless the panel has it.
  void set(const std::string& name, const std::string& value);
  void draft(const std::string& name, const std::string& value);  // while a control is dragged: nothing runs
  void scenario(const std::string& line);  // UsageError; another lesson's line goes there
  void go_to(Step step);
  void next();  // the one next button
  void ask(size_t question);
  void commit();                         // the guesses of the question asked, and of its board
  void again(const std::string& words);  // the same question elsewhere
  void pin();                            // this run, or lets go of the pinned one
  // To Watch at this instant of the run, "stage 2:2:backward" as for --at: zoomed to its step, and paused.
  // Follows a run that is still on its way there.
  void show(const std::string& instant);
  // Break it: the words of this line over the learner's own; another lesson's line goes there.
  void change_line(const std::string& line);
  void open_trace(const std::filesystem::path& path) { runs.open(path); }
  void show_lesson() { prepare.open = training_open = on_call.open = false; }
  void leave() {  // once the run has stopped
    leaving_ = true;
    runs.cancel();
  }
  void tell(const std::string& message, bool alarm = false);  // a line the room shows until it is put away
  // At the scenario line, until it is corrected.
  void refuse(const std::string& line, const std::string& why);

  // ---- What it knows
  const Lesson& lesson() const { return *lesson_; }
  struct Part {
    std::string title;
    ui::Markdown text;
  };
  const std::vector<Part>& text() const { return text_; }  // of the lesson, cut at its level-2 headings
  const ui::Markdown* part(std::string_view title) const;  // null where the lesson has none of that title
  const std::optional<ui::Markdown>& say_listing() const { return say_listing_; }  // that is asked about
  const std::vector<ui::Markdown>& say_answers() const { return say_answers_; }    // to what is asked next
  Step step() const { return step_; }
  double seconds() const { return seconds_; }
  const Config& config() const { return *config_; }    // the trace is of it once its run has begun
  const Config& drafted() const { return *drafted_; }  // of the controls
  const std::string& draft_mistake() const { return draft_mistake_; }  // of the controls, in words
  const std::set<std::string>& unbuilt() const { return unbuilt_; }  // to be built before they can be opened
  const LessonBuilds& builds() const { return builds_; }
  const Measurements& measurements() const { return measurements_; }
  bool leaving() const { return leaving_; }
  std::string last_line(const std::string& id) const;  // where the learner left that lesson
  std::string next_label();
  bool can_go_on() { return step_ != Step::kGuess || guessing.can_commit(); }
  std::optional<double> found(const PredictionSpec& spec) const;  // measured, or calculated where no run does
  std::optional<Words> found_words(const PredictionSpec& spec) const;
  // Beside the answer; none: the answer alone.
  std::optional<size_t> picture_at_reveal(const PredictionSpec& spec);
  std::string building() const;  // "building norms: compiling 3 of 9, ..."; "" where nothing is
  std::string status() const;    // "stage 2, 34%, about 6 s left"
  const SectionView* watched_section();
  bool filling() const { return step_ == Step::kReveal && look.motion && guessing.filling(seconds_); }
  const std::vector<GaugeRow>& gauges();  // of the pinned run and of this one
  std::string difference();               // of them in words; "" where no run is pinned
  bool waiting() const {                  // something comes without being asked for
    return panel->waiting() || comparison.waiting() || live.waiting() || look.terms.waiting() ||
           builds_.running() || measurements_.pending();
  }
  // A file that could not be read.
  bool nothing_to_show() const { return runs.trace().sections().empty() && !runs.busy(); }

  // ---- Its parts
  ui::Look& look;
  StudyRecord record;
  SettingsFile settings;
  Prepare prepare;
  std::optional<FollowedTraining> training;
  OnCall on_call;
  std::unique_ptr<Panel> panel;
  LivePanel live;
  RunKeeper runs;
  Guessing guessing{config_};
  Watching watching{runs};
  Comparison comparison;
  SayState saying;

  // ---- What the pictures write
  Wishes wishes;
  std::optional<std::string> to_copy;
  struct Message {
    std::string text;
    bool alarm;
  };
  std::vector<Message> messages;
  // A scenario line that cannot run, as it was typed: why, and the word that is wrong.
  struct LineMistake {
    std::string line, why;
    size_t at = 0, size = 0;  // of the word, in bytes
    bool seen = false;        // it stands in the field by now
  };
  std::optional<LineMistake> line_mistake;
  struct {
    std::string text, shown;  // as typed; the scenario it began with
  } scenario_field;
  struct {                                     // of the inspector, a control for each parameter
    std::map<std::string, std::string> typed;  // in its fields, until Enter
    size_t chosen = 0;                         // of those shown, for the keys
    bool all = false;                          // also what is no main parameter
    bool folded = false;                       // in the frame before, for the keys
    float height = 0;                          // with the readouts, in the frame before
  } controls;
  WordList word_list;
  struct {
    FigureView picture;
    figure::Value table;
    std::pair<uint64_t, size_t> of;  // its run and rows
  } ledger;
  FigureView reveal_curves;
  int open_fold = -1;  // Reveal's lower half: claims, ledger, outcome; -1: folded
  bool menu = false, help = false, frame_times = false, training_open = false;
  bool opening_is_told = false;  // where the picture stands, in this frame
  bool picture_has_keys = false, focus_scenario = false, focus_answer = false;

 private:
  void enter(const Lesson& chosen);
  std::vector<std::string> last_words(const std::string& id) const;
  void look_what_is_built();
  std::string first_lesson(const std::string& wanted) const;
  void open_once_built(const std::string& id, const std::vector<std::string>& words);
  void follow_builds();
  std::optional<NextAct> next_act();
  std::optional<size_t> figure_that_shows(const PredictionSpec& spec);
  void show_open_picture();
  void show_asked_picture();
  void open_watch();
  void await(Awaited place);
  void reach_awaited();
  void pick_section();
  void follow_run();
  std::optional<KeptRun> this_run();
  bool follows_traced(const Config& next) const;  // another run of the lesson whose trace stands there
  std::optional<Awaited> compare_with(const Config& next);
  std::optional<Awaited> same_instant(const Config& next);
  void pair_pinned();
  void tell_once(const std::string& message);
  void save(const SavedFile& file);

  const std::filesystem::path data_folder_;
  const Lesson* lesson_ = nullptr;
  std::optional<Config> config_, drafted_;
  std::optional<Config> traced_;  // what the trace shown is of; config_ is ahead of it until its run begins
  std::vector<Part> text_;
  std::optional<ui::Markdown> say_listing_;
  std::vector<ui::Markdown> say_answers_;
  Step step_ = Step::kGuess;
  double seconds_ = 0;
  std::string draft_mistake_;
  LessonBuilds builds_;
  std::set<std::string> unbuilt_;
  std::pair<std::string, std::vector<std::string>> to_open_;  // the lesson, with its words, once it is built
  Measurements measurements_;
  uint64_t run_number_ = 0;
  bool kept_this_ = false;  // the figures of this run
  const Trace no_trace_;
  std::set<std::string> told_;  // once
  bool leaving_ = false;
};

// ---- What the desk is made of, for its pictures and keys

bool is_lesson(const std::string& id);  // of this program
// The word that makes a scenario line wrong; the whole line where no single word does. `why`: what was said
// of it.
Desk::LineMistake mistake_in(const std::string& line, const std::string& why);

// ---- For scripts and tests

// "select zero", "scenario zero ranks=8", "set ranks 8", "step reveal", "ask state_stage_2",
// "predict state_stage_2 2P+14P/N", "confidence 3", "next", "again ranks=8", "watch stage 2",
// "playhead 0.5", "show stage 2:2:backward", "stride event 1", "play 0.01", "live", "pin", "stop", "picture
// bits", "theme light", "font 1.25", "open FILE". UsageError for anything else.
// "prepare map", "prepare answer 112 GB", "prepare rate 3": the page of who has an interview ahead.
// "say aloud", "say start", "say tick 2", "say had": the pages and acts of Say it.
// An answer in words: "predict order b|a|c", options as they are called or by their number; "predict line 3";
// "predict printed None".
void run_command(Desk& desk, const std::string& line);
// What is shown, as figures and names; of one part ("run"), all of them where there is none of that name.
nlohmann::json state_of(Desk& desk, const std::string& part);

}  // namespace ringside::gui
