// A card of Prepare: its question, what it is answered with, and what is shown once it was.
#include <imgui.h>
#include <imgui_stdlib.h>

#include "ringside/base/error.h"
#include "ringside/lesson/called.h"
#include "ringside/lesson/tr.h"
#include "ringside/lesson/word_question.h"
#include "ringside/widgets/items.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

constexpr float kCardColumn = 720;

float column() { return std::min(px(kCardColumn), ImGui::GetContentRegionAvail().x); }

// A text of one line, by Enter or by the button.
void field(Desk& desk, const std::string& label) {
  Prepare& prepare = desk.prepare;
  if (std::exchange(prepare.focus, false)) ui::focus_next_item();
  ImGui::SetNextItemWidth(column() - px(110));
  const bool entered =
      ImGui::InputTextWithHint("##prepare", label.c_str(), &prepare.typed,
                               ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  ui::mark("prepare.field");
  ImGui::SameLine();
  if (ui::button(tr("answer").c_str(), "prepare.answer", true, true, "", "Enter") || entered)
    prepare.answer(std::string(prepare.typed));
}

void choose_rows(Desk& desk, AnswerKind kind, const Words& shown) {
  Prepare& prepare = desk.prepare;
  WordList::Shown rows{kind, kind == AnswerKind::kOrder ? prepare.words : shown, column() - px(16), true};
  rows.keys = !desk.help && !desk.menu && !ImGui::GetIO().WantTextInput;
  const float height =
      std::min(WordList::height(rows), std::max(px(80), ImGui::GetContentRegionAvail().y - px(90)));
  ImGui::BeginChild("prepare.rows", {rows.width + px(14), height});
  prepare.rows.draw(rows, prepare.words);
  ImGui::EndChild();
  space();
  const std::string label = prepare.asked() == nullptr ? tr("go on ▸") : tr("answer");
  if (ui::button(label.c_str(), "prepare.answer", true, true, "", "Enter")) prepare.answer_words();
}

}  // namespace

// Records stand in their columns.
void prepare_question(const std::vector<std::string>& lines) {
  const bool is_short = lines.size() <= 2;
  for (const std::string& line : lines) {
    const bool stands = line.starts_with("    ");
    const FontScope font(stands ? Type::kMono : Type::kBody);
    if (stands)
      ImGui::TextUnformatted(line.c_str());
    else
      ui::paragraph(line, is_short && &line == &lines.front() ? Type::kQuestion : Type::kBody);
  }
  space();
}

void prepare_answer(Desk& desk, const AskedCard* asked, const std::string& hint) {
  Prepare& prepare = desk.prepare;
  if (asked != nullptr && prepare.by_rows()) {
    choose_rows(desk, asked->spec.words->kind, options_of(*asked->spec.words, asked->config));
  } else if (asked == nullptr && prepare.by_rows()) {
    choose_rows(desk, AnswerKind::kChoices, prepare.mock->points());
  } else {
    field(desk, hint);
  }
  if (!prepare.mistake.empty()) ui::remark(prepare.mistake);
}

namespace {
constexpr std::string_view kRun = "ringside run ", kSay = "ringside say ";

// The lesson's run, or what of it is to be said.
void open_command(Desk& desk, const std::string& command) {
  const bool says = command.starts_with(kSay);
  const std::string line = command.substr(says ? kSay.size() : kRun.size());
  desk.show_lesson();
  try {
    desk.scenario(line);
    if (line.substr(0, line.find(' ')) == desk.lesson().id) desk.go_to(says ? Step::kSay : Step::kWatch);
  } catch (const Error& error) {
    desk.refuse(line, error.what());
  }
}
}  // namespace

// A lesson's opens here; another command is named.
void prepare_link(Desk& desk, const std::string& command, const std::string& name, const std::string& key) {
  if (!command.starts_with(kRun) && !command.starts_with(kSay)) return ui::remark(as_called(command));
  const std::string label = command.starts_with(kSay) ? tr("say it: {}", command.substr(kSay.size()))
                                                      : tr("see it happen: {}", command.substr(kRun.size()));
  if (ui::button(label.c_str(), name, false, true, tr("opens the lesson; this page stays as it is"), key))
    open_command(desk, command);
}

void see_it_happen(Desk& desk) {
  Prepare& prepare = desk.prepare;
  if (!prepare.reviewing() || !prepare.session->shown()) return;
  const std::string command = prepare.session->asked().see;
  if (command.starts_with(kRun)) open_command(desk, command);
}

void prepare_feedback(Desk& desk, const AskedCard& asked, const std::optional<Judgement>& judgement) {
  if (judgement) {
    ui::paragraph(judgement->right ? tr("✓ Right.") : tr("✗ Not so."), Type::kBold);
    for (const NamedError& one : judgement->errors)
      ui::paragraph(tr("Your error: {}. {}", one.name, one.why));
  }
  ui::paragraph(asked.ten_seconds);
  if (!asked.minute.empty()) ui::paragraph(asked.minute);
  if (!asked.strong.empty()) {
    space(4);
    ui::paragraph(tr("A strong answer adds: {}", asked.strong));
  }
  space(4);
  prepare_link(desk, asked.see, "prepare.see", "R");
  if (!asked.next.empty()) ui::remark(tr("They ask next: {}", asked.next[0]));
  space();
}

}  // namespace ringside::gui
