// What the learner did, kept: each guess, what was said aloud (saying.h), each step that was opened. From it:
// what to ask again, and how far a lesson is.
//
// DATA/progress.json. It is written after each guess; what another program wrote meanwhile, a
// room or the terminal, is merged in. Where it cannot be written everything stays in memory and is tried
// again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "kept_file.h"
#include "ringside/lesson/lesson.h"

namespace ringside::inline kit {

struct Attempt {
  std::string id;                  // set by add(): no two are the same
  std::string lesson, prediction;  // ids
  std::string question = {};       // its text, and how many the lesson has: for lists that do not load it
  int questions = 0;
  std::string scenario;  // the full line
  AnswerKind answered_by = AnswerKind::kNumber;
  std::string typed;                // number, formula, blocks or a few words as typed
  double value = 0;                 // of the guess, at this scenario; NaN for words
  int confidence = 0;               // 1 to 3; 0: not asked
  double right = 0;                 // the right answer
  Words words, right_words;         // where words were asked for
  std::vector<std::string> errors;  // names of the wrong answers it agrees with
  bool correct = false;
  int64_t time = 0;  // seconds since 1970; set by add() where 0
};

// A prediction that was answered wrongly at some time, until it has climbed the ladder: it is due 1
// day after the wrong answer, and 3, 7 and 21 days after the first, second and third right answer
// that follows. A right answer counts only once it is due (an hour after the reveal it tells
// nothing); a wrong one starts from the bottom; after the fourth it is known.
struct Redo {
  std::string prediction, question, scenario;  // of the last attempt
  int64_t due_at = 0;                          // seconds since 1970
  bool due = false;
  int rungs = 0;                    // right answers that counted
  std::vector<std::string> errors;  // of the last wrong answer
};

struct LessonProgress {
  int asked = 0, right = 0;  // predictions that were answered; whose last answer was right. Not what was said
  int questions = 0;         // that the lesson has; 0: not known
  std::set<std::string> steps;  // visited
};

class StudyRecord {
 public:
  static constexpr size_t kMostAttempts = 5000;                 // older ones are forgotten
  static constexpr size_t kMostLessons = 200, kMostSteps = 50;  // visited

  explicit StudyRecord(const std::filesystem::path& data_folder);  // empty: in memory only

  void add(Attempt attempt);                                       // and writes
  void visit(const std::string& lesson, const std::string& step);  // writes where the step is new
  void enter(const std::string& lesson);                           // becomes the last lesson; writes
  bool save();                                                     // what has not been written yet
  bool is_kept() const { return !unsaved_; }  // all of it, in the file; true without a folder

  const std::vector<Attempt>& attempts() const { return attempts_; }  // oldest first
  const std::string& last_lesson() const { return last_lesson_; }
  LessonProgress progress(const std::string& lesson) const;
  // Due ones first, then by date. `now` in seconds since 1970; 0: the clock's.
  std::vector<Redo> to_redo(const std::string& lesson, int64_t now = 0) const;
  // For the learner to read: why nothing is kept, or where a damaged file went; "": all is well.
  const std::string& message() const { return file_.message(); }

 private:
  int take(const nlohmann::json& document);  // how many of its entries are damaged
  nlohmann::json document() const;

  KeptFile file_;
  std::vector<Attempt> attempts_;
  std::map<std::string, std::set<std::string>> visited_;
  std::string last_lesson_;
  bool entered_ = false;  // here: another room's last lesson does not count
  bool unsaved_ = false;
};

}  // namespace ringside::inline kit
