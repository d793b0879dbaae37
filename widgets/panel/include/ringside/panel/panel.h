// What a lesson draws: the hero picture, one sentence that changes with the playhead,
// and its readouts. A panel sees snapshots and declarations, never the engine; what it
// wants changed it asks for through Wishes, and the room carries it out after the frame.
//
// A lesson without panel.cpp gets the plain panel: the figures and readouts that it declares.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ringside/lesson/lesson.h"
#include "ringside/panel/place.h"
#include "ringside/panel/playhead.h"
#include "ringside/trace/trace.h"
#include "ringside/widgets/draw.h"
#include "ringside/widgets/memory_history.h"

namespace ringside {

// A run that was pinned, to be drawn beside another one.
struct KeptRun {
  std::string scenario;  // the full line
  std::shared_ptr<const Config> config;
  Trace trace;
  std::string section;  // that was watched, and when
  int64_t time_ns = 0;
};

// What remains of every run that this room saw through: figures, no events.
struct KeptFigures {
  std::string scenario;
  std::shared_ptr<const Config> config;
  std::map<std::string, double> outcome;   // of the run's rows
  std::map<std::string, double> measured;  // by prediction, where that is a number
};

struct Guess {
  std::string prediction;                                  // its id
  std::string formula;                                     // as typed; "" where a number or blocks were given
  double value = 0;                                        // at the scenario of the guess
  std::vector<double> blocks;                              // of each Block, where it was built
  std::function<std::optional<double>(const Config&)> at;  // the same guess elsewhere; a number stays itself
  Words words = {};                                        // of a question in words: `value` is NaN then
};

// A file of the learner's: the room puts it beside what it keeps, and says where.
struct SavedFile {
  std::string name;  // "case 3.svg"
  std::string text = {};
};

// What a panel may ask for. Nothing happens before the frame ends.
struct Wishes {
  std::vector<std::pair<std::string, std::string>> set;  // parameters of the scenario: a new run
  std::optional<std::string> scenario;                   // a whole line: a new run
  std::optional<std::string> watch;                      // a section by name
  std::optional<std::string> show;   // an instant, "stage 2:2:backward": Watch opens there
  std::optional<std::string> copy;   // to the clipboard
  std::optional<std::string> typed;  // a number, as the answer to the open question
  bool commit = false;               // keeps what is answered so far, as Enter does
  std::optional<SavedFile> save = {};
};

// What comes next in a lesson that has acts or cases of its own.
struct NextAct {
  std::string label;                 // "run the fix ▸", "next case ▸ (2 of 4 solved)"
  std::function<void(Wishes&)> act;  // what the button and Enter do; the room then stands at Watch
};

struct View {
  const Lesson& lesson;
  const Config& config;  // of the trace
  const Config& draft;   // of the controls, while one is dragged ahead of its run
  const Trace& trace;
  uint64_t run = 0;                      // of the trace: under another number NameIds mean something else
  const SectionView* section = nullptr;  // the one watched
  Playhead& playhead;
  ui::MemoryHistory* memory = nullptr;  // of the watched section; null before there is one
  const KeptRun* pinned = nullptr;
  const std::vector<KeptFigures>* kept = nullptr;  // runs of this room, oldest first
  const std::vector<Guess>* guesses = nullptr;
  // The question that is open and what is typed so far, a guess like the others but for being kept.
  const PredictionSpec* asked = nullptr;
  const Guess* typed = nullptr;
  bool revealing = false;  // answers may be shown that were not guessed yet
  // The question whose answer is on the screen, and for how many seconds.
  const PredictionSpec* revealed = nullptr;
  double revealed_seconds = 0;
  // Questions that a learner who guesses is still to be asked: nothing may tell their answers. None for who
  // breaks things, says it, or watches without a guess.
  const std::vector<std::string>* open = nullptr;
  bool running = false;
  double seconds = 0;  // a clock for motion
  Wishes& wishes;
  bool tells_opening = false;  // set by who draws the lesson's opening in the place of a picture

