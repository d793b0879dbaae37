// The inspector: a control for each declared parameter, made from its declaration, and
// the panel's figures of this instant below.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "frame_times.h"
#include "ringside/base/error.h"
#include "ringside/lesson/tr.h"
#include "ringside/lesson/word_question.h"
#include "ringside/widgets/items.h"
#include "room_parts.h"

namespace ringside::gui {
namespace {

std::string count_text(double value) {
  const auto whole = int64_t(std::llround(value));
  if (whole >= (1 << 20) && whole % (1 << 20) == 0) return fmt::format("{}Mi", whole >> 20);
  if (whole >= 1024 && whole % 1024 == 0) return fmt::format("{}Ki", whole >> 10);
  if (whole >= 1000000 && whole % 100000 == 0) return fmt::format("{}e6", double(whole) / 1e6);
  return fmt::format("{}", whole);
}

double number_of(const ParameterSpec& spec, const Config& config) {
  return spec.kind == ParameterKind::kReal ? config.real(spec.name) : double(config.integer(spec.name));
}

std::string text_of(const ParameterSpec& spec, double value) {
  switch (spec.kind) {
    case ParameterKind::kReal: return fmt::format("{:.6g}", value);
    case ParameterKind::kCount: return count_text(value);
    default: return fmt::format("{}", int64_t(std::llround(value)));
  }
}

// As it is shown: a rate of 0.0003 has its digits, however small.
std::string shown_text(const ParameterSpec& spec, double value) {
  return spec.kind == ParameterKind::kReal ? fmt::format("{:.3g}", value) : text_of(spec, value);
}

// Ranges of a few values get a plain slider, wide ones one in powers of two (or a factor).
bool is_wide(const ParameterSpec& spec) {
  return spec.kind == ParameterKind::kCount || spec.kind == ParameterKind::kReal || spec.maximum > 64;
}

// What the keys and a drag do: one notch up or down, inside the allowed range.
double notch(const ParameterSpec& spec, double value, int direction) {
  double next = value + direction;
  if (spec.kind == ParameterKind::kReal) {
    next = direction > 0 ? value * 2 : value / 2;
  } else if (is_wide(spec)) {
    next = direction > 0 ? std::max(value + 1, value * 2) : std::floor(value / 2);
  }
  return std::clamp(next, spec.minimum, spec.maximum);
}

// Seed and the like: any number is as good as another, a slider says nothing.
bool is_number_field(const ParameterSpec& spec) {
  return spec.maximum >= 1e9 && spec.kind != ParameterKind::kCount;
}

// What the parameter is; in grey what it may be.
void tip(const ParameterSpec& spec) {
  ui::tooltip(spec.unit.empty() ? spec.meaning : spec.meaning + " [" + spec.unit + "]", allowed_values(spec));
}

void number_slider(Desk& desk, const ParameterSpec& spec, float width) {
  double value = number_of(spec, desk.drafted());
  const bool wide = is_wide(spec);
  // Powers of two from the least to the largest; past the useful end only by typing.
  const double low = std::max(spec.minimum, spec.kind == ParameterKind::kReal ? 1e-9 : 1.0);
  const double high =
      spec.kind == ParameterKind::kCount ? std::min(spec.maximum, double{1 << 24}) : spec.maximum;
  auto place = float(wide ? std::log2(std::max(value, low)) : value);
  const auto first = float(wide ? std::log2(low) : spec.minimum);
  const auto last = float(wide ? std::log2(high) : spec.maximum);
  // The value stands beside the slider: over it the grab would hide it.
  const bool long_numbers = spec.kind == ParameterKind::kCount && high >= 1e6;
  const float number = ui::text_width(long_numbers ? "10000000 " : "0.000123 ");
  ImGui::SetNextItemWidth(width - number);
  if (ImGui::SliderFloat("##value", &place, first, last, "",
                         ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_NoRoundToFormat)) {
    const double next =
        wide ? std::exp2(spec.kind == ParameterKind::kReal ? place : std::round(place)) : std::round(place);
    desk.draft(spec.name, text_of(spec, std::clamp(next, spec.minimum, spec.maximum)));
  }
  ui::mark(spec.name);
  tip(spec);
  if (ImGui::IsItemDeactivatedAfterEdit())
    desk.wishes.set.emplace_back(spec.name, text_of(spec, number_of(spec, desk.drafted())));
  const ImVec2 low_left = ImGui::GetItemRectMin(), top_right = ImGui::GetItemRectMax();
  ui::draw_label(*ImGui::GetWindowDrawList(),
                 {{top_right.x + px(6), low_left.y}, {top_right.x + number, top_right.y}}, colours().text,
                 shown_text(spec, number_of(spec, desk.drafted())));
}

void text_field(Desk& desk, const ParameterSpec& spec, float width) {
  std::string& text = desk.controls.typed[spec.name];
  ImGui::SetNextItemWidth(width);
  const bool entered = ImGui::InputText("##value", &text, ImGuiInputTextFlags_EnterReturnsTrue);
  ui::mark(spec.name);
  tip(spec);
  if (entered) desk.wishes.set.emplace_back(spec.name, text);
  if (!ImGui::IsItemActive()) text = desk.drafted().text(spec.name);
}

// What the picture shows of a scenario that has several: the watched stage of stage=all.
void outline_shown(const ParameterSpec& spec, const std::string& shown) {
  const ui::Item* item = ui::find_item(spec.name + "=" + shown);
  if (item == nullptr) return;
  const ImVec2 min{item->min.x + 1, item->min.y + 1}, max{item->max.x - 1, item->max.y - 1};
  ImGui::GetWindowDrawList()->AddRect(min, max, colours().accent, px(3), 0, px(1.5f));
}

void choices(Desk& desk, const ParameterSpec& spec, float width) {
  std::vector<std::string> names = spec.choices;
  View view = desk.view();
  const std::string value = desk.drafted().text(spec.name), shown = desk.panel->shown_value(view, spec.name);
  // Of a text: something else was typed into the scenario line.
  if (std::ranges::find(names, value) == names.end()) names.push_back(value);
  auto chosen = int(std::ranges::find(names, value) - names.begin());
  float widest = 0;
  for (const std::string& name : names) widest = std::max(widest, ui::text_width(name));
  const auto count = float(names.size());
  bool changed = false;
  if ((widest + px(6)) * count + px(2) * (count - 1) <= width) {
    changed = ui::choice_row(spec.name, names, chosen, width, spec.choice_meanings);
    if (!shown.empty() && shown != value) outline_shown(spec, shown);
  } else {
    ImGui::SetNextItemWidth(width);
    const auto name_of = [](void* all, int nth, const char** name) {
      *name = (*static_cast<std::vector<std::string>*>(all))[size_t(nth)].c_str();
      return true;
    };
    changed = ImGui::Combo("##value", &chosen, name_of, &names, int(names.size()));
    ui::mark(spec.name);
    tip(spec);
  }
  if (changed) desk.wishes.set.emplace_back(spec.name, names[size_t(chosen)]);
}

void control(Desk& desk, const ParameterSpec& spec, float width, bool chosen) {
  ImGui::PushID(spec.name.c_str());
  const FontScope font(Type::kLabel);
  const float label = std::min(px(78), width * 0.3f);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float height = ImGui::GetFrameHeight();
  const bool fits = ui::text_width(spec.name) <= label;
  if (chosen) list.AddRectFilled({at.x - px(6), at.y}, {at.x - px(3), at.y + height}, colours().accent);
  ui::draw_label(list, {at, {at.x + label, at.y + height}}, chosen ? colours().text : colours().dim,
                 fits ? spec.name : ui::elide(spec.name, label));
  ImGui::Dummy({label, height});
  tip(spec);
  ImGui::SameLine();
  const float rest = width - label - ImGui::GetStyle().ItemSpacing.x;
  if (spec.kind == ParameterKind::kChoice || (spec.kind == ParameterKind::kText && !spec.choices.empty())) {
    choices(desk, spec, rest);
  } else if (spec.kind == ParameterKind::kText || is_number_field(spec)) {
    text_field(desk, spec, rest);
  } else {
    number_slider(desk, spec, rest);
  }
  ImGui::PopID();
}

std::vector<const ParameterSpec*> shown_parameters(Desk& desk) {
  std::vector<const ParameterSpec*> shown;
  View view = desk.view();
  if (!desk.controls.all && (desk.controls.folded || desk.panel->folds_controls(view))) return shown;
  const auto main = desk.panel->main_parameters(desk.lesson());
  for (const ParameterSpec& spec : desk.lesson().parameters) {
    const bool is_main = std::ranges::find(main, spec.name) != main.end();
    if (desk.controls.all || main.empty() || is_main) shown.push_back(&spec);
  }
  return shown;
}

// While a question is open: what was guessed before it, no figure that would tell.
void own_guesses(Desk& desk) {
  if (desk.guessing.guesses().empty()) {
    ui::remark("What is measured is shown when you have guessed.");
    return;
  }
  ui::paragraph("Your guesses", Type::kBold);
  for (const PredictionSpec& spec : desk.lesson().predictions) {
    const Guess* guess = desk.guessing.guess(spec.id);
    if (guess == nullptr) continue;
    ui::remark(spec.name.empty() ? spec.question : spec.name);
    const bool formula = guess->formula.find_first_not_of("0123456789. %") != std::string::npos;
    const std::string said = spec.words ? in_words(*spec.words, desk.config(), guess->words)
                             : formula  ? guess->formula + " = " + figure(guess->value, spec)
                                        : figure(guess->value, spec);
    ui::paragraph(tr("you: {}", said), Type::kLabel);
  }
}

}  // namespace

void choose_parameter(Desk& desk, int direction) {
  const size_t count = shown_parameters(desk).size();
  size_t& chosen = desk.controls.chosen;
  if (count > 0) chosen = (chosen + count + size_t(direction)) % count;
}

void nudge_parameter(Desk& desk, int direction) {
  const auto shown = shown_parameters(desk);
  if (desk.controls.chosen >= shown.size()) return;
  const ParameterSpec& spec = *shown[desk.controls.chosen];
  if (spec.kind == ParameterKind::kText && spec.choices.empty()) return;
  if (!spec.choices.empty()) {
    const auto now = std::ranges::find(spec.choices, desk.drafted().text(spec.name));
    const auto count = static_cast<ptrdiff_t>(spec.choices.size());
    const ptrdiff_t next = std::clamp<ptrdiff_t>(now - spec.choices.begin() + direction, 0, count - 1);
    return desk.set(spec.name, spec.choices[size_t(next)]);
  }
  desk.set(spec.name, text_of(spec, notch(spec, number_of(spec, desk.drafted()), direction)));
}

namespace {

// The live panel at the bottom of Watch; what is above it. Controls keep a part of the height, with readouts
// what they need of a half: the live panel leaves out what says least, and they would be cut.
Rect above_live(Desk& desk, const Rect& rect) {
  if (desk.step() != Step::kWatch || desk.guessing.keeps_quiet(desk.step())) return rect;
  constexpr float kLeast = 0.5f, kMost = 0.62f;
  const float left =
      std::clamp(rect.height() - desk.controls.height, rect.height() * kLeast, rect.height() * kMost);
  const float wanted = desk.live.height() + px(26), most = std::round(left);
  const float cut = rect.max.y - std::clamp(wanted, px(1), most);
  const Area area("live", {{rect.min.x, cut}, rect.max}, desk.live.overflows(), 12);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, px(8, 1));
  View view = desk.view();
  const std::string picture = [&] {
    const FrameTimeScope time(live_panel_times());
    return desk.live.draw(view, *desk.panel);
  }();
  ImGui::PopStyleVar();
  if (const auto place = desk.panel->picture_called(picture)) desk.panel->show_picture(*place);
  return {rect.min, {rect.max.x, cut}};
}

}  // namespace

