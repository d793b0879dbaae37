// The first minute at a terminal: while a run goes on, one of the lesson's questions is asked, and what was
// said stands beside what was measured when the run is through. Enter skips it. Nobody is asked where stdin
// or stdout is no terminal, with --json, --quiet or --figure, nor where every question is answered and none
// is due again. A question whose options are marks on a picture of the run is not asked.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <ostream>
#include <set>
#include <string>

#include "options.h"
#include "prompt_line.h"
#include "ringside/lesson/lesson.h"
#include "study_record.h"
#include "typed_answer.h"

namespace ringside {

// ./run asks while it builds (`ringside ask`) and hands "ID ANSWER" over in this variable; "" where it was
// skipped.
inline constexpr const char* kAskedVariable = "RINGSIDE_ASKED";

class FirstMinute {
 public:
  // Prints the question, or takes the answer that was handed over. `lesson` and `config` outlive it.
  FirstMinute(const Lesson& lesson, const Config& config, const Options& options, std::ostream& out);

  bool asking() const { return open_; }
  // Draws the prompt and takes keys, for so long at most. `meanwhile` stands behind what is typed.
  void look(std::chrono::milliseconds at_most, const std::string& meanwhile);
  void run_is_through();          // from now on the question does not stay for ever
  void give_up();                 // asks no longer
  void keep(const Trace& trace);  // in the study record, where there is an answer; once the run has ended
  std::set<std::string> answered() const;  // ids of the questions that were answered, today or before
  // "copies_stage_0 50"; "" where it was skipped.
  std::string to_hand_over() const;
  // The guess beside the measurement; "" where there is none.
  std::string closing(const Trace& trace) const;

 private:
  const PredictionSpec* next_question() const;
  bool take_over();
  void print_question();
  void print_picture();
  void print_options();
  void read(const std::string& line);
  std::string paragraph(const std::string& text) const;

  const Lesson& lesson_;
  const Config& config_;
  std::ostream& out_;
  const size_t width_;
  const bool colour_;
  const std::filesystem::path data_;  // "": nothing is kept
  StudyRecord record_;
  const PredictionSpec* spec_ = nullptr;
  TypedAnswer answer_;
  std::optional<PromptLine> prompt_;
  std::optional<TimePoint> through_;
  bool open_ = false;
};

}  // namespace ringside
