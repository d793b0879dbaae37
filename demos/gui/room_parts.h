// The pictures of the room, each drawn into its rectangle of the screen.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "ringside/lesson/tr.h"
#include "room_desk.h"

namespace ringside::gui {

// What every one of them is drawn with.
using ui::colours;
using ui::FontScope;
using ui::px;
using ui::Rect;
using ui::Type;

// A child window exactly there; its end closes it.
class Area {
 public:
  Area(const char* id, const Rect& rect, bool scrolls = false, float padding = 8);
  ~Area();
  Area& operator=(Area&&) = delete;
};

// Two columns beside each other, or one below the other where the room is not wide.
class Columns {
 public:
  Columns(const char* id, bool two)
      : two_(two && ImGui::BeginTable(id, 2, ImGuiTableFlags_SizingStretchSame)) {
    next();
  }
  ~Columns() {
    if (two_) ImGui::EndTable();
  }
  Columns& operator=(Columns&&) = delete;
  void next() {
    if (two_) ImGui::TableNextColumn();
  }

 private:
  bool two_;
};

inline void space(float points = 8) { ImGui::Dummy(px(1, points)); }
inline void bullet(const std::string& text) {
  ui::paragraph("•");
  ImGui::SameLine(0, px(6));
  ui::paragraph(text);
}

// Below an answer: this, where what is kept is written.
inline void remark_kept(const Desk& desk, const std::string& text) {
  ui::remark(desk.record.is_kept() ? text : tr("Kept until the room is closed: it cannot be written."));
}

// Two columns of text stand beside each other at Reveal.
inline bool is_wide() { return ImGui::GetContentRegionAvail().x > px(1100); }

void progress_bar(ImDrawList& list, const Rect& rect, double part);  // of a lesson, of a run
void draw_rail(Desk& desk, const Rect& rect);                        // lessons, what is to redo
void draw_menu(Desk& desk, const Rect& rect);                        // the rail unfolded: titles by track
void draw_title(Desk& desk, const Rect& rect);                       // the five steps, the run
void draw_caption(Desk& desk, const Rect& rect);                     // one sentence, one next button
void draw_hero(Desk& desk, const Rect& rect);                        // the lesson's picture
float transport_height(Desk& desk, float room);                      // as much as there is to see
void draw_transport(Desk& desk, const Rect& rect);                   // sections, play and step, the timeline
void draw_inspector(Desk& desk, const Rect& rect);                   // controls and readouts
void draw_controls(Desk& desk, bool folded);       // one for each parameter; folded: a button
float mistake_height(Desk& desk, float width);     // of what stands over the line
void draw_scenario(Desk& desk, const Rect& rect);  // the line, copied, pasted, pinned
void draw_messages(Desk& desk, const Rect& rect);
void draw_help(Desk& desk);  // F1

void draw_answer(Desk& desk, const Rect& rect);            // Guess: what the learner answers with
void draw_reveal(Desk& desk, const Rect& rect);            // Reveal: guess, measurement and formula, and why
void draw_number(Desk& desk, const PredictionSpec& spec);  // its part for a number
void draw_rows(Desk& desk);                                // below it: claims, ledger, outcome
std::string at_scale(Desk& desk, const PredictionSpec& spec);  // "At 7.5 billion ...: 31.4 GB a rank."; or ""
// The sentence over it.
std::string reveal_sentence(Desk& desk, const PredictionSpec& spec);
// Of questions that are asked side by side; 0 where the one asked stands alone.
float board_height(Desk& desk);
// A column that is built of blocks; true where it was changed.
bool build(Desk& desk, const PredictionSpec& spec, const std::string& mark, ImVec2 size);
// The field of a question, in the font that is set; true where Enter was pressed in it.
bool answer_field(Desk& desk, const PredictionSpec& spec, Answer& answer, const std::string& hint,
                  float width);
// Enter was pressed in it: kept, or to be corrected where it is no answer.
void keep_typed(Desk& desk, Answer& answer);
// Enter goes on where the picture had the keys before this frame: the Enter that came here is no answer.
void go_on_by_enter(Desk& desk, bool had_keys);
void draw_board(Desk& desk, float height);
// Around an answer: what stands before the question, in an empty field, and below what was typed.
std::vector<std::string> words_before(Desk& desk, const PredictionSpec& spec);
float words_height(Desk& desk, const PredictionSpec& spec, float width);
void legend_of_symbols(const PredictionSpec& spec, const Config& config, const Answer& answer);
std::string answer_hint(const PredictionSpec& spec, const Config& config, const Answer& answer);
std::string words_of(const Reading& reading, const PredictionSpec& spec);
// As far as the bar of a number goes: past the right answer and every wrong one, at a round number.
double bar_end(const PredictionSpec& spec, const Config& config);
// Of a question in words: what it is answered with, rows or a field, and how high all rows are.
void chosen_answer(Desk& desk, const PredictionSpec& spec, Answer& answer);
void typed_words(Desk& desk, const PredictionSpec& spec, Answer& answer);
float rows_height(Desk& desk, const PredictionSpec& spec, float width);
// Of a question in words: what was said beside what the run says.
void draw_words(Desk& desk, const PredictionSpec& spec);
void draw_break(Desk& desk, const Rect& rect);  // Break it: what to try, beside the picture
float answer_height(Desk& desk, const Rect& room);
void draw_say(Desk& desk, const Rect& rect);  // Say it: one of its pages
std::string say_sentence(Desk& desk);
bool is_saying(const Desk& desk);
void say_space(Desk& desk);  // begins the half minute, ticks a point, shows the answer
void say_command(Desk& desk, const std::string& rest);
void run_from_answer(Desk& desk, size_t nth);  // a scenario of the page's text

// Prepare: the map, today's review, the mock interview.
void draw_prepare(Desk& desk, const Rect& rect);
void prepare_button(Desk& desk, const Rect& rect);  // in the rail
void draw_map(Desk& desk, const Rect& rect);
void draw_today(Desk& desk);
void draw_interview(Desk& desk);
void prepare_question(const std::vector<std::string>& lines);
// What it is answered with: a field, or rows. Null: none of the bank's cards.
void prepare_answer(Desk& desk, const AskedCard* asked, const std::string& hint);
void prepare_feedback(Desk& desk, const AskedCard& asked, const std::optional<Judgement>& judgement);
void toggle_prepare(Desk& desk);
void prepare_enter(Desk& desk);  // the one next button
void prepare_part(Desk& desk, int direction);
void take_step(Desk& desk, size_t nth);  // of what comes next
void see_it_happen(Desk& desk);          // the run that shows the answer
// A button that opens a lesson's command, "ringside run zero stage=2"; the text of another one.
void prepare_link(Desk& desk, const std::string& command, const std::string& name,
                  const std::string& key = "");
void begin_prepared(Desk& desk);  // a mock interview of a new seed
void mock_had_it(Desk& desk, bool had);
void prepare_command(Desk& desk, const std::string& rest);
nlohmann::json prepare_state(const Desk& desk);

// The page of a training that is followed, in the place of the lesson.
void draw_training(Desk& desk, const Rect& rect);
bool shows_training(const Desk& desk);
void toggle_training(Desk& desk);

// On call: why a job stopped, from what it left.
void draw_on_call(Desk& desk, const Rect& rect);
void on_call_button(Desk& desk, const Rect& rect);  // in the rail
void draw_on_call_report(Desk& desk, const Rect& rect);
void draw_on_call_log(Desk& desk, const Rect& rect);  // its lines, where evidence is shown
void toggle_on_call(Desk& desk);
void paste_log(Desk& desk);
void copy_report(Desk& desk);       // as Markdown
void copy_environment(Desk& desk);  // the variables that would settle it
void ask_where_to_save(OnCall& call);
void on_call_command(Desk& desk, const std::string& rest);
nlohmann::json on_call_state(Desk& desk);

// One sentence for the step and the instant.
std::string caption(Desk& desk);
// The keys of this room, as F1 lists them; each is tried once a frame.
void handle_keys(Desk& desk);

// What some keys do.
void set_speed(Desk& desk, double wanted,
               int further = 0);  // 1, 1/2, 1/5, 1/10 ...: the nearest, or one behind it
void run_clipboard(Desk& desk);   // a scenario line
void next_picture(Desk& desk, int direction);
void next_group(Desk& desk, int direction);        // of pictures
void show_what_matters(Desk& desk);                // the picture that this instant is about
void copy_csv(Desk& desk);                         // of the picture, where it has values
void run_from_text(Desk& desk, size_t nth);        // a scenario of the text that stands there
void choose_parameter(Desk& desk, int direction);  // of the inspector
void nudge_parameter(Desk& desk, int direction);   // one notch
void other_answer(Desk& desk);                     // number, formula, blocks
void more_sure(Desk& desk);
bool is_answered_by_rows(const PredictionSpec& spec);
size_t rows_to_answer(const Desk& desk);  // of the question asked: digits and arrows may be for them
void ask_elsewhere(Desk& desk);

// "5.50 bytes per parameter": an answer of that question; where it counts something, without decimals: "8
// pairs".
std::string figure(double value, const PredictionSpec& spec);
std::string figure_alone(double value, const PredictionSpec& spec);  // without its unit, unless that is %

}  // namespace ringside::gui
