// Everything the room knows, in one place, and what can be done with it. The pictures
// (room_*.cpp, step_*.cpp) read the desk and ask it to act; only the desk acts.
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
  std::string last_line(const std::string& id) const;  // where the learner left that lesson
  void return_to(const std::string& id);               // there
  void build_all();                                    // every lesson that is not built, one after the other
  void run(Config config);                             // a scenario: a new run
  // One parameter: a new run, unless the panel has it.
  void set(const std::string& name, const std::string& value);
  void draft(const std::string& name, const std::string& value);  // while a control is dragged: nothing runs
  void scenario(const std::string& line);  // UsageError; another lesson's line goes there
  void go_to(Step step);
  void next();  // the one next button
  std::string next_label();
  bool can_go_on() { return step != Step::kGuess || guessing.can_commit(); }
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
    leaving = true;
    runs.cancel();
  }
  void tell(const std::string& message, bool alarm = false);  // a line the room shows until it is put away
  // At the scenario line, until it is corrected.
  void refuse(const std::string& line, const std::string& why);

  // ---- What it knows
  std::optional<double> found(const PredictionSpec& spec) const;  // measured, or calculated where no run does
  std::optional<Words> found_words(const PredictionSpec& spec) const;
  // Beside the answer; none: the answer alone.
  std::optional<size_t> picture_at_reveal(const PredictionSpec& spec);
  std::string building() const;  // "building norms: compiling 3 of 9, ..."; "" where nothing is
  std::string status() const;    // "stage 2, 34%, about 6 s left"
  const SectionView* watched_section();
  bool filling() const { return step == Step::kReveal && look.motion && guessing.filling(seconds); }
  const std::vector<GaugeRow>& gauges();  // of the pinned run and of this one
  std::string difference();               // of them in words; "" where no run is pinned
  bool waiting() const {                  // something comes without being asked for
    return panel->waiting() || comparison.waiting() || live.waiting() || look.terms.waiting() ||
           builds.running() || measurements.pending();
  }
  // A file that could not be read.
  bool nothing_to_show() const { return runs.trace().sections().empty() && !runs.busy(); }

  ui::Look& look;
  StudyRecord record;
  SettingsFile settings;
  Prepare prepare;
  std::optional<FollowedTraining> training;
  bool training_open = false;
  OnCall on_call;
  const Lesson* lesson = nullptr;
  std::unique_ptr<Panel> panel;
  LivePanel live;
  Step step = Step::kGuess;
  std::optional<Config> config, drafted;       // of the trace shown; of the controls
  std::string draft_mistake;                   // of the controls, in words
  struct Controls {                            // of the inspector, one for each parameter
    std::map<std::string, std::string> typed;  // in its fields, until Enter
    size_t chosen = 0;                         // of those shown, for the keys
    bool all = false;                          // also what is no main parameter
    bool folded = false;                       // in the frame before, for the keys
    float height = 0;                          // with the readouts, in the frame before
  } controls;
  Guessing guessing{config};
  LessonBuilds builds;
  std::set<std::string> unbuilt;  // lessons that are to be built before they can be opened
  RunKeeper runs;
  Measurements measurements;
  Watching watching{runs};
  WordList word_list;
  struct {
    FigureView picture;
    figure::Value table;
    std::pair<uint64_t, size_t> of;  // its run and rows
  } ledger;
  FigureView reveal_curves;
  Comparison comparison;
  Wishes wishes;
  bool opening_is_told = false;  // where the picture stands, in this frame
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
  struct Part {
    std::string title;
    ui::Markdown text;
  };
  std::vector<Part> text;                                  // of the lesson, cut at its level-2 headings
  const ui::Markdown* part(std::string_view title) const;  // null where the lesson has none of that title
  SayState saying;
  std::optional<ui::Markdown> say_listing;  // the program that is asked about
  std::vector<ui::Markdown> say_answers;    // to what is asked next, one for each question
  double seconds = 0;
  bool menu = false, help = false, frame_times = false;
  bool picture_has_keys = false;
  bool focus_scenario = false, focus_answer = false;
  int open_fold = -1;  // Reveal's lower half: claims, ledger, outcome; -1: folded
  bool leaving = false;
  std::optional<std::string> to_copy;

 private:
  std::optional<size_t> figure_that_shows(const PredictionSpec& spec);
  void show_open_picture();
  void show_asked_picture();
  void look_what_is_built();
  std::string first_lesson(const std::string& wanted) const;
  void open_once_built(const std::string& id, const std::vector<std::string>& words);
  void follow_builds();
  std::pair<std::string, std::vector<std::string>> to_open_;  // the lesson, with its words, once it is built
  std::vector<std::string> last_words(const std::string& id) const;
  void enter(const Lesson& chosen);
  void follow_run();
  void pick_section();
  void save(const SavedFile& file);
  void tell_once(const std::string& message);
  std::optional<NextAct> next_act();
  std::optional<KeptRun> this_run();
  void open_watch();
  void await(Awaited place);
  void reach_awaited();

  const std::filesystem::path data_folder_;
  uint64_t run_number_ = 0;
  std::optional<Config> traced_;  // what the trace shown is of; config is ahead of it until its run begins
  const Trace no_trace_;
  std::optional<Awaited> compare_with(const Config& next);
  void pair_pinned();
  bool follows_traced(const Config& next) const;  // another run of the lesson whose trace stands there
  std::optional<Awaited> same_instant(const Config& next);
  bool kept_this_ = false;
  std::set<std::string> told_;  // once
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
