#include "panel_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"

namespace ringside::nccl_panel {
namespace {

using namespace nccl_lesson;
using ui::Type;

constexpr int kCasesOfOneLine = 4;
struct Fix {
  const char *name, *label;
};
constexpr Fix kFixes[] = {{"timeout", "longer timeout"},
                          {"outputs", "no hidden states"},
                          {"barrier", "a barrier"},
                          {"rank", "find the missing rank"}};

std::string name_of_case(int number) { return fmt::format("case {}", number); }
std::vector<std::string> words_of_case(int number) {
  return {"act=5", fmt::format("case={}", number), "faults=none"};
}
bool has_ended(const SectionView& section) { return !attribute(section, kEnded).empty(); }

// Today's date as a number: everybody who opens them today has the same four cases.
int64_t seed_of_today() {
  const std::time_t now = std::time(nullptr);
  std::tm today{};
  gmtime_r(&now, &today);
  return (today.tm_year + 1900) * 10000 + (today.tm_mon + 1) * 100 + today.tm_mday;
}

void row(const std::string& label) {
  ui::beside(ui::text_width(Type::kBody, label) + 2 * ImGui::GetStyle().FramePadding.x);
}

}  // namespace

std::string looks_words(size_t looks) {
  return looks == 0 ? tr("no look") : looks == 1 ? tr("1 look") : tr("{} looks", looks);
}

// ---- One investigation ------------------------------------------------------------

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

std::vector<std::string> Investigation::words(const SectionView& section) const {
  std::string list;
  for (const std::string& one : looks) list += (list.empty() ? "" : ",") + one;
  std::vector<std::string> words = {"look=" + (list.empty() ? "none" : list)};
  if (!open()) words.insert(words.end(), {"cause=tell"});
  return words;
}

Investigation* Cases::of(const View& view, const std::string& section) {
  const int number = case_of(section);
  const bool act_one = section == "symptom" || section.starts_with("fix ");
  if (number == 0 && !act_one) return nullptr;
  Investigation& found =
      all_[fmt::format("{} seed {} ranks {}", number, view.config.text("seed"), view.config.text("ranks"))];
  found.by_rank = act_one;
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

void Cases::look(Investigation& opened, const std::string& at) {
  if (!opened.looked(at)) opened.looks.push_back(at);
  show = at == "dump" ? "calls" : at == "verdict" ? "waits" : at;
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
  std::string log = attribute(section, kShownLog);
  if (view.hides("first_bucket") || (view.asked != nullptr && view.asked->id == "first_bucket"))
    log = without_sizes(std::move(log));
  if (attribute(section, kKind) == "hang") {
    ui::paragraph(log.empty() ? has_ended(section) ? tr("No rank printed a line.")
                                                   : tr("No rank has printed anything yet.")
                              : log,
                  Type::kLabel);
    ui::mark("log");
  }
  if (opened->by_rank) fixes(view, *opened);
  if (!opened->searching || !has_ended(section) || attribute(section, kKind) != "hang")
    return opened->by_rank ? void() : after(view, *opened);
  looks(*opened);
  if (opened->open()) naming(view, *opened);
  verdict(view, *opened);
  after(view, *opened);
}

void Cases::fixes(View& view, Investigation& opened) {
  if (view.asked != nullptr && view.asked->id == "timeout_x3")
    return ui::paragraph(tr("Guess first, then try it."), ui::colours().dim);
  ui::paragraph(tr("What do you try?"));
  for (const Fix& fix : kFixes) {
    if (&fix != kFixes) row(fix.label);
    const std::string name = fix.name, section = "fix " + name;
    const bool searches = name == "rank" && opened.open();
    const bool shown = searches ? opened.searching : view.section->name() == section;
    if (!ui::button(fix.label, "fix." + name, shown)) continue;
    led_ = true;
    show = "outcomes";
    if (searches) {  // it is found by looking, not by a button
      opened.searching = true;
      show = "calls";
      if (view.section->name() != "symptom") way_to(view, "symptom", {"act=1"})(view.wishes);
      continue;
    }
    tried.insert(name);
    way_to(view, section, {"act=1", "fix=" + name, "faults=none"})(view.wishes);
  }
  if (view.section->name() == "symptom") return;
  row(tr("as it was"));
  if (ui::button(tr("as it was").c_str(), "fix.none")) way_to(view, "symptom", {"act=1"})(view.wishes);
}

void Cases::looks(Investigation& opened) {
  ui::paragraph(tr("Look at ({} used)", looks_words(opened.looks.size())));
  for (const char* name : kLooks) {
    const std::string label = (opened.looked(name) ? "✓ " : "") + std::string(name);
    if (name != kLooks[0]) row(label);
    if (ui::button(label.c_str(), std::string("look.") + name, false, !opened.looked(name),
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
    if (r > 0) row(id);
    if (ui::button(id.c_str(), "culprit=" + id, opened.rank == id)) opened.rank = id;
  }
  const auto options = split(attribute(*view.section, kOptions), ','),
             words = split(attribute(*view.section, kOptionWords), '|');
  if (!opened.by_rank) ui::paragraph(tr("What did it do?"));
  const ui::FontScope font(Type::kLabel);
  const float room = ImGui::GetContentRegionAvail().x - 2 * ImGui::GetStyle().FramePadding.x;
  for (size_t i = 0; !opened.by_rank && i < std::min(options.size(), words.size()); ++i)
    if (ui::button(ui::elide(words[i], room, Type::kLabel).c_str(), "cause." + options[i],
                   opened.cause == options[i], true, words[i]))
      opened.cause = options[i];
  if (opened.rank != rank || opened.cause != cause) opened.verdict = Answered::kNothing;
  if (ui::button(tr("Check my answer").c_str(), "answer", true, opened.is_whole(),
                 tr("name a rank and what it did")))
    opened.answer(*view.section);
  if (opened.tries == 0) return;
  row(tr("Show the answer"));
  if (ui::button(tr("Show the answer").c_str(), "tell")) opened.told = true;
}

void Cases::verdict(View& view, const Investigation& opened) {
  const std::string says = attribute(*view.section, kSays),
                    truth = tr("rank {} {}", attribute(*view.section, kCulprit), says);
  std::string text;
  if (opened.right)
    text = tr("✓ Right: {}; {}.", truth, opened.solved_words());
  else if (opened.told)
    text = tr("— It was this: {}.", truth);
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
  const std::string name = name_of_case(number);
  const auto offer = [&](const std::string& label, const char* mark, const std::string& section) {
    if (view.section->name() == section) return;
    if (ui::button(label.c_str(), mark, section.ends_with("fixed"))) {
      way_to(view, section, words_of_case(number))(view.wishes);
      show = "outcomes";
    }
  };
  offer(tr("back to the case"), "case.back", name);
  if (opened.open()) return;
  offer(tr("run the fix"), "case.fix", name + " fixed");
  offer(tr("check=on"), "case.check", name + " check");
  if (awaited_.starts_with(name))
    ui::paragraph(tr("That part is still to come."), ui::colours().dim, Type::kLabel);
}

// ---- What the next button does -------------------------------------------------------

int Cases::solved(const View& view) {
  int count = 0;
  for (int number = 1; number <= kCasesOfOneLine; ++number)
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
  for (const char* name : kLooks)
    if (!opened.looked(name))
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
  if (opened->by_rank) return next_of_act_one(view, *opened);
  const int number = case_of(section);
  const std::string name = name_of_case(number);
  const auto way = [&](const std::string& to) { return way_to(view, to, words_of_case(number)); };
  if (opened->open())
    return section == name ? next_look(view, *opened) : NextAct{tr("back to the case ▸"), way(name)};
  if (!opened->seen.contains("fixed")) return NextAct{tr("run the fix ▸"), way(name + " fixed")};
  if (!opened->seen.contains("check")) return NextAct{tr("the same with check=on ▸"), way(name + " check")};
  for (int step = 1; number <= kCasesOfOneLine && step < kCasesOfOneLine; ++step) {
    const int other = (number - 1 + step) % kCasesOfOneLine + 1;
    if (of(view, name_of_case(other))->open())
      return NextAct{tr("next case ▸ ({} of {} solved)", solved(view), kCasesOfOneLine),
                     way_to(view, name_of_case(other), words_of_case(other))};
  }
  const int64_t seed = seed_of_today();
  if (number == kCasesOfOneLine || view.config.integer("seed") == seed || number > kCasesOfOneLine) {
    const int other = number < kCasesOfOneLine || number == 13 ? 5 : number + 1;
    return NextAct{tr("case {} ▸", other), way_to(view, name_of_case(other), words_of_case(other))};
  }
  const std::string line = view.config.with({"act=5", "case=all", fmt::format("seed={}", seed)}).scenario();
  return NextAct{tr("today's four cases ▸ (seed {})", seed),
                 [line](Wishes& wishes) { wishes.scenario = line; }};
}

std::optional<NextAct> Cases::next_of_act_one(View& view, Investigation& opened) {
  const auto way = [&](const std::string& section, std::vector<std::string> words) {
    return way_to(view, section, std::move(words));
  };
  if (!opened.open()) {
    if (opened.seen.contains("fixed")) return std::nullopt;
    return NextAct{tr("run the fix ▸"), way("fix rank", {"act=1", "fix=rank"})};
  }
  for (const Fix& fix : kFixes) {
    const std::string name = fix.name;
    if (name == "rank" || opened.searching || tried.contains(name)) continue;
    return NextAct{tr("try: {} ▸", fix.label), way("fix " + name, {"act=1", "fix=" + name})};
  }
  if (opened.searching && view.section->name() == "symptom") return next_look(view, opened);
  const auto back = way("symptom", {"act=1"});
  return NextAct{tr("find the missing rank ▸"), [&opened, back](Wishes& wishes) {
                   opened.searching = true;
                   back(wishes);
                 }};
}

}  // namespace ringside::nccl_panel
