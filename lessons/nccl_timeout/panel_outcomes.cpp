// Sections that show how something ends: the fixes of act 1, a case's fix and its check.
#include <fmt/format.h>

#include <algorithm>

#include "names.h"
#include "panel_parts.h"
#include "ringside/base/units.h"
#include "ringside/widgets/items.h"

namespace ringside::nccl_panel {
namespace {

using ui::px;
using ui::Type;

struct Fix {
  const char *name, *label;
};
constexpr Fix kFixes[] = {
    {"timeout", "longer timeout"}, {"outputs", "no hidden states"}, {"rank", "find the missing rank"}};
constexpr int kCases = 4;

// "deadline 3.0 s: timeout after 3.0 s"
std::string outcome_words(const SectionView& section) {
  const auto deadline = number_in(section, nccl_lesson::kDeadlineMs);
  const std::string ended = ended_words(section);
  return fmt::format("{}{}", deadline ? fmt::format("deadline {}: ", format_duration(*deadline / 1000)) : "",
                     ended.empty() ? "still runs" : ended);
}

}  // namespace

void Outcomes::update(View& view) {
  if (view.section != nullptr && view.section->name().starts_with("fix "))
    tried_.insert(view.section->name().substr(4));
  if (awaited_.empty() || view.trace.find(awaited_) == nullptr) return;
  view.wishes.watch = awaited_;
  awaited_.clear();
}

std::string Outcomes::tried() const {
  std::string text;
  for (const std::string& fix : tried_) text += (text.empty() ? "" : ",") + fix;
  return text;
}

// To a section that is recorded, or comes, or else to a run that has it.
void Outcomes::go_to(View& view, const std::string& section, std::vector<std::string> words) {
  awaited_ = section;
  if (view.trace.find(section) != nullptr || view.running) return update(view);
  words.push_back("faults=none");
  view.wishes.scenario = view.config.with(words).scenario();
}

void Outcomes::cases(const Scene& scene) {
  const int now = case_of(scene.section.name());
  std::vector<std::string> names;
  std::vector<const char*> labels;
  for (int k = 1; k <= kCases; ++k) names.push_back(fmt::format("case {}", k));
  for (const std::string& name : names) labels.push_back(name.c_str());
  int chosen = now - 1;
  const float width = std::min(ImGui::GetContentRegionAvail().x, px(300));
  if (!ui::choice_row("case", labels.data(), kCases, chosen, width)) return;
  go_to(scene.view, names[static_cast<size_t>(chosen)], {"act=5", fmt::format("case={}", chosen + 1)});
}

void Outcomes::fixes(const Scene& scene) {
  View& view = scene.view;
  if (asks(view, "timeout_x3")) return ui::paragraph("Guess first, then try it.", ui::colours().dim);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("What do you try?");
  for (const Fix& fix : kFixes) {
    ui::beside(ui::text_width(Type::kBody, fix.label) + 2 * ImGui::GetStyle().FramePadding.x);
    const std::string section = std::string("fix ") + fix.name;
    if (ui::button(fix.label, std::string("fix.") + fix.name, scene.section.name() == section)) {
      tried_.insert(fix.name);
      go_to(view, section, {"act=1", std::string("fix=") + fix.name});
    }
  }
  if (scene.section.name() != "symptom") {
    ui::beside(px(120));
    if (ui::button("as it was", "fix.none")) go_to(view, "symptom", {"act=1"});
  }
  if (tried_.empty()) return;
  for (const char* name : {"symptom", "fix timeout", "fix outputs", "fix rank"}) {
    const SectionView* section = view.trace.find(name);
    const auto fix = std::find_if(std::begin(kFixes), std::end(kFixes),
                                  [&](const Fix& one) { return std::string("fix ") + one.name == name; });
    if (fix != std::end(kFixes) && !tried_.contains(fix->name)) continue;
    const std::string label = fix == std::end(kFixes) ? "as it was" : fix->label;
    const std::string how = section == nullptr ? "is still to come" : outcome_words(*section);
    const bool shown = scene.section.name() == name;
    ui::paragraph(fmt::format("{} {}: {}", shown ? "▸" : "·", label, how),
                  shown ? ui::colours().text : ui::colours().dim, Type::kLabel);
    ui::mark(std::string("outcome.") + name);
  }
}

void Outcomes::after_case(const Scene& scene) {
  const int number = case_of(scene.section.name());
  const std::string name = fmt::format("case {}", number);
  const std::vector<std::string> words = {"act=5", fmt::format("case={}", number)};
  if (scene.section.name() != name) {
    if (ui::button("back to the case", "case.back", true)) go_to(scene.view, name, words);
    if (scene.opened->open()) return;
    ImGui::SameLine();
  }
  if (scene.section.name() != name + " fixed") {
    if (ui::button("run the fix", "case.fix", scene.section.name() == name))
      go_to(scene.view, name + " fixed", words);
    ImGui::SameLine();
  }
  if (scene.section.name() != name + " check" &&
      ui::button("check=on", "case.check", false, true, "the same bug, with every call compared"))
    go_to(scene.view, name + " check", words);
  else if (scene.section.name() == name + " check")
    ImGui::NewLine();
  if (awaited_.starts_with(name))
    ui::paragraph("That part is still to come.", ui::colours().dim, Type::kLabel);
}

void Outcomes::ended(const Scene& scene) {
  const std::string kind = kind_of(scene.section), how = ended_words(scene.section);
  if (how.empty()) return ui::paragraph("It still runs.", ui::colours().dim);
  const bool well = attribute(scene.section, nccl_lesson::kEnded) == "completed";
  std::string text = fmt::format("{} {}", well ? "✓" : "✗", how);
  const int number = case_of(scene.section.name());
  const SectionView* hang = number > 0 ? scene.view.trace.find(fmt::format("case {}", number)) : nullptr;
  if (kind == "check" && hang != nullptr)
    text += fmt::format(". Without the check: silence, then {}", ended_words(*hang));
  ui::paragraph(text, Type::kBold);
  ui::mark("outcome");
  const std::string sentence = attribute(scene.section, nccl_lesson::kSentence);
  if (!sentence.empty()) ui::paragraph(sentence);
  if (scene.opened != nullptr) after_case(scene);
}

}  // namespace ringside::nccl_panel
