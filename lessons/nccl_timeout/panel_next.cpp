// What the next button does in acts and cases: look, answer, run the fix, open the next case.
#include <fmt/format.h>

#include <algorithm>

#include "names.h"
#include "panel_parts.h"
#include "ringside/lesson/tr.h"

namespace ringside::nccl_panel {
namespace {

std::vector<std::string> words_of_case(int number) { return {"act=5", fmt::format("case={}", number)}; }
std::string name_of_case(int number) { return fmt::format("case {}", number); }

// A fault plan of the learner's own: the same with and without the check.
NextAct other_check(const View& view) {
  const bool on = view.config.is_on("check");
  const std::string line = view.config.with({on ? "check=off" : "check=on"}).scenario();
  return {on ? tr("the same without the check ▸") : tr("the same with check=on ▸"),
          [line](Wishes& wishes) { wishes.scenario = line; }};
}

}  // namespace

void Sequences::look(Investigation& opened, const std::string& at) {
  opened.look(at);
  if (at == "dump") lanes_.open_hole();
}

int Sequences::solved(const View& view) {
  int count = 0;
  for (int number = 1; number <= kCases; ++number)
    count += investigation(view, name_of_case(number))->right ? 1 : 0;
  return count;
}

int Sequences::next_open_case(const View& view, int after) {
  for (int step = 1; step < kCases; ++step) {
    const int number = (after - 1 + step) % kCases + 1;
    if (investigation(view, name_of_case(number))->open()) return number;
  }
  return 0;
}

bool Sequences::leads(View& view) {
  if (view.section == nullptr) return false;
  if (case_of(view.section->name()) > 0 || view.section->name().starts_with("own")) return true;
  return of_act_one(*view.section) && outcomes_.led();
}

std::optional<NextAct> Sequences::next(View& view) {
  keep_up(view);
  if (view.section == nullptr) return std::nullopt;
  const Scene scene = scene_of(view);
  if (scene.section.name().starts_with("own")) return other_check(view);
  if (scene.opened == nullptr) return std::nullopt;
  return is_case(scene) ? next_of_case(scene) : next_of_act_one(scene);
}

// The answer, once it is whole; until then one more look, and in the end the truth.
std::optional<NextAct> Sequences::next_look(const Scene& scene) {
  Investigation& opened = *scene.opened;
  const SectionView& section = scene.section;
  if (attribute(section, nccl_lesson::kEnded).empty())
    return NextAct{tr("nothing is logged yet"), [](Wishes&) {}};
  if (opened.is_whole() && opened.verdict == Investigation::Verdict::kNone)
    return NextAct{tr("check my answer"), [&opened, &section](Wishes&) { opened.answer(section); }};
  for (const char* name : kLookNames) {
    if (!opened.looked(name))
      return NextAct{tr("look at the {} ▸", name), [this, &opened, name](Wishes&) { look(opened, name); }};
  }
  if (opened.is_whole())
    return NextAct{tr("check my answer"), [&opened, &section](Wishes&) { opened.answer(section); }};
  return NextAct{tr("show the answer"), [&opened](Wishes&) { opened.told = true; }};
}

std::optional<NextAct> Sequences::next_of_case(const Scene& scene) {
  const int number = case_of(scene.section.name());
  const std::string name = name_of_case(number);
  const auto way = [&](const std::string& section) {
    return outcomes_.way_to(scene.view, section, words_of_case(number));
  };
  if (scene.opened->open())
    return scene.section.name() == name ? next_look(scene) : NextAct{tr("back to the case ▸"), way(name)};
  if (!scene.opened->seen.contains("fixed")) return NextAct{tr("run the fix ▸"), way(name + " fixed")};
  if (!scene.opened->seen.contains("check"))
    return NextAct{tr("the same with check=on ▸"), way(name + " check")};
  if (const int other = next_open_case(scene.view, number); other > 0)
    return NextAct{tr("next case ▸ ({} of {} solved)", solved(scene.view), kCases),
                   outcomes_.way_to(scene.view, name_of_case(other), words_of_case(other))};
  const int64_t seed = scene.view.config.integer("seed") + 1;
  const std::string line =
      scene.view.config.with({"act=5", "case=all", fmt::format("seed={}", seed)}).scenario();
  return NextAct{tr("four new cases ▸ (seed {})", seed), [line](Wishes& wishes) { wishes.scenario = line; }};
}

std::optional<NextAct> Sequences::next_of_act_one(const Scene& scene) {
  Investigation& opened = *scene.opened;
  const auto way = [&](const std::string& section, std::vector<std::string> words) {
    return outcomes_.way_to(scene.view, section, std::move(words));
  };
  if (!opened.open()) {
    if (opened.seen.contains("fixed")) return std::nullopt;
    return NextAct{tr("run the fix ▸"), way("fix rank", {"act=1", "fix=rank"})};
  }
  if (!opened.searching && !outcomes_.tried("timeout"))
    return NextAct{tr("try a longer timeout ▸"), way("fix timeout", {"act=1", "fix=timeout"})};
  if (!opened.searching && !outcomes_.tried("outputs"))
    return NextAct{tr("try without hidden states ▸"), way("fix outputs", {"act=1", "fix=outputs"})};
  if (opened.searching && scene.section.name() == "symptom") return next_look(scene);
  const auto back = way("symptom", {"act=1"});
  return NextAct{tr("find the missing rank ▸"), [&opened, back](Wishes& wishes) {
                   opened.searching = true;
                   back(wishes);
                 }};
}

}  // namespace ringside::nccl_panel
