// Everything the room knows, in one place, and what can be done with it. The pictures
// (room_*.cpp, step_*.cpp) read the desk and ask it to act; only the desk acts.
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ringside/lesson/lesson.h"
#include "ringside/panel/panel.h"
#include "ringside/widgets/block_builder.h"
#include "ringside/widgets/markdown.h"
#include "ringside/widgets/table.h"
#include "ringside/widgets/timeline.h"
#include "room.h"
#include "room_runs.h"
#include "settings.h"
#include "study_record.h"
#include "word_list.h"

namespace ringside::gui {

enum class Step : uint8_t { kGuess, kWatch, kReveal, kBreak, kSay };
inline constexpr int kStepCount = 5;
inline constexpr const char* kStepNames[] = {"Guess", "Watch", "Reveal", "Break it", "Say it"};

// What the learner is about to answer. One for each question, so that going away loses nothing.
struct Answer {
  AnswerKind kind = AnswerKind::kNumber;
  std::string text;            // number, formula or a few words, as typed
  std::vector<double> blocks;  // of each Block
  Words words;                 // chosen so far; of an order all options, as they stand
  int confidence = 2;          // 1 unsure, 2, 3 sure
  bool given = false;
  double revealed_at = -1;  // seconds; when the bars began to fill
};

// A value typed as number or formula, or words: what it is worth at this scenario, or what is wrong with it.
struct Reading {
  std::optional<double> value;
  std::optional<Words> words;
  std::string note;  // "read as 2Ψ + 14Ψ/N", or the mistake
  bool wrong = false;
  bool is_answer() const { return words || (value && std::isfinite(*value)); }
};
Reading read_answer(const PredictionSpec& spec, const Config& config, const Answer& answer);

Config parse_words(const Lesson& lesson, const std::vector<std::string>& words);
class Desk {
 public:
  Desk(const RoomOptions& options, ui::Look& look);
  ~Desk();

  // Once a frame, before anything is drawn.
  void update(double seconds);
  View view();  // of this frame
  void carry_out(Wishes& wishes);

  // ---- Acts
  void choose_lesson(const std::string& id, const std::vector<std::string>& words = {});
  void run(Config config);  // a scenario: a new run
  void set(const std::string& name,
           const std::string& value);  // one parameter: a new run, unless the panel has it
  void draft(const std::string& name, const std::string& value);  // while a control is dragged: nothing runs
  void scenario(const std::string& line);  // UsageError; another lesson's line goes there
  void go_to(Step step);
  void next();  // the one next button
  std::string next_label() const;
  void ask(size_t question);
  void commit();                         // the guess of the question asked
  void type_answer(const std::string& number);  // into its field, where it has one
  void again(const std::string& words);  // the same question elsewhere
  void pin();                            // this run, or lets go of the pinned one
  void watch(const std::string& section);
  void open_trace(const std::filesystem::path& path);
  void say(const std::string& message, bool alarm = false);  // a line the room shows until it is put away

  // ---- What it knows
  const PredictionSpec* question() const;
  std::optional<double> measured(const PredictionSpec& spec) const;
  std::optional<double> found(const PredictionSpec& spec) const;  // measured, or calculated where no run does
  std::optional<Words> found_words(const PredictionSpec& spec) const;
  Answer& answer(const PredictionSpec& spec);
  const Guess* guess(const std::string& prediction) const;
  std::string status() const;  // "stage 2, 34%, about 6 s left"
  bool keeping_quiet();
  bool hiding_sections();  // until the question is answered
  const SectionView* watched_section();
  // By this lesson's steps.
  Moment moment(const SectionView& section) const;
  bool stride(Stride by, int direction);
  bool filling() const;  // the bars of the reveal are on their way

  ui::Look& look;
  StudyRecord record;
  SettingsFile settings;
  const Lesson* lesson = nullptr;
  std::unique_ptr<Panel> panel;
  Step step = Step::kGuess;
  size_t asked = 0;                       // index into lesson->predictions
  std::optional<Config> config, drafted;  // of the trace shown; of the controls
  std::string draft_mistake;              // of the controls, in words
  RunKeeper runs;
  Measurements measurements;
  Playhead playhead;
  ui::MemoryHistory memory;
  ui::TimelineIndex index;
  ui::Timeline timeline;
  ui::BlockBuilder builder;
  WordList word_list;
  ui::Table ledger;
  std::optional<KeptRun> pinned;
  std::vector<KeptFigures> kept;
  std::vector<Guess> guesses;
  Wishes wishes;
  struct Message {
    std::string text;
    bool alarm;
  };
  std::vector<Message> messages;
  struct Part {
    std::string title;
    ui::Markdown text;
  };
  std::vector<Part> text;  // of the lesson, cut at its level-2 headings
  double seconds = 0;
  bool menu = false, help = false, all_parameters = false, frame_times = false;
  bool picture_has_keys = false;
  bool focus_scenario = false, focus_answer = false;
  int numbers = 0;  // Reveal's lower half: claims, ledger, outcome
  bool leaving = false;
  std::optional<std::string> to_copy;

 private:
  std::vector<std::string> last_words(const std::string& id) const;
  void enter(const Lesson& chosen);
  void follow_run();
  void forget_section();
  void pick_section();
  void keep_run();
  void read_typed();
  void relay(const std::string& message, std::string& said);

  uint64_t run_number_ = 0;
  std::optional<Config> traced_;  // what the trace shown is of; config is ahead of it until its run begins
  const Trace no_trace_;
  std::string history_of_;       // section and run that memory and index stand for
  bool chosen_by_hand_ = false;  // the section; else the room follows the run
  std::optional<Guess> typed_;
  bool kept_this_ = false;
  std::map<std::string, Answer> answers_;
  double last_ = 0;
  bool said_no_chinese_ = false;
  std::string said_of_record_, said_of_settings_;
};

}  // namespace ringside::gui