  // The same of another scenario, which must outlive it.
  View with(const Config& other) const {
    return {lesson,  other, draft, trace,     run,      section,          playhead, memory,  pinned,  kept,
            guesses, asked, typed, revealing, revealed, revealed_seconds, open,     running, seconds, wishes};
  }
  bool hides(const std::string& question) const {
    return open != nullptr && std::find(open->begin(), open->end(), question) != open->end();
  }
  // The figure tells an answer that is still to be asked for.
  bool hides(const FigureSpec& figure) const {
    return std::ranges::any_of(figure.answers, [&](const std::string& question) { return hides(question); });
  }
};

// Instead of a picture, where there is nothing to draw yet: why.
void draw_nothing_yet(const View& view, ImVec2 size);
// What the learner says to that question: what is typed, else what was kept; null where nothing.
const Guess* guess_of(const View& view, const std::string& prediction);

using PictureTab = ui::Tab;  // a picture that can take the hero's place

class Panel {
 public:
  virtual ~Panel() = default;
  // The picture, at the cursor, exactly this large.
  virtual void hero(View& view, ImVec2 size) = 0;
  // "blocks", "traffic", "bits" ...; where there are several, each has a tab.
  virtual std::vector<PictureTab> pictures() const { return {"memory"}; }
  std::optional<size_t> picture_called(const std::string& id) const;  // its place; none where it has none
  virtual void show_picture(size_t index) {}
  virtual size_t shown_picture() const { return 0; }
  // The one that this instant is about; none where no picture is.
  virtual std::optional<size_t> picture_that_matters(View& view) { return std::nullopt; }
  // A small one of those that are not shown, at the cursor.
  virtual void preview(View& view, size_t index, ImVec2 size) {}
  // Which of them belongs to a question.
  virtual size_t picture_for(const PredictionSpec& question) const { return shown_picture(); }
  // What takes its place once the question is answered.
  virtual size_t picture_after(const PredictionSpec& question) const { return shown_picture(); }
  // That picture shows the answer as well (View::revealed): it stands over the bars at Reveal.
  virtual bool reveals(const PredictionSpec& question) const { return false; }
  // The picture shown tells an answer that is still asked for, so that words stand in its place.
  virtual bool is_kept_back(View& view) { return false; }
  // It wants the whole width, and is no higher than this; none: it takes what it is given.
  virtual std::optional<float> height_of_wide(View& view) { return std::nullopt; }
  // The keys go to the picture shown: arrows move in it.
  virtual void focus_picture() {}
  // The picture's values as CSV; none where it has none, or is closed.
  virtual bool has_csv(View& view) { return false; }
  virtual std::string csv(View& view) { return ""; }
  // It will show something newer without being touched: a value whose turn to be computed has not come.
  virtual bool waiting() const { return false; }
  // Something in it moves by itself just now.
  virtual bool moves() const { return false; }
  // Which parameters stand in the inspector; the others are one click away.
  virtual std::vector<std::string> main_parameters(const Lesson& lesson) const;
  // What is shown now needs the inspector more than its controls do: they are folded until asked for (O).
  virtual bool folds_controls(View& view) { return false; }
  // Below the controls: figures of this step. Height as it needs.
  virtual void readout(View& view) {}
  // One sentence for this instant; "" leaves the room's own.
  virtual std::string sentence(View& view) { return ""; }
  // The section in which a prediction or a control's value can be seen; "" where it makes no difference.
  virtual std::string section_of(const Config& config) const { return ""; }
  // Where Watch opens for a question, to play the rest of that step once; none: at the instant that the
  // question names, once its step was played up to there, or at the live end.
  virtual std::optional<Place> opening(const PredictionSpec& question) const { return std::nullopt; }
  // The section of a changed run that is watched beside that of the pinned run; "": the newest.
  virtual std::string section_beside(const Config& next, const std::string& pinned) const {
    return section_of(next);
  }
  // The section to look at while that question is still open: one that does not show its answer.
  virtual std::string section_before(const PredictionSpec& question) const { return question.section; }
  // Pictures that answer a question close by themselves while it is open: any section may be watched then.
  virtual bool closes_answers() const { return false; }
  // Without a choice of the learner's the room follows the newest section that is.
  virtual bool worth_watching(const std::string& section) const { return true; }
  // Whether the list of sections offers it already; what would tell an answer waits.
  virtual bool offers(View& view, const std::string& section) { return true; }
  // Why the timeline stays closed: it would tell an answer as well. "": it is open.
  virtual std::string timeline_closed(View& view) { return ""; }
  // A control was moved: true where the panel can show it in what is recorded already.
  virtual bool take(View& view, const std::string& parameter, const std::string& value) { return false; }
  // What a control shows instead of the scenario's value: the stage that is watched; "" the scenario's.
  virtual std::string shown_value(View& view, const std::string& parameter) { return ""; }
  // What the next button does in Watch and Reveal; none: it follows the room's five steps.
  virtual std::optional<NextAct> next_act(View& view) { return std::nullopt; }
  // Reveal of something that is no question: how a case was solved. The sentence over it; none: Reveal is of
  // the question asked.
  virtual std::optional<std::string> record(View& view) { return std::nullopt; }
  virtual void draw_record(View& view, ImVec2 size) {}  // at the cursor
  // The line that invites to the first touch.
  virtual std::string invitation(View& view) { return ""; }
  // Dump of what is shown, for scripts: names and figures.
  virtual std::map<std::string, std::string> state() const { return {}; }
};

// The lesson must outlive its panel.
std::unique_ptr<Panel> make_plain_panel(const Lesson& lesson);
// make_panel() of the lesson's ID_panel.so, or the plain panel where it has none (lesson/modules.h).
std::unique_ptr<Panel> make_panel_for(const Lesson& lesson);

}  // namespace ringside
