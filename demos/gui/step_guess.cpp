// Guess: the learner answers before anything is measured, by building, by a formula, or
// by a plain number, and says how sure.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "ringside/lesson/prediction.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"
#include "room_parts.h"
#include "typed_answer.h"

namespace ringside::gui {
namespace {

std::vector<AnswerKind> kinds_of(const PredictionSpec& spec) {
  std::vector<AnswerKind> kinds;
  if (spec.words) return {spec.words->kind};
  if (spec.blocks) kinds.push_back(AnswerKind::kBlocks);
  if (spec.symbols) kinds.push_back(AnswerKind::kFormula);
  kinds.push_back(AnswerKind::kNumber);
  return kinds;
}

std::string name_of(AnswerKind kind) {
  return kind == AnswerKind::kBlocks    ? tr("build")
         : kind == AnswerKind::kFormula ? tr("formula")
                                        : tr("number");
}

// "3 of 8: stage 2", and a number for each question: to go there, lit where it was answered.
void progress(Desk& desk) {
  const auto& all = desk.lesson().predictions;
  const std::string& name = all[desk.guessing.asked].name;
  const std::string words = name.empty() ? tr("{} of {}", desk.guessing.asked + 1, all.size())
                                         : tr("{} of {}: {}", desk.guessing.asked + 1, all.size(), name);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(words.c_str());
  ui::mark("progress");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float side = ui::line_height() + px(4);
  for (size_t i = 0; i < all.size(); ++i) {
    ImGui::SameLine(0, px(i == 0 ? 12 : 2));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const Rect box{at, {at.x + side, at.y + side}};
    if (ui::touch("question=" + all[i].id, box)) desk.ask(i);
    const bool given = desk.guessing.answer(all[i]).given;
    if (i == desk.guessing.asked) list.AddRect(box.min, box.max, colours().text, px(3), 0, px(1.5f));
    ui::draw_text_in(list, box, given ? colours().accent : colours().dim,
                     given ? "✓" : std::to_string(i + 1));
    ui::tooltip(all[i].name.empty() ? tr("{} of {}: {}", i + 1, all.size(), all[i].question)
                                    : tr("{} of {}: {}", i + 1, all.size(), all[i].name));
  }
}

constexpr float kRow = 210;  // points: how wide a row of choices is

void kind_row(Desk& desk, const PredictionSpec& spec, Answer& answer) {
  const auto kinds = kinds_of(spec);
  if (kinds.size() < 2) return;
  std::vector<std::string> names;
  int chosen = 0;
  for (const AnswerKind kind : kinds) {
    if (kind == answer.kind) chosen = int(names.size());
    names.push_back(name_of(kind));
  }
  if (ui::choice_row("answer", names, chosen, px(kRow))) {
    answer.kind = kinds[size_t(chosen)];
    answer.given = false;
    desk.focus_answer = answer.kind != AnswerKind::kBlocks;
    desk.picture_has_keys = false;
  }
}

// A touch is enough: the bar is dragged.
void dragged_answer(const PredictionSpec& spec, const Config& config, Answer& answer) {
  auto value = float(read_answer(spec, config, answer).value.value_or(0));
  const double end = bar_end(spec, config);
  ImGui::SetNextItemWidth(std::min(px(420), ImGui::GetContentRegionAvail().x));
  if (ImGui::SliderFloat("##drag", &value, 0, float(end), "", ImGuiSliderFlags_AlwaysClamp))
    answer.text = end >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
  ui::mark("answer.drag");
}

void typed_answer(Desk& desk, const PredictionSpec& spec, Answer& answer) {
  const bool in_range = range_of(spec, desk.config()).has_value();
  const std::string before = answer.text;
  {
    const FontScope font(Type::kQuestion);
    const float width = std::clamp(ImGui::GetContentRegionAvail().x - px(140), px(120), px(280));
    if (answer_field(desk, spec, answer, answer_hint(spec, desk.config(), answer), width))
      keep_typed(desk, answer);
    ImGui::SameLine();
    ImGui::TextUnformatted(spec.unit.c_str());
  }
  if (in_range || answer.kind == AnswerKind::kNumber) dragged_answer(spec, desk.config(), answer);
  if (answer.text != before) answer.given = false;
  const Reading reading = read_answer(spec, desk.config(), answer);
  const std::string text = words_of(reading, spec);
  ui::paragraph(text.empty() ? " " : text, reading.wrong ? colours().dim : colours().text, Type::kLabel);
}

void built_answer(Desk& desk, const PredictionSpec& spec, float height) {
  const bool had_keys = desk.picture_has_keys;
  build(desk, spec, "build", {std::min(px(520), ImGui::GetContentRegionAvail().x), height});
  go_on_by_enter(desk, had_keys);
}

// One for all that is answered side by side.
void set_confidence(Desk& desk, int confidence) {
  const auto [first, last] = desk.guessing.board();
  for (size_t i = first; i < last; ++i) {
    const PredictionSpec& spec = desk.lesson().predictions[i];
    if (i == desk.guessing.asked || is_drawn_together(spec))
      desk.guessing.answer(spec).confidence = confidence;
  }
}

void confidence_row(Desk& desk, const PredictionSpec& spec) {
  int chosen = desk.guessing.answer(spec).confidence - 1;
  if (ui::choice_row("confidence", {tr("unsure"), tr("fairly"), tr("sure")}, chosen, px(kRow)))
    set_confidence(desk, chosen + 1);
  ui::tooltip(tr("how sure are you?"), "U");
}

}  // namespace

void keep_typed(Desk& desk, Answer& answer) {
  desk.commit();
  desk.focus_answer = !answer.given;  // to be corrected
}

bool answer_field(Desk& desk, const PredictionSpec& spec, Answer& answer, const std::string& hint,
                  float width) {
  const bool asked = &spec == desk.guessing.question();
  // A field that is typed into must not carry its text to the next question.
  ImGui::PushID(fmt::format("{} {}", spec.id, answer.edition).c_str());
  ImGui::SetNextItemWidth(width);
  if (asked && std::exchange(desk.focus_answer, false)) ui::focus_next_item();
  const bool entered =
      ImGui::InputTextWithHint("##answer", hint.c_str(), &answer.text,
                               ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  ui::mark("answer." + spec.id);
  if (asked) ui::mark("answer");
  ImGui::PopID();
  desk.look.fonts.need(answer.text);
  return entered;
}

void other_answer(Desk& desk) {
  const PredictionSpec* spec = desk.guessing.question();
  if (spec == nullptr || desk.step() != Step::kGuess) return;
  Answer& answer = desk.guessing.answer(*spec);
  const auto kinds = kinds_of(*spec);
  if (kinds.size() < 2) return;
  const auto now = std::ranges::find(kinds, answer.kind);
  answer.kind = now + 1 < kinds.end() ? *(now + 1) : kinds.front();
  answer.given = false;
  desk.focus_answer = true;
  desk.picture_has_keys = false;
}

void more_sure(Desk& desk) {
  if (const PredictionSpec* spec = desk.guessing.question())
    set_confidence(desk, desk.guessing.answer(*spec).confidence % 3 + 1);
}

// Building takes a column's height, typing three lines, rows what they need.
float answer_height(Desk& desk, const Rect& room) {
  const PredictionSpec* spec = desk.guessing.question();
  if (spec == nullptr) return px(60);
  const Answer& answer = desk.guessing.answer(*spec);
  float height = px(answer.kind == AnswerKind::kBlocks ? 292 : spec->words ? 150 : 172);
  if (is_answered_by_rows(*spec)) height = px(108) + rows_height(desk, *spec, room.width() - px(40));
  const float board = board_height(desk);
  if (board > 0) height = board;
  if (room.width() < px(700)) height += px(30);  // the head takes two rows
  height += words_height(desk, *spec, room.width() - px(40));
  const float low = spec->words && room.height() < px(520) ? 0.14f : 0;  // all answers before the picture
  return std::min(height, room.height() * (low + (board > 0 || desk.guessing.asked == 0 ? 0.7f : 0.58f)));
}

namespace {

void head(Desk& desk, const PredictionSpec& spec) {
  const FontScope font(Type::kLabel);
  progress(desk);
  const bool fields = board_height(desk) > 0 && desk.guessing.answer(spec).kind != AnswerKind::kBlocks;
  if (kinds_of(spec).size() > 1 && !fields) {
    ui::beside(px(kRow), 16);
    kind_row(desk, spec, desk.guessing.answer(spec));
  }
  const std::string how = tr("how sure?");  // where there is room for it
  const bool roomy = ImGui::GetContentRegionAvail().x > px(660);
  ui::beside(px(kRow) + (roomy ? ui::text_width(how) + px(8) : 0), 16);
  if (roomy) {
    ImGui::TextUnformatted(how.c_str());
    ImGui::SameLine(0, px(8));
  }
  confidence_row(desk, spec);
}

// What the question is answered with, alone or side by side with its board.
void answer_area(Desk& desk, const PredictionSpec& spec) {
  Answer& answer = desk.guessing.answer(spec);
  const float below = px(26);  // of the line that says that it is kept
  const float height = std::max(px(90), ImGui::GetContentRegionAvail().y - below);
  legend_of_symbols(spec, desk.config(), answer);
  if (board_height(desk) > 0) return draw_board(desk, height);
  if (answer.kind == AnswerKind::kBlocks) return built_answer(desk, spec, height);
  if (is_answered_by_rows(spec)) return chosen_answer(desk, spec, answer);
  if (spec.words) return typed_words(desk, spec, answer);
  typed_answer(desk, spec, answer);
}

void what_is_kept(Desk& desk, const PredictionSpec& spec) {
  if (desk.guessing.recalled() > 0) {
    const size_t count = desk.lesson().predictions.size();
    return ui::remark(desk.guessing.recalled() == count
                          ? tr("You have answered all {} questions at this scenario.", count)
                          : tr("You have answered {} of {} questions at this scenario. This one is open.",
                               desk.guessing.recalled(), count));
  }
  if (desk.guessing.answer(spec).given)
    return remark_kept(
        desk, desk.guessing.open_on_board() ? tr("Kept.") : tr("Kept. {}", desk.lesson().words.watch));
  if (askable(spec, desk.config()) || spec.again.empty()) return;
  ui::remark(tr("Here a wrong answer looks like the right one."));
  ImGui::SameLine();
  if (ui::button(tr("ask where they differ").c_str(), "ask.elsewhere", false, true,
                 tr("at a scenario where the right answer and the wrong ones are not the same"), "I"))
    ask_elsewhere(desk);
}

}  // namespace

void draw_answer(Desk& desk, const Rect& rect) {
  ImGui::GetWindowDrawList()->AddLine(rect.min, {rect.max.x, rect.min.y}, colours().line);
  const Area area("answer", rect, true, 12);
  // For the whole frame, also where another one is asked in it.
  const PredictionSpec* spec = desk.guessing.question();
  if (spec == nullptr) return ui::paragraph(tr("This lesson asks nothing: watch it run."));
  head(desk, *spec);
  const bool low = rect.height() < px(260);  // there what is to be filled in stands above what explains it
  const auto words = words_before(desk, *spec);
  const auto explain = [&] {
    for (const std::string& line : words) ui::paragraph(line);
  };
  if (!low) explain();
  answer_area(desk, *spec);
  what_is_kept(desk, *spec);
  if (low) explain();
}

}  // namespace ringside::gui