void draw_controls(Desk& desk, bool folded) {
  desk.controls.folded = folded;
  const float width = ImGui::GetContentRegionAvail().x;
  const auto shown = shown_parameters(desk);
  size_t& chosen = desk.controls.chosen;
  chosen = std::min(chosen, shown.empty() ? 0 : shown.size() - 1);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, px(8, 5));
  for (size_t i = 0; i < shown.size(); ++i) control(desk, *shown[i], width, i == chosen);
  ImGui::PopStyleVar();
  if (!desk.draft_mistake().empty()) ui::paragraph("✗ " + desk.draft_mistake(), colours().text, Type::kLabel);
  const FontScope font(Type::kLabel);
  if (shown.size() < desk.lesson().parameters.size() || desk.controls.all) {
    const size_t others = desk.lesson().parameters.size() - shown.size();
    const std::string label = desk.controls.all ? tr("fewer")
                              : shown.empty()   ? tr("{} settings", others)
                              : others == 1     ? tr("1 more setting")
                                                : tr("{} more settings", others);
    if (ui::button(label.c_str(), "parameters.more", false, true,
                   tr("all settings of the lesson, or the main ones"), "O"))
      desk.controls.all = !desk.controls.all;
  }
  ImGui::Separator();
}

void draw_inspector(Desk& desk, const Rect& rect) {
  const Area area("inspector", above_live(desk, rect), true, 12);
  draw_controls(desk, false);
  const FontScope font(Type::kLabel);
  if (desk.guessing.keeps_quiet(desk.step())) return own_guesses(desk);
  View view = desk.view();
  desk.panel->readout(view);
  desk.controls.height = ImGui::GetCursorPosY() + px(12);
}

}  // namespace ringside::gui
