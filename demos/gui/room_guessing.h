// The questions of a lesson: which one is asked, what stands in its field, what was kept as a guess.
#pragma once

#include <cmath>

#include "ringside/lesson/prediction.h"
#include "ringside/panel/panel.h"
#include "ringside/widgets/block_builder.h"
#include "study_record.h"

namespace ringside::gui {

enum class Step : uint8_t { kGuess, kWatch, kReveal, kBreak, kSay };
inline constexpr int kStepCount = 5;
inline constexpr const char* kStepNames[] = {"Guess", "Watch", "Reveal", "Break it", "Say it"};

// What the learner is about to answer. One for each question, so that going away loses nothing.
struct Answer {
  AnswerKind kind = AnswerKind::kNumber;
  std::string text;            // number, formula or a few words, as typed
  std::vector<double> blocks;  // of each StateBlock
  Words words;                 // chosen so far; of an order all options, as they stand
  int confidence = 2;          // 1 unsure, 2, 3 sure
  bool given = false;
  int edition = 0;          // counts what was put into the field from outside: the field then begins anew
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

class Guessing {
 public:
  explicit Guessing(const std::optional<Config>& config) : config_(config) {}

  // ---- Acts
  void enter(const Lesson& lesson);  // nothing is answered, the first question is asked
  // What was answered at this scenario before, in this room or in a terminal. The first question that was not
  // is asked.
  void recall(const std::vector<Attempt>& all);
  void ask(size_t question);
  // The question asked, and what was answered beside it on its board. False where there is nothing to keep.
  bool commit(StudyRecord& record);
  void type(const std::string& number);     // into the field of the question asked, where it has one
  void forget(const PredictionSpec& spec);  // it is asked as if for the first time
  void read_typed(Step step);               // once a frame

  // ---- What it knows
  const PredictionSpec* question() const;
  // The questions, from the first to behind the last, that are answered before the run is watched.
  std::pair<size_t, size_t> board() const;
  std::optional<size_t> open_on_board() const;  // another of them that was not answered
  // Whether what is measured would tell the answer to the question that is still open.
  bool keeps_quiet(Step step);
  // Those that a learner who guesses is still to be asked: nothing on the screen may answer them. None where
  // the run is broken or told, or was watched without a guess.
  const std::vector<std::string>& open_questions(Step step);
  Answer& answer(const PredictionSpec& spec);
  const Guess* guess(const std::string& prediction) const;
  std::optional<Judgement> judgement(const PredictionSpec& spec) const;  // of the guess, at this scenario
  bool can_commit();                   // there is an answer to keep, or it is kept
  bool filling(double seconds) const;  // the bars of its reveal are on their way
  const std::vector<Guess>& guesses() const { return guesses_; }
  const Guess* typed() const { return typed_ ? &*typed_ : nullptr; }
  size_t recalled() const { return recalled_; }

  size_t asked = 0;                                  // index into the lesson's predictions
  std::map<std::string, ui::BlockBuilder> builders;  // by question

 private:
  void keep(const PredictionSpec& spec, const Reading& reading, StudyRecord& record);

  const Lesson* lesson_ = nullptr;
  const std::optional<Config>& config_;  // the desk's: the scenario that they are asked at
  std::map<std::string, Answer> answers_;
  std::vector<Guess> guesses_;
  std::optional<Guess> typed_;     // in the field of the open question, not kept yet
  std::vector<std::string> open_;  // open_questions()
  size_t recalled_ = 0;            // answers of an earlier time, until another question is looked at
};

// Asked side by side with its board: built of blocks, or a number with a formula. Others of a board follow
// each other.
bool is_drawn_together(const PredictionSpec& spec);

}  // namespace ringside::gui
