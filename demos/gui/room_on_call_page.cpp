// On call: its bars, its button in the rail, what an empty page says, and what scripts say to it.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "ringside/base/error.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"
#include "ringside/widgets/keys.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

namespace fs = std::filesystem;

constexpr float kBarHeight = 48, kFaultHeight = 48, kSideBySide = 860;

// Text of many lines is a log, wherever the keys are: a field would take it letter by letter.
bool pastes_log() {
  if (!ui::pressed({ui::Key::kV, true})) return false;
  const char* text = ImGui::GetClipboardText();
  return text != nullptr && (std::strchr(text, '\n') != nullptr || strnlen(text, 4096) == 4096);
}

float button_width(const std::string& label) {
  return ImGui::CalcTextSize(label.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x + px(8);
}

void draw_path(Desk& desk, const Rect& rect) {
  OnCall& call = desk.on_call;
  const Area area("on_call.bar", rect, false, 8);
  const std::string back = tr("back to {}", desk.lesson().id), paste = tr("paste"), example = tr("example");
  const float right = button_width(back) + button_width(paste) + button_width(example) + px(16);
  if (pastes_log()) {
    paste_log(desk);  // the field is left out once, so that it does not take it
  } else {
    if (!call.save_as && std::exchange(call.focus, false)) ui::focus_next_item();
    ImGui::SetNextItemWidth(std::max(px(80), rect.width() - right - px(32)));
    const bool entered = ImGui::InputTextWithHint(
        "##path", tr("a log, a dump or a folder; Enter reads it").c_str(), &call.typed,
        ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
    ui::mark("on_call.path");
    ui::tooltip(tr("type a path, or drop files onto the window"), "L");
    if (entered && !call.typed.empty()) call.take({call.typed});
  }
  ImGui::SameLine();
  if (ui::button(paste.c_str(), "on_call.paste", false, true, tr("a log, or a path, from the clipboard"),
                 "Ctrl+V"))
    paste_log(desk);
  ImGui::SameLine();
  if (ui::button(
          example.c_str(), "on_call.example", false, true,
          tr("a small job in which one thing goes wrong, and the log that it leaves; each time another one"),
          "E"))
    call.example();
  ImGui::SameLine(rect.width() - button_width(back));
  if (ui::button(back.c_str(), "on_call.close", false, true, "", "Escape")) toggle_on_call(desk);
}

void save_button(OnCall& call) {
  if (ui::button(tr("save as HTML").c_str(), "on_call.save", false, true, tr("one file, without a script"),
                 "W"))
    ask_where_to_save(call);
}

// Where the report goes: a name that is free.
void draw_save(OnCall& call, const Rect& rect) {
  const Area area("on_call.save_bar", rect, false, 8);
  const float right = button_width(tr("save")) + button_width(tr("cancel")) + px(16);
  if (std::exchange(call.focus, false)) ui::focus_next_item();
  ImGui::SetNextItemWidth(std::max(px(80), rect.width() - right - px(24)));
  const bool entered = ImGui::InputText(
      "##save_as", &*call.save_as, ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  ui::mark("on_call.file");
  ImGui::SameLine();
  const bool saves = ui::button(tr("save").c_str(), "on_call.save_now", true, true, "", "Enter");
  ImGui::SameLine();
  if (ui::button(tr("cancel").c_str(), "on_call.save_not"))
    call.save_as.reset();
  else if (entered || saves)
    call.save(std::string(*call.save_as));
}

void draw_acts(Desk& desk, const Rect& rect) {
  OnCall& call = desk.on_call;
  if (call.save_as) return draw_save(call, rect);
  const Area area("on_call.acts", rect, false, 8);
  if (call.reading()) {
    if (ui::button(tr("stop").c_str(), "on_call.stop", false, true, tr("what is shown stays"), "X"))
      call.give_up();
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(call.progress().c_str());
    return ui::mark("on_call.progress");
  }
  if (!call.told()) return;
  if (ui::button(tr("copy as Markdown").c_str(), "on_call.copy", true, true, tr("to paste into an issue"),
                 "C"))
    copy_report(desk);
  ImGui::SameLine();
  save_button(call);
  ImGui::SameLine();
  bool hides = call.names_hidden();
  if (ImGui::Checkbox(tr("redact").c_str(), &hides)) call.hide_names(hides);
  ui::mark("on_call.redact");
  ui::tooltip(tr("without hosts, users, addresses and paths: on the page, in what is copied and saved"), "R");
  ImGui::SameLine();
  const std::string name = call.told()->words(), of = hides ? redacted(name) : name;
  const std::string words =
      call.note.empty() ? tr("{}: {}", of, diagnosis_headline(call.report())) : call.note;
  desk.look.fonts.need(words);
  ImGui::AlignTextToFramePadding();
  ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(colours().dim), "%s",
                     ui::elide(words, ImGui::GetContentRegionAvail().x, Type::kBody).c_str());
  ui::mark("on_call.headline");
  ui::tooltip(words);
}

void draw_empty(Desk& desk, const Rect& rect) {
  const float width = std::min(rect.width(), px(720)), left = rect.min.x + (rect.width() - width) / 3;
  const Area area("on_call.empty", {{left, rect.min.y}, {left + width, rect.max.y}}, true, 24);
  ui::paragraph(tr("Why did the job stop?"), Type::kQuestion);
  space();
  ui::paragraph(
      tr("Give this page what the job left: the logs of its ranks, and the dumps of flight recorders if "
         "there are some."));
  space();
  for (const std::string& line :
       {tr("Paste a log with Ctrl+V."), tr("Or drop files, or a folder, onto the window."),
        tr("Or type a path above and press Enter."),
        tr("With the model's config.json among them, the call that waits is taken apart into tensors.")})
    bullet(line);
  space();
  ui::paragraph(
      tr("It says what stopped first, who waits for whom and what to try; each with its line and how sure it "
         "is. What you give it stays on this machine."));
  space();
  if (ui::button(tr("look at an example").c_str(), "on_call.first_example", true, true, "", "E"))
    desk.on_call.example();
  ui::remark(tr("a small job in which one thing goes wrong, and the log that it leaves"));
}

void draw_told(Desk& desk, const Rect& rect) {
  if (!desk.on_call.lines) return draw_on_call_report(desk, rect);  // of dumps alone
  const bool beside = rect.width() > px(kSideBySide);
  const float cut =
      beside ? rect.min.x + std::round(rect.width() * 0.52f) : rect.min.y + std::round(rect.height() * 0.6f);
  const Rect report = beside ? Rect{rect.min, {cut, rect.max.y}} : Rect{rect.min, {rect.max.x, cut}};
  const Rect log = beside ? Rect{{cut, rect.min.y}, rect.max} : Rect{{rect.min.x, cut}, rect.max};
  draw_on_call_report(desk, report);
  draw_on_call_log(desk, log);
}

}  // namespace

void ask_where_to_save(OnCall& call) {
  if (!call.told()) return;
  fs::path file = "autopsy.html";
  std::error_code error;
  for (int nth = 2; fs::exists(file, error) && nth < 1000; ++nth)
    file = "autopsy_" + std::to_string(nth) + ".html";
  call.save_as = fs::absolute(file, error).string();
  call.focus = true;
}

void paste_log(Desk& desk) {
  const char* text = ImGui::GetClipboardText();
  desk.on_call.paste(text == nullptr ? "" : std::string(text, strnlen(text, kMostPasted + 1)));
}

void copy_report(Desk& desk) {
  if (!desk.on_call.told()) return;
  desk.to_copy = diagnosis_markdown(desk.on_call.report());
  desk.on_call.note = tr("Copied as Markdown.");
}

void copy_environment(Desk& desk) {
  const std::string variables = environment_of(desk.on_call.report());
  if (variables.empty()) return;
  desk.to_copy = variables;
  desk.on_call.note = tr("Copied: {}", variables);
}

void draw_on_call(Desk& desk, const Rect& rect) {
  OnCall& call = desk.on_call;
  float top = rect.min.y + px(kBarHeight);
  const bool acts = call.told() || call.reading();
  ImGui::GetWindowDrawList()->AddRectFilled(rect.min, {rect.max.x, top + (acts ? px(kBarHeight - 8) : 0)},
                                            colours().panel);
  draw_path(desk, {rect.min, {rect.max.x, top}});
  if (acts) {
    draw_acts(desk, {{rect.min.x, top - px(8)}, {rect.max.x, top + px(kBarHeight - 8)}});
    top += px(kBarHeight - 8);
  }
  if (!call.fault.empty()) {
    desk.look.fonts.need(call.fault);
    const Area area("on_call.fault", {{rect.min.x, top}, {rect.max.x, top + px(kFaultHeight)}}, true, 8);
    ui::paragraph(call.fault, colours().alarm, Type::kLabel);
    top += px(kFaultHeight);
  }
  const Rect below{{rect.min.x, top}, rect.max};
  desk.picture_has_keys = false;
  if (call.told())
    draw_told(desk, below);
  else
    draw_empty(desk, below);
}

void on_call_button(Desk& desk, const Rect& rect) {
  if (ui::touch("on_call", rect)) toggle_on_call(desk);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const bool open = desk.on_call.open;
  list.AddRectFilled(rect.min, rect.max, open || ImGui::IsItemHovered() ? colours().raised : colours().panel,
                     px(3));
  list.AddRect(rect.min, rect.max, open ? colours().accent : colours().line, px(3));
  ui::draw_text_in(list, rect, colours().text, tr("On call"));
  ui::tooltip(tr("why a job stopped, from its logs and dumps"), "Ctrl+O");
}

void toggle_on_call(Desk& desk) {
  const bool opens = !desk.on_call.open;
  desk.show_lesson();
  desk.on_call.open = opens;
  desk.picture_has_keys = false;
  if (!opens && desk.nothing_to_show()) desk.run(desk.config());
}

// ---- For scripts and tests -----------------------------------------------------------

void on_call_command(Desk& desk, const std::string& rest) {
  OnCall& call = desk.on_call;
  const size_t blank = rest.find(' ');
  const std::string act = rest.substr(0, blank), word = blank == rest.npos ? "" : rest.substr(blank + 1);
  if (!call.open) toggle_on_call(desk);
  if (act == "page") return;
  if (act == "read" || act == "drop") return call.take({word});
  if (act == "paste") return call.paste(word);
  if (act == "example") return call.example();
  if (act == "redact") return call.hide_names(word == "on");
  if (act == "evidence") return call.next_evidence(1);
  if (act == "save") return call.save(word);
  throw UsageError(
      "autopsy '" + rest +
      "'; there are: page, read PATH, drop PATH, paste TEXT, example, redact on|off, evidence, save FILE");
}

nlohmann::json on_call_state(Desk& desk) {
  OnCall& call = desk.on_call;
  nlohmann::json out = {{"open", call.open},
                        {"reading", call.reading()},
                        {"fault", call.fault},
                        {"note", call.note},
                        {"told", call.told() ? call.told()->words() : ""},
                        {"line", call.view.chosen()},
                        {"first_line", call.view.first() + 1},
                        {"lines", call.lines ? call.lines->count() : 0},
                        {"file", call.log_name()},
                        {"waits", call.report().waits_for.size()},
                        {"redact", call.names_hidden()},
                        {"save_as", call.save_as.value_or("")},
                        {"sections", nlohmann::json::array()}};
  for (const ReportSection& section : call.sections()) out["sections"].push_back(section.id);
  if (!call.report().first.empty()) {
    const Finding& first = call.report().first.front();
    out["first"] = {{"sentence", first.sentence},
                    {"sure", to_string(first.sure)},
                    {"ranks", first.ranks},
                    {"cause", to_string(first.cause)}};
  }
  return out;
}

}  // namespace ringside::gui
