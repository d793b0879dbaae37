// Guess: the learner answers before anything is measured, by building, by a formula, or
// by a plain number, and says how sure.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "ringside/lesson/prediction.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"
#include "room_parts.h"

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

// One dot a question: open, guessed; the one asked is the large one.
void question_dots(Desk& desk) {
  const auto& all = desk.lesson->predictions;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float side = ui::line_height(Type::kLabel) + px(4);
  for (size_t i = 0; i < all.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (i > 0) ImGui::SameLine(0, px(2));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (ImGui::InvisibleButton("dot", {side, side})) desk.ask(i);
    ui::mark("question=" + all[i].id);
    const ImVec2 middle(at.x + side / 2, at.y + side / 2);
    const float radius = i == desk.asked ? px(6) : px(4);
    if (desk.answer(all[i]).given)
      list.AddCircleFilled(middle, radius, colours().accent, 16);
    else
      list.AddCircle(middle, radius, colours().dim, 16, px(1.5f));
    ui::tooltip(tr("{} of {}: {}", i + 1, all.size(), all[i].question));
    ImGui::PopID();
  }
}

bool choice_row(const char* id, const std::vector<std::string>& names, int& chosen) {
  std::vector<const char*> texts;
  for (const std::string& name : names) texts.push_back(name.c_str());
  return ui::choice_row(id, texts.data(), static_cast<int>(texts.size()), chosen, px(210));
}

void kind_row(Desk& desk, const PredictionSpec& spec, Answer& answer) {
  const auto kinds = kinds_of(spec);
  if (kinds.size() < 2) return;
  std::vector<std::string> names;
  int chosen = 0;
  for (const AnswerKind kind : kinds) {
    if (kind == answer.kind) chosen = static_cast<int>(names.size());
    names.push_back(name_of(kind));
  }
  if (choice_row("answer", names, chosen)) {
    answer.kind = kinds[static_cast<size_t>(chosen)];
    answer.given = false;
    desk.focus_answer = answer.kind != AnswerKind::kBlocks;
    desk.picture_has_keys = false;
  }
}

void legend_of_symbols(const PredictionSpec& spec, const Config& config, const Answer& answer) {
  if (!spec.symbols || answer.kind != AnswerKind::kFormula) return;
  std::string text;
  for (const Symbol& symbol : spec.symbols(config))
    text += fmt::format("{}{}\u00a0=\u00a0{:g} {}", text.empty() ? "" : ",   ", symbol.name, symbol.value,
                        symbol.meaning);
  ui::paragraph(text, colours().dim, Type::kLabel);
}

// How a formula is written, in two of its symbols.
std::string formula_hint(const PredictionSpec& spec, const Config& config) {
  const auto symbols = spec.symbols ? spec.symbols(config) : std::vector<Symbol>{};
  if (symbols.size() < 2) return tr("a formula");
  return tr("a formula, like 3{} + 2/{}", symbols[0].name, symbols[1].name);
}

// As far as the bar of a number goes: past the right answer and every wrong one, at a round number.
double bar_end(const PredictionSpec& spec, const Config& config) {
  if (spec.unit == "%") return 100;
  double most = spec.formula(config);
  for (const WrongAnswer& wrong : wrong_answers(spec, config, most)) most = std::max(most, wrong.value);
  if (!(most > 0)) return 1;
  const double power = std::pow(10.0, std::floor(std::log10(1.2 * most)));
  for (const double times : {1.0, 2.0, 5.0}) {
    if (times * power >= 1.2 * most) return times * power;
  }
  return 10 * power;
}

// A touch is enough: the bar is dragged.
void dragged_answer(const PredictionSpec& spec, const Config& config, Answer& answer) {
  auto value = static_cast<float>(std::atof(answer.text.c_str()));
  const double end = bar_end(spec, config);
  ImGui::SetNextItemWidth(std::min(px(420), ImGui::GetContentRegionAvail().x));
  if (ImGui::SliderFloat("##drag", &value, 0, static_cast<float>(end), "", ImGuiSliderFlags_AlwaysClamp))
    answer.text = end >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.2f}", value);
  ui::mark("answer.drag");
}

void typed_answer(Desk& desk, const PredictionSpec& spec, Answer& answer) {
  const bool percent = spec.unit == "%";
  const std::string before = answer.text;
  const std::string hint = percent                              ? tr("0 to 100")
                           : answer.kind == AnswerKind::kNumber ? tr("a number")
                                                                : formula_hint(spec, *desk.config);
  {
    const FontScope font(Type::kQuestion);
    ImGui::PushID(
        spec.id.c_str());  // a field that is typed into must not carry its text to the next question
    ImGui::SetNextItemWidth(std::min(px(280), ImGui::GetContentRegionAvail().x - px(140)));
    if (std::exchange(desk.focus_answer, false)) ui::focus_next_item();
    const bool entered = ImGui::InputTextWithHint("##answer", hint.c_str(), &answer.text,
                                                  ImGuiInputTextFlags_EnterReturnsTrue);
    ui::mark("answer");
    ImGui::PopID();
    if (entered) desk.commit();
    ImGui::SameLine();
    ImGui::TextUnformatted(spec.unit.c_str());
  }
  if (percent || answer.kind == AnswerKind::kNumber) dragged_answer(spec, *desk.config, answer);
  if (answer.text != before) answer.given = false;
  const Reading reading = read_answer(spec, *desk.config, answer);
  if (reading.wrong) return ui::paragraph("✗ " + reading.note, colours().dim, Type::kLabel);
  std::string text = reading.value ? "= " + figure(*reading.value, spec) : "";
  if (!reading.note.empty()) text += ", " + reading.note;
  ui::paragraph(text.empty() ? " " : text, colours().text, Type::kLabel);
}

