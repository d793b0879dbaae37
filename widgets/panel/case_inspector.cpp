// What a person found out of a case, and the buttons for it: fixes, looks, the answer.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ringside/figures/hang.h"
#include "ringside/lesson/tr.h"
#include "ringside/panel/case_panel.h"
#include "ringside/trace/hang_rows.h"
#include "ringside/trace/measure.h"
#include "ringside/widgets/items.h"

namespace ringside {
namespace {

using ui::Type;

bool has_ended(const SectionView& section) { return !attribute(section, kEnded).empty(); }

// A button that follows the one before in its row; the first one begins it.
bool in_row(bool first, const std::string& label, const std::string& mark, bool on = false,
            bool enabled = true, const std::string& hint = "") {
  if (!first) ui::beside(ui::text_width(Type::kBody, label) + 2 * ImGui::GetStyle().FramePadding.x);
  return ui::button(label.c_str(), mark, on, enabled, hint);
}

}  // namespace

// ---- One investigation ------------------------------------------------------------

bool Investigation::looked(const std::string& at) const { return std::ranges::count(looks, at) > 0; }

void Investigation::answer(const SectionView& section) {
  verdict = judge(section, rank, cause, by_rank);
  ++tries;
  right = right || verdict == Answered::kRight;
}

std::string Investigation::solved_words() const {
  const std::string used = looks_words(looks.size());
  if (!right) return tr("shown after {}", used);
  return tries > 1 ? tr("solved with {}, at try {}", used, tries) : tr("solved with {}", used);
}

std::vector<std::string> Investigation::words() const {
  std::vector<std::string> words = {looks.empty() ? "look=none"
                                                  : fmt::format("look={}", fmt::join(looks, ","))};
  if (!open()) words.emplace_back("cause=tell");
  return words;
}

Investigation* Cases::of(const View& view, const std::string& section) {
  const int number = case_of(section);
  if (!is_investigated(section)) return nullptr;
  Investigation& found =
      all_[fmt::format("{} seed {} ranks {}", number, view.config.text("seed"), view.config.text("ranks"))];
  found.by_rank = number == 0;
  found.searching = found.searching || number > 0;
  return &found;
}

void Cases::update(View& view) {
  if (view.section == nullptr) return;
  const std::string& name = view.section->name();
  if (name.starts_with("fix ")) tried.insert(name.substr(4));
  Investigation* opened = of(view);
  if (opened != nullptr && !opened->open()) opened->seen.insert(attribute(*view.section, kKind));
  if (awaited_.empty() || view.trace.find(awaited_) == nullptr) return;
  view.wishes.watch = awaited_;
  awaited_.clear();
}

// To a section that is recorded, or comes, or else to a run that has it.
Cases::Way Cases::way_to(const View& view, const std::string& section, std::vector<std::string> words) {
  const bool is_there = view.trace.find(section) != nullptr;
  const std::string line = is_there || view.running ? "" : view.config.with(words).scenario();
  return [this, section, is_there, line](Wishes& wishes) {
    if (is_there)
      wishes.watch = section;
    else
      awaited_ = section;
    if (!line.empty()) wishes.scenario = line;
  };
}
Cases::Way Cases::way_to_case(const View& view, int number, const std::string& end) {
  return way_to(view, name_of_case(number) + end,
                {"act=" + book_.acts.back().number, fmt::format("case={}", number), "faults=none"});
}

void Cases::look(Investigation& opened, const std::string& at) {
  if (!opened.looked(at)) opened.looks.push_back(at);
  show = figure_of_look(at);
  hole = at == "dump";
}

// ---- The inspector ------------------------------------------------------------------

void Cases::inspector(View& view) {
  Investigation* opened = of(view);
  if (opened == nullptr || view.revealing) return;
  const SectionView& section = *view.section;
  if (tells(section.name()) && opened->open()) {
    ui::paragraph(tr("First find out which rank it was: this part names it."), ui::colours().dim);
    return after(view, *opened);
  }
  const bool hangs = attribute(section, kKind) == "hang";
  if (hangs) {
    std::string log = attribute(section, kShownLog);
    if (view.hides(book_.of_sizes) || (view.asked != nullptr && view.asked->id == book_.of_sizes))
      log = without_sizes(std::move(log));
    if (log.empty())
      log = has_ended(section) ? tr("No rank printed a line.") : tr("No rank has printed anything yet.");
    ui::paragraph(log, Type::kLabel);
    ui::mark("log");
  }
  if (opened->by_rank) fixes(view, *opened);
  if (!opened->searching || !has_ended(section) || !hangs)
    return opened->by_rank ? void() : after(view, *opened);
  looks(*opened);
  if (opened->open()) naming(view, *opened);
  verdict(view, *opened);
  after(view, *opened);
}

void Cases::fixes(View& view, Investigation& opened) {
  if (view.asked != nullptr && view.asked->id == book_.of_fixes)
    return ui::paragraph(tr("Guess first, then try it."), ui::colours().dim);
  ui::paragraph(tr("What do you try?"));
  for (const auto& [name, label] : book_.fixes) {
    const std::string section = "fix " + name;
    const bool searches = name == "rank" && opened.open();
    const bool shown = searches ? opened.searching : view.section->name() == section;
    if (!in_row(name == book_.fixes.front().name, label, "fix." + name, shown)) continue;
    led_ = true;
    show = searches ? "calls" : "outcomes";
    if (searches) {  // it is found by looking, not by a button
      opened.searching = true;
      if (view.section->name() != "symptom") way_to(view, "symptom", {"act=1"})(view.wishes);
      continue;
    }
    tried.insert(name);
    way_to(view, section, {"act=1", "fix=" + name, "faults=none"})(view.wishes);
  }
  if (view.section->name() != "symptom" && in_row(false, tr("as it was"), "fix.none"))
    way_to(view, "symptom", {"act=1"})(view.wishes);
}

void Cases::looks(Investigation& opened) {
  ui::paragraph(tr("Look at ({} used)", looks_words(opened.looks.size())));
  for (const Look& one : kLooks) {
    const std::string name = one.name, label = (opened.looked(name) ? "✓ " : "") + name;
    if (in_row(&one == kLooks, label, "look." + name, false, !opened.looked(name),
               tr("one look more; the picture shows it")))
      look(opened, name);
  }
  ui::mark("looks");
}

void Cases::naming(View& view, Investigation& opened) {
  const std::string rank = opened.rank, cause = opened.cause;
  ui::paragraph(tr("Which rank?"));
  for (int r = 0; r <= view.section->ranks(); ++r) {
    const std::string id = r == view.section->ranks() ? std::string(kNobody) : std::to_string(r);
    if (in_row(r == 0, id, "culprit=" + id, opened.rank == id)) opened.rank = id;
  }
  const auto options = split(attribute(*view.section, kOptions), ','),
             words = split(attribute(*view.section, kOptionWords), '|');
  if (!opened.by_rank) ui::paragraph(tr("What did it do?"));
  const ui::FontScope font(Type::kLabel);
  const float room = ImGui::GetContentRegionAvail().x - 2 * ImGui::GetStyle().FramePadding.x;
  for (size_t i = 0; !opened.by_rank && i < std::min(options.size(), words.size()); ++i)
    if (ui::button(ui::elide(words[i], room).c_str(), "cause." + options[i], opened.cause == options[i], true,
                   words[i]))
      opened.cause = options[i];
  if (opened.rank != rank || opened.cause != cause) opened.verdict = Answered::kNothing;
  if (in_row(true, tr("Check my answer"), "answer", true, opened.is_whole(),
             tr("name a rank and what it did")))
    opened.answer(*view.section);
  if (opened.tries > 0 && in_row(false, tr("Show the answer"), "tell")) opened.told = true;
}

void Cases::verdict(View& view, const Investigation& opened) {
  std::string text;
  if (opened.right)
    text = tr("✓ Right: {}; {}.", truth_of(*view.section), opened.solved_words());
  else if (opened.told)
    text = tr("— It was this: {}.", truth_of(*view.section));
  else if (opened.verdict == Answered::kOnlyRank)
    text = tr("✗ That rank, but it did something else. Collect more evidence.");
  else if (opened.verdict != Answered::kNothing)
    text = tr("✗ Wrong rank: that one was only waiting. Collect more evidence.");
  if (text.empty()) return;
  ui::paragraph(text, Type::kBold);
  ui::mark("verdict");
}

// A case's fix and its check, and the way back.
void Cases::after(View& view, const Investigation& opened) {
  const int number = case_of(view.section->name());
  if (number == 0) return;
  const auto offer = [&](const std::string& label, const char* mark, const std::string& end) {
    if (view.section->name() == name_of_case(number) + end) return;
    if (!ui::button(label.c_str(), mark, end == " fixed")) return;
    way_to_case(view, number, end)(view.wishes);
    show = "outcomes";
  };
  offer(tr("back to the case"), "case.back", "");
  if (opened.open()) return;
  offer(tr("run the fix"), "case.fix", " fixed");
  offer(tr("check=on"), "case.check", " check");
  if (awaited_.starts_with(name_of_case(number))) ui::remark(tr("That part is still to come."));
}

// ---- What the next button does -------------------------------------------------------

int Cases::solved(const View& view) {
  int count = 0;
  for (int number = 1; number <= book_.of_one_line; ++number)
    count += of(view, name_of_case(number))->right ? 1 : 0;
  return count;
}

bool Cases::leads(View& view) {
  if (view.section == nullptr) return false;
  const std::string& name = view.section->name();
  return case_of(name) > 0 || name.starts_with("own") || (of(view) != nullptr && led_);
}

// The answer, once it is whole; until then one more look, and in the end the truth.
std::optional<NextAct> Cases::next_look(View& view, Investigation& opened) {
  const SectionView& section = *view.section;
  if (!has_ended(section)) return NextAct{tr("nothing is logged yet"), [](Wishes&) {}};
  const NextAct check{tr("check my answer"), [&](Wishes&) { opened.answer(section); }};
  if (opened.is_whole() && opened.verdict == Answered::kNothing) return check;
  for (const Look& one : kLooks)
    if (const std::string name = one.name; !opened.looked(name))
      return NextAct{tr("look at the {} ▸", name), [this, &opened, name](Wishes&) { look(opened, name); }};
  if (opened.is_whole()) return check;
  return NextAct{tr("show the answer"), [&](Wishes&) { opened.told = true; }};
}

std::optional<NextAct> Cases::next(View& view) {
  if (view.section == nullptr) return std::nullopt;
  const std::string& section = view.section->name();
  if (section.starts_with("own")) {  // a fault plan of the learner's own: the same with and without the check
    const bool on = view.config.is_on("check");
    const std::string line = view.config.with({on ? "check=off" : "check=on"}).scenario();
    return NextAct{on ? tr("the same without the check ▸") : tr("the same with check=on ▸"),
                   [line](Wishes& wishes) { wishes.scenario = line; }};
  }
  Investigation* opened = of(view);
  if (opened == nullptr) return std::nullopt;
  if (opened->by_rank) return next_of_fixes(view, *opened);
  if (!opened->open()) return next_of_case(view, *opened);
  const int number = case_of(section);
  return section == name_of_case(number) ? next_look(view, *opened)
                                         : NextAct{tr("back to the case ▸"), way_to_case(view, number)};
}

std::optional<NextAct> Cases::next_of_case(View& view, const Investigation& opened) {
  const int number = case_of(view.section->name()), dealt = book_.of_one_line;
  if (!opened.seen.contains("fixed"))
    return NextAct{tr("run the fix ▸"), way_to_case(view, number, " fixed")};
  if (!opened.seen.contains("check"))
    return NextAct{tr("the same with check=on ▸"), way_to_case(view, number, " check")};
  for (int step = 1; number <= dealt && step < dealt; ++step) {
    const int other = (number - 1 + step) % dealt + 1;
    if (of(view, name_of_case(other))->open())
      return NextAct{tr("next case ▸ ({} of {} solved)", solved(view), dealt), way_to_case(view, other)};
  }
  const int64_t seed = seed_of_today();
  if (number >= dealt || view.config.integer("seed") == seed) {
    const int other = number < dealt || number == book_.cases ? dealt + 1 : number + 1;
    return NextAct{tr("case {} ▸", other), way_to_case(view, other)};
  }
  const std::string line =
      view.config.with({"act=" + book_.acts.back().number, "case=all", fmt::format("seed={}", seed)})
          .scenario();
  return NextAct{tr("today's four cases ▸ (seed {})", seed),
                 [line](Wishes& wishes) { wishes.scenario = line; }};
}

std::optional<NextAct> Cases::next_of_fixes(View& view, Investigation& opened) {
  if (!opened.open()) {
    if (opened.seen.contains("fixed")) return std::nullopt;
    return NextAct{tr("run the fix ▸"), way_to(view, "fix rank", {"act=1", "fix=rank"})};
  }
  for (const auto& [name, label] : book_.fixes) {
    if (name == "rank" || opened.searching || tried.contains(name)) continue;
    return NextAct{tr("try: {} ▸", label), way_to(view, "fix " + name, {"act=1", "fix=" + name})};
  }
  if (opened.searching && view.section->name() == "symptom") return next_look(view, opened);
  const auto back = way_to(view, "symptom", {"act=1"});
  return NextAct{tr("find the missing rank ▸"), [&opened, back](Wishes& wishes) {
                   opened.searching = true;
                   back(wishes);
                 }};
}

}  // namespace ringside
