// Sections that show how something ends: the fixes of act 1, a case's fix and its check.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "names.h"
#include "panel_parts.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
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

// "deadline 3.0 s: timeout after 3.0 s"
std::string outcome_words(const SectionView& section) {
  const auto deadline = number_in(section, nccl_lesson::kDeadlineMs);
  const std::string ended = ended_words(section);
  const std::string how = ended.empty() ? tr("still runs") : ended;
  return deadline ? tr("deadline {}: {}", format_duration(*deadline / 1000), how) : how;
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

Outcomes::Way Outcomes::way_to(const View& view, const std::string& section, std::vector<std::string> words) {
  const bool comes = view.trace.find(section) != nullptr || view.running;
  words.push_back("faults=none");
  const std::string line = comes ? "" : view.config.with(words).scenario();
  return [this, section, comes, line](Wishes& wishes) {
    awaited_ = section;  // update() watches it as soon as it is there
    if (!comes) wishes.scenario = line;
  };
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
  if (asks(view, "timeout_x3")) return ui::paragraph(tr("Guess first, then try it."), ui::colours().dim);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(tr("What do you try?").c_str());
  for (const Fix& fix : kFixes) {
    ui::beside(ui::text_width(Type::kBody, fix.label) + 2 * ImGui::GetStyle().FramePadding.x);
    const std::string name = fix.name, section = "fix " + name;
    const bool searches = name == "rank" && scene.opened->open();
    const bool shown = searches ? scene.opened->searching : scene.section.name() == section;
    if (!ui::button(fix.label, "fix." + name, shown)) continue;
    led_ = true;
    if (searches) {  // it is found by looking, not by a button
      scene.opened->searching = true;
      if (scene.section.name() != "symptom") go_to(view, "symptom", {"act=1"});
      continue;
    }
    tried_.insert(name);
    go_to(view, section, {"act=1", "fix=" + name});
  }
  if (scene.section.name() != "symptom") {
    ui::beside(px(120));
    if (ui::button(tr("as it was").c_str(), "fix.none")) go_to(view, "symptom", {"act=1"});
  }
  list_tried(scene);
}

// "▸ longer timeout: deadline 3.0 s: timeout after 3.0 s", those that were tried.
void Outcomes::list_tried(const Scene& scene) const {
  if (tried_.empty()) return;
  for (const char* name : {"symptom", "fix timeout", "fix outputs", "fix rank"}) {
    const SectionView* section = scene.view.trace.find(name);
    const auto fix = std::find_if(std::begin(kFixes), std::end(kFixes),
                                  [&](const Fix& one) { return std::string("fix ") + one.name == name; });
    if (fix != std::end(kFixes) && !tried_.contains(fix->name)) continue;
    const std::string label = fix == std::end(kFixes) ? tr("as it was") : fix->label;
    const std::string how = section == nullptr ? tr("is still to come") : outcome_words(*section);
    const bool shown = scene.section.name() == name;
    ui::paragraph(tr("{} {}: {}", shown ? "▸" : "·", label, how),
                  shown ? ui::colours().text : ui::colours().dim, Type::kLabel);
    ui::mark(std::string("outcome.") + name);
  }
}

void Outcomes::after_case(const Scene& scene) {
  const int number = case_of(scene.section.name());
  const std::string name = fmt::format("case {}", number);
  const std::vector<std::string> words = {"act=5", fmt::format("case={}", number)};
  bool first = true;
  const auto offer = [&](const std::string& label, const char* mark, const std::string& section, bool primary,
                         const std::string& hint) {
    if (scene.section.name() == section) return;
    if (!std::exchange(first, false))
      ui::beside(ui::text_width(Type::kBody, label) + 2 * ImGui::GetStyle().FramePadding.x);
    if (ui::button(label.c_str(), mark, primary, true, hint)) go_to(scene.view, section, words);
  };
  offer(tr("back to the case"), "case.back", name, true, "");
  if (scene.opened->open()) return;
  offer(tr("run the fix"), "case.fix", name + " fixed", scene.section.name() == name, "");
  offer(tr("check=on"), "case.check", name + " check", false,
        tr("the same bug, with every call compared across the ranks"));
  if (awaited_.starts_with(name))
    ui::paragraph(tr("That part is still to come."), ui::colours().dim, Type::kLabel);
}

namespace {

// What the check did about it, beside the same run without it.
std::string check_words(const SectionView& check, const SectionView* hang) {
  const std::string without = hang == nullptr ? "" : ended_words(*hang);
  if (attribute(check, nccl_lesson::kEnded) != "timeout")
    return without.empty() ? "" : tr("Without the check: silence, then {}.", without);
  const std::string missing = attribute(check, nccl_lesson::kMissing);
  return missing.empty() ? tr("The check compares calls: it found none that differ.")
                         : tr("The check compares calls; rank {} made none. It cannot help here.", missing);
}

}  // namespace

void Outcomes::ended(const Scene& scene) {
  const std::string kind = kind_of(scene.section), how = ended_words(scene.section);
  if (how.empty()) return ui::paragraph(tr("It still runs."), ui::colours().dim);
  const bool well = attribute(scene.section, nccl_lesson::kEnded) == "completed";
  ui::paragraph(fmt::format("{} {}", well ? "✓" : "✗", how), Type::kBold);
  ui::mark("outcome");
  const int number = case_of(scene.section.name());
  if (kind == "check" && number > 0) {
    const std::string words =
        check_words(scene.section, scene.view.trace.find(fmt::format("case {}", number)));
    if (!words.empty()) ui::paragraph(words);
    if (!words.empty()) ui::mark("outcome.check");
  }
  const std::string sentence = attribute(scene.section, nccl_lesson::kSentence);
  if (!sentence.empty()) ui::paragraph(sentence);
  if (is_case(scene)) after_case(scene);
}

}  // namespace ringside::nccl_panel
