// Guess, of a question in words: rows that are chosen, ticked or put in order, or a field for a few words.
#include <imgui.h>

#include <algorithm>

#include "ringside/lesson/tr.h"
#include "ringside/lesson/word_question.h"
#include "ringside/widgets/keys.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

WordList::Shown rows_of(const Desk& desk, const PredictionSpec& spec, const Answer& answer, float width) {
  const AnswerKind kind = spec.words->kind;
  return {kind, kind == AnswerKind::kOrder ? answer.words : options_of(*spec.words, desk.config()),
          std::min(kind == AnswerKind::kLine ? px(760) : px(640), width), false};
}

std::string how_to_choose(AnswerKind kind) {
  switch (kind) {
    case AnswerKind::kChoices:
      return tr(
          "Click those that apply. By keys: their numbers, or arrows and Space. Enter keeps the answer.");
    case AnswerKind::kOrder:
      return tr(
          "Drag the rows. By keys: an arrow chooses a row, Shift and an arrow moves it. Enter keeps the "
          "order.");
    case AnswerKind::kLine:
      return tr("Click a line. By keys: its number, or an arrow. Enter keeps the answer.");
    default: return tr("Click one. By keys: its number, or an arrow. Enter keeps the answer.");
  }
}

}  // namespace

bool is_answered_by_rows(const PredictionSpec& spec) {
  return spec.words && spec.words->kind != AnswerKind::kText;
}

size_t rows_to_answer(const Desk& desk) {
  const PredictionSpec* spec = desk.guessing.question();
  const bool rows = desk.step() == Step::kGuess && spec != nullptr && is_answered_by_rows(*spec);
  return rows ? options_of(*spec->words, desk.config()).size() : 0;
}

float rows_height(Desk& desk, const PredictionSpec& spec, float width) {
  return WordList::height(rows_of(desk, spec, desk.guessing.answer(spec), width));
}

// Rows scroll where they are more than fit; how to choose stands below them.
void chosen_answer(Desk& desk, const PredictionSpec& spec, Answer& answer) {
  const bool had_keys = desk.picture_has_keys;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float below = 2 * ui::line_height() + px(12);
  WordList::Shown rows = rows_of(desk, spec, answer, room.x - px(16));
  if (std::exchange(desk.focus_answer, false)) {
    desk.word_list.restart();
    desk.picture_has_keys = true;  // until Enter or Escape
  }
  rows.keys = had_keys && desk.picture_has_keys && !desk.help && !ImGui::GetIO().WantTextInput;
  const float height = std::min(WordList::height(rows), std::max(px(60), room.y - below));
  ImGui::BeginChild("rows", {rows.width + px(14), height});
  if (desk.word_list.draw(rows, answer.words)) answer.given = false;
  ImGui::EndChild();
  if (!answer.given) ui::remark(how_to_choose(spec.words->kind));
  const bool enters = rows.keys && ui::pressed({ui::Key::kEnter});
  if (!enters || !read_answer(spec, desk.config(), answer).is_answer()) return;
  desk.picture_has_keys = false;
  desk.next();
}

void typed_words(Desk& desk, const PredictionSpec& spec, Answer& answer) {
  const FontScope font(Type::kQuestion);
  const std::string before = answer.text;
  const float width = std::min(px(560), ImGui::GetContentRegionAvail().x);
  if (answer_field(desk, spec, answer, tr("a few words"), width)) keep_typed(desk, answer);
  if (answer.text != before) answer.given = false;
  ui::remark(tr("Capital letters and extra blanks make no difference. Enter keeps the answer."));
}

}  // namespace ringside::gui
