#include "ringside/panel/case_panel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "ringside/figures/svg.h"
#include "ringside/lesson/tr.h"
#include "ringside/trace/hang_rows.h"
#include "ringside/trace/measure.h"
#include "ringside/widgets/items.h"

namespace ringside {
namespace {

using ui::px;
using ui::Type;

constexpr double kClock = 1.0, kThreads = 0.6;  // seconds, one after the other

}  // namespace

CasePanel::CasePanel(const Lesson& lesson, CaseBook book)
    : FigurePanel(lesson), book_(std::move(book)), cases_(book_) {}

// ---- Acts, and where they can be seen ---------------------------------------------------

const CaseBook::Act* CasePanel::act(const std::string& number) const {
  const auto found = std::ranges::find(book_.acts, number, &CaseBook::Act::number);
  return found == book_.acts.end() ? nullptr : &*found;
}
std::string CasePanel::picture_of_act(const std::string& number) const {
  return act(number) == nullptr ? "calls" : act(number)->picture;
}
void CasePanel::go_to_act(const std::string& number, Wishes& wishes) {
  go_to(picture_of_act(number));
  wishes.watch = act(number)->section;
}
std::string CasePanel::act_of(const View& view) const {
  if (const auto found = book_.act_of_picture.find(shown()); found != book_.act_of_picture.end())
    return found->second;
  const std::string number = view.section == nullptr ? "" : attribute(*view.section, "act");
  return act(number) == nullptr ? view.config.text("act") : number;
}

std::string CasePanel::section_of(const Config& config) const {
  if (config.text("faults") != "none") return "own";
  const std::string &number = config.text("act"), &fix = config.text("fix"), &of_case = config.text("case");
  // The first act's missing rank is found by looking, so that its fix begins with the symptom.
  if (number == book_.acts.front().number && fix != "all" && fix != "rank") return "fix " + fix;
  if (number == book_.acts.back().number && of_case != "all") return "case " + of_case;
  return (act(number) == nullptr ? book_.acts.front() : *act(number)).section;
}

// An act that is recorded is gone to; nothing runs anew.
bool CasePanel::take(View& view, const std::string& parameter, const std::string& value) {
  if (parameter != "act" || act(value) == nullptr || view.trace.find(act(value)->section) == nullptr)
    return false;
  go_to_act(value, view.wishes);
  return true;
}
std::string CasePanel::shown_value(View& view, const std::string& parameter) {
  return parameter == "act" && view.config.text("act") == "all" ? act_of(view) : "";
}

// Fixes and checks are watched when somebody asks for them.
bool CasePanel::worth_watching(const std::string& section) const {
  const auto is_in = [&](const std::string& part) { return section.find(part) != std::string::npos; };
  return !section.starts_with("fix ") && !tells(section) && std::ranges::none_of(book_.quiet, is_in);
}
bool CasePanel::offers(View& view, const std::string& section) {
  const Investigation* opened = cases_.of(view, section);
  return opened == nullptr || !tells(section) || !opened->open();
}

// Acts and cases lead on by themselves. The whole lesson follows its questions until a case is opened.
std::optional<NextAct> CasePanel::next_act(View& view) {
  if (view.section == nullptr || (view.revealing && !record(view)))
    return std::nullopt;  // Reveal is of a question
  const bool whole = view.config.text("act") == "all" && view.config.text("faults") == "none";
  if (whole && !cases_.leads(view)) return std::nullopt;
  const auto now = std::ranges::find(book_.acts, act_of(view), &CaseBook::Act::number);
  const bool is_first = now == book_.acts.begin();
  if (is_first || now == book_.acts.end() || now + 1 == book_.acts.end()) {
    if (auto next = cases_.next(view)) return next;
    if (!is_first) return std::nullopt;
  }
  const CaseBook::Act& next = *(now + 1);
  const bool recorded = view.trace.find(next.section) != nullptr;
  const std::string line = view.config.with({"act=" + next.number, "fix=all", "case=all"}).scenario();
  return NextAct{tr("act {} ▸", next.number), [this, &next, recorded, line](Wishes& wishes) {
                   if (recorded) return go_to_act(next.number, wishes);
                   wishes.scenario = line;
                 }};
}

// ---- Pictures ---------------------------------------------------------------------------

size_t CasePanel::picture_after(const PredictionSpec& asked) const {
  const auto found = book_.picture_after.find(asked.id);
  return found == book_.picture_after.end() ? 0 : place_of(found->second);
}

Config CasePanel::seen_by(const View& view) {
  const Investigation* opened = cases_.of(view);
  return opened == nullptr ? view.config : view.config.with(opened->words());
}
bool CasePanel::shows_all(View& view) {
  const Investigation* opened = cases_.of(view);
  return opened == nullptr || opened->looked("dump") || !opened->open();
}

std::string CasePanel::sentence(View& view) {
  const Config config = seen_by(view);
  View seen = view.with(config);
  return FigurePanel::sentence(seen);
}
std::string CasePanel::timeline_closed(View& view) {
  if (view.section == nullptr) return "";
  if (attribute(*view.section, kKind) == "plan") return tr("Nothing runs in this part: it is arithmetic.");
  if (view.asked != nullptr && view.asked->id == book_.of_timeline)
    return tr("The timeline shows what the ranks send: it opens after the guess.");
  if (shows_all(view)) return "";
  return tr("The timeline shows what every rank does: it opens with the dump, which is a look.");
}

// Another act or case is another picture, until somebody chooses one.
void CasePanel::see(View& view) {
  if (view.asked != nullptr) cases_.follow_question();
  cases_.update(view);
  const std::string &number = view.config.text("act"), &fix = view.config.text("fix");
  const bool first = scenario_.empty(), own = view.config.text("faults") != "none";
  if (const std::string now = section_of(view.config) + fix; std::exchange(scenario_, now) != now) {
    if (number == book_.acts.front().number && fix == "rank") cases_.of(view, "symptom")->searching = true;
    if (!first || section_of(view.config) != "symptom") go_to(own ? "calls" : picture_of_act(number));
  }
  const std::string now = view.section == nullptr ? "" : view.section->name();
  if (std::exchange(watched_, now) != now && case_of(now) > 0 && cases_.show.empty()) go_to("calls");
  if (!cases_.show.empty()) go_to(std::exchange(cases_.show, ""));
  if (std::exchange(cases_.hole, false) && ui::look().motion) opened_at_ = ImGui::GetTime();
  note_state(view);
}

void CasePanel::draw_figure(View& view, size_t nth, ImVec2 size) {
  const std::string& id = figures_.spec(nth).id;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const double now = ImGui::GetTime() - opened_at_;
  const bool opening = opened_at_ >= 0 && id == "calls" && now < kClock + kThreads;
  if (!opening) opened_at_ = -1;
  threads_ = opening ? now - kClock : -1;
  const bool clock = opening && threads_ < 0;
  const Config config = seen_by(view);
  View seen = view.with(config);
  figures_.draw(seen, clock ? *figures_.find("time") : nth, size, false);
  if (clock) return draw_clock({at, {at.x + size.x, at.y + size.y}}, now / kClock);
  if (id == "calls" && shows_all(view)) draw_threads(view, nth, opening ? threads_ / kThreads : 1);
}

// What the run waited, as the clock of the source's run shows it.
void CasePanel::draw_clock(const ui::Rect& rect, double part) const {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::string number = tr("{:.0f} s", part * book_.shown_seconds);
  const float width = ui::text_width(Type::kNumber, number) + px(48),
              high = 2 * ui::line_height(Type::kNumber);
  const ImVec2 middle = rect.middle();
  const ui::Rect box{{middle.x - width / 2, middle.y - high / 2},
                     {middle.x + width / 2, middle.y + high / 2}};
  list.AddRectFilled(box.min, box.max, ui::colours().raised, px(3));
  ui::draw_text_in(list, box, ui::colours().text, number, Type::kNumber);
  ui::mark("lanes.clock", box.min, box.max);
}

// From the first rank down through each call. Where a rank never called, the thread is cut.
void CasePanel::draw_threads(const View& view, size_t figure, double part) const {
  const auto* boxes = std::get_if<figure::Boxes>(&figures_.shown_value(figure));
  if (boxes == nullptr || view.section == nullptr || view.section->ranks() < 2) return;
  const auto ranks = size_t(view.section->ranks());
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (size_t row = 0; row < boxes->rows.size(); ++row) {
    if (row % ranks == 0 || double(row % ranks) > part * double(ranks)) continue;
    for (size_t box = 0; box < boxes->rows[row].boxes.size(); ++box) {
      const ui::Item* from = ui::find_item(fmt::format("figure.calls.{}.{}", row - 1, box));
      const ui::Item* to = ui::find_item(fmt::format("figure.calls.{}.{}", row, box));
      if (from == nullptr || to == nullptr || box >= boxes->rows[row - 1].boxes.size()) continue;
      const bool cut = !boxes->rows[row].boxes[box].filled || !boxes->rows[row - 1].boxes[box].filled;
      const ImVec2 a(from->max.x - px(6), from->max.y - px(3)), b(to->max.x - px(6), to->min.y + px(3));
      cut ? ui::dashed_line(list, a, b, ui::colours().alarm) : list.AddLine(a, b, ui::colours().dim, px(1));
    }
  }
  ui::mark("lanes.threads", list.GetClipRectMin(), list.GetClipRectMax());
}

// ---- Beside the picture, and how cases were solved ----------------------------------------

bool CasePanel::folds_controls(View& view) {
  const Investigation* opened = cases_.of(view);
  return opened != nullptr && opened->searching && opened->open();
}
void CasePanel::readout(View& view) {
  const Config config = seen_by(view);
  View seen = view.with(config);
  figures_.readouts(seen);
  cases_.inspector(view);
  card_button(view);
}

std::optional<std::string> CasePanel::record(View& view) {
  const Investigation* opened = cases_.of(view);
  if (opened == nullptr || !opened->searching) return std::nullopt;
  const int number = case_of(view.section->name());
  const std::string what = number > 0 ? tr("Case {}", number) : tr("Act {}", book_.acts.front().number);
  return opened->open()
             ? tr("{} is open: {} used. Name the rank in Watch.", what, looks_words(opened->looks.size()))
             : tr("{}: {}.", what, opened->solved_words());
}

// "✓ case 2   solved with 2 looks, at try 2   rank 3 has one batch more than the others"
void CasePanel::draw_record(View& view, ImVec2 size) {
  ImGui::BeginChild("record", size);
  for (int number = 1; number <= book_.cases; ++number) {
    const std::string name = name_of_case(number);
    const SectionView* section = view.trace.find(name);
    if (section == nullptr) continue;
    const Investigation& opened = *cases_.of(view, name);
    const std::string how = !opened.open()         ? opened.solved_words()
                            : opened.looks.empty() ? tr("not looked at")
                                                   : tr("open, {} used", looks_words(opened.looks.size()));
    const std::string who = opened.open() ? "" : ": " + truth_of(*section);
    ui::paragraph(tr("{}{}: {}{}", opened.right ? "✓ " : "", name, how, who));
    ui::mark("record." + name);
  }
  card_button(view);
  ImGui::EndChild();
  ui::mark("record");
}

// A solved case as a picture: its lanes, and the line that runs it.
void CasePanel::card_button(View& view) {
  const Investigation* opened = cases_.of(view);
  const int number = view.section == nullptr ? 0 : case_of(view.section->name());
  if (opened == nullptr || !opened->right || number == 0 || tells(view.section->name())) return;
  if (!ui::button(tr("keep as a card").c_str(), "card", false, true,
                  tr("a picture of this case as a file, and its line to the clipboard")))
    return;
  const std::string line =
      view.config.with({"act=" + book_.acts.back().number, fmt::format("case={}", number)}).scenario();
  const Config config = seen_by(view);
  const FigureInput input{config, view.trace, view.section, view.playhead.time_ns};
  view.wishes.save = {fmt::format("case {} seed {}.svg", number, view.config.text("seed")),
                      figure::to_svg(tr("case {}, {}, rank {}", number, looks_words(opened->looks.size()),
                                        attribute(*view.section, kCulprit)),
                                     tr("{} The line: ./run {}", attribute(*view.section, kSentence), line),
                                     figures_.spec(*figures_.find("calls")).value(input))};
  view.wishes.copy = line;
}

void CasePanel::note_state(View& view) {
  constexpr const char* kVerdicts[] = {"none", "right", "only rank", "only cause", "wrong"};
  state_ = {{"ended", view.section == nullptr ? "" : attribute(*view.section, kEnded)},
            {"tried", fmt::format("{}", fmt::join(cases_.tried, ","))},
            {"lanes", shows_all(view) ? "all" : "one"}};
  const Investigation* opened = cases_.of(view);
  if (opened == nullptr) return;
  state_["case"] = std::to_string(case_of(view.section->name()));
  state_["looks"] = std::to_string(opened->looks.size());
  state_["tries"] = std::to_string(opened->tries);
  state_["verdict"] = kVerdicts[int(opened->verdict)];
  state_["solved"] = std::to_string(cases_.solved(view));
}
std::map<std::string, std::string> CasePanel::state() const {
  std::map<std::string, std::string> state = FigurePanel::state();
  for (const auto& [name, value] : state_) state[name] = value;
  state["picture"] = shown();
  state["hole"] = opened_at_ < 0 ? "" : threads_ < 0 ? "clock" : "threads";
  return state;
}

}  // namespace ringside