void built_answer(Desk& desk, const PredictionSpec& spec, Answer& answer, float height) {
  const auto blocks = spec.blocks(*desk.config);
  const bool had_keys = desk.picture_has_keys;  // else the Enter that came here would be taken for an answer
  std::vector<ui::BuilderPart> parts;
  for (size_t i = 0; i < blocks.size(); ++i)
    parts.push_back({blocks[i].category, blocks[i].whole, answer.blocks[i]});
  if (std::exchange(desk.focus_answer, false)) {
    desk.builder.focus();
    desk.picture_has_keys = true;  // the arrows build, until Enter or Escape
  }
  const ImVec2 size(std::min(px(520), ImGui::GetContentRegionAvail().x), height);
  if (desk.builder.draw("build", size, parts, {.unit = spec.unit})) {
    for (size_t i = 0; i < blocks.size(); ++i) answer.blocks[i] = parts[i].value;
    answer.given = false;
  }
  if (had_keys && desk.picture_has_keys && ui::pressed({ui::Key::kEnter})) {
    desk.picture_has_keys = false;
    desk.next();
  }
}

void confidence_row(Answer& answer) {
  int chosen = answer.confidence - 1;
  if (choice_row("confidence", {tr("unsure"), tr("fairly"), tr("sure")}, chosen))
    answer.confidence = chosen + 1;
  ui::tooltip(tr("how sure are you? (U)"));
}

}  // namespace

void other_answer(Desk& desk) {
  const PredictionSpec* spec = desk.question();
  if (spec == nullptr || desk.step != Step::kGuess) return;
  Answer& answer = desk.answer(*spec);
  const auto kinds = kinds_of(*spec);
  if (kinds.size() < 2) return;
  const auto now = std::find(kinds.begin(), kinds.end(), answer.kind);
  answer.kind = now + 1 < kinds.end() ? *(now + 1) : kinds.front();
  answer.given = false;
  desk.focus_answer = true;
  desk.picture_has_keys = false;
}

void more_sure(Desk& desk) {
  if (const PredictionSpec* spec = desk.question()) {
    Answer& answer = desk.answer(*spec);
    answer.confidence = answer.confidence % 3 + 1;
  }
}

// Building takes a column's height, typing three lines, rows what they need.
float answer_height(Desk& desk, const Rect& room) {
  const PredictionSpec* spec = desk.question();
  if (spec == nullptr) return px(60);
  const Answer& answer = desk.answer(*spec);
  float height = px(answer.kind == AnswerKind::kBlocks ? 292 : spec->words ? 150 : 196);
  if (is_answered_by_rows(*spec)) height = px(108) + rows_height(desk, *spec, room.width() - px(40));
  return std::min(height, room.height() * 0.58f);
}

void draw_answer(Desk& desk, const Rect& rect) {
  ImGui::GetWindowDrawList()->AddLine(rect.min, {rect.max.x, rect.min.y}, colours().line);
  const Area area("answer", rect, true, 12);
  const PredictionSpec* spec = desk.question();  // for the whole frame, also where a dot asks another one
  if (spec == nullptr) return ui::paragraph(tr("This lesson asks nothing: watch it run."));
  Answer& answer = desk.answer(*spec);
  {
    const FontScope font(Type::kLabel);
    question_dots(desk);
    if (kinds_of(*spec).size() > 1) ui::beside(px(210), 16);
    kind_row(desk, *spec, answer);
    ui::beside(px(210), 16);
    confidence_row(answer);
  }
  legend_of_symbols(*spec, *desk.config, answer);
  if (answer.kind == AnswerKind::kBlocks) {
    built_answer(desk, *spec, answer, std::max(px(90), ImGui::GetContentRegionAvail().y - px(26)));
  } else if (is_answered_by_rows(*spec)) {
    chosen_answer(desk, *spec, answer);
  } else if (spec->words) {
    typed_words(desk, *spec, answer);
  } else {
    typed_answer(desk, *spec, answer);
  }
  if (answer.given)
    ui::paragraph(tr("Kept. {}", desk.lesson->words.watch), colours().dim, Type::kLabel);
  else if (!askable(*spec, *desk.config) && !spec->again.empty()) {
    ui::paragraph(tr("Here a wrong answer looks like the right one."), colours().dim, Type::kLabel);
    ImGui::SameLine();
    if (ui::button(tr("ask where they differ").c_str(), "ask.elsewhere", false, true, "I"))
      ask_elsewhere(desk);
  }
}

}  // namespace ringside::gui
