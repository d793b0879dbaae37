// Prepare, without its pictures: the path, today's review and the mock interview, by the same bank code as
// the terminal's `path`, `review` and `mock`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "day_plan.h"
#include "mock_interview.h"
#include "placement.h"
#include "preparation.h"
#include "review_session.h"
#include "ringside/panel/figure_view.h"
#include "word_list.h"

namespace ringside::gui {

enum class PreparePart : uint8_t { kMap, kToday, kInterview };
inline constexpr const char* kPrepareParts[] = {"map", "today", "interview"};

struct Prepare {
  Prepare(const std::filesystem::path& data_folder, const StudyRecord& record);

  // ---- Acts. What cannot be read or kept is said in `fault`.
  void show(PreparePart wanted);          // opens the page; the path is computed anew
  void review(const std::string& topic);  // "": what is due, then what is new
  void place();
  void hold_mock(uint64_t seed);
  void answer(const std::string& line);  // of the card, or of the interview, that is asked
  void answer_words();                   // the rows that are chosen
  void show_answer();                    // without one
  void rate(Rating rating);
  void undo();
  void go_on();                                           // in the interview: the next question is put
  void set_day(const std::string& date, double minutes);  // of the interview; "": none

  // ---- What it knows
  bool reviewing() const { return part == PreparePart::kToday && session && !session->over(); }
  bool interviewing() const {
    return part == PreparePart::kInterview && mock && mock->stage() != MockStage::kReport;
  }
  const AskedCard* asked() const;  // that waits for an answer; null: none does
  bool by_rows() const;            // it is answered by rows, or missed points are ticked

  bool open = false;
  PreparePart part = PreparePart::kMap;
  std::string fault;  // what could not be read or kept
  size_t due = 0;     // cards

  StudyPath path;
  std::vector<PlannedDay> days;
  figure::Value map = figure::Graph{};
  uint64_t version = 0;  // of the map
  FigureView map_view;
  std::optional<size_t> topic;  // chosen on the map
  std::string date;             // of the interview, as it is typed
  std::string wanted;           // the topic that is reviewed; "": all

  std::optional<ReviewSession> session;
  std::optional<size_t> placement;  // its questions, where the session is one
  std::string rated;                // "Again in 10 min."

  std::optional<MockInterview> mock;
  Seniority level = Seniority::kMiddle;
  int minutes = 30;
  int64_t mock_began = 0;              // UTC ms
  std::vector<std::string> said_back;  // to the last answer, until the next question is put

  std::string typed, mistake;  // of the open answer
  Words words;
  WordList rows;
  bool focus = false;  // the field, in the next frame
  PreparationFile preparation;

 private:
  void guarded(const std::function<void()>& act);
  void refresh();
  void begin(ReviewSession::Setup setup);
  void clear_answer();

  ReviewLog log_;
  const StudyRecord& record_;
};

}  // namespace ringside::gui
