// The timeout lesson in the room: the lesson's figures as tabs, cases that are solved by looking at them, and
// the hole that opens.
#include "ringside/panel/panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "panel_case.h"
#include "ringside/base/units.h"
#include "ringside/figures/svg.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"

namespace ringside::nccl_panel {
namespace {

using namespace nccl_lesson;
using ui::px;
using ui::Type;

constexpr double kClock = 1.0, kThreads = 0.6;  // seconds, one after the other

// Where an act can be seen.
std::string section_of_act(const std::string& act, const std::string& number = "all") {
  if (act == "2") return "plan 7B";
  if (act == "3") return "original";
  if (act == "4") return "live";
  return act == "5" ? "case " + (number == "all" ? "1" : number) : "symptom";
}
std::string first_section(const Config& config) {
  if (config.text("faults") != "none") return "own";
  const std::string &act = config.text("act"), &fix = config.text("fix");
  // Act 1's missing rank is found by looking, so that its fix begins with the symptom.
  if (act == "1" && fix != "all" && fix != "rank") return "fix " + fix;
  return section_of_act(act, config.text("case"));
}
std::string picture_of_act(const std::string& act) {
  if (act == "2") return "tensor";
  if (act == "3") return "memory";
  return act == "4" ? "bucket" : act == "1" ? "outcomes" : "calls";
}

class TimeoutPanel final : public FigurePanel {
 public:
  explicit TimeoutPanel(const Lesson& lesson) : FigurePanel(lesson), lesson_(lesson) {}

  size_t picture_for(const PredictionSpec&) const override { return place_of("log"); }
  size_t picture_after(const PredictionSpec& asked) const override {
    if (asked.id == "parity") return place_of("tensor");
    if (asked.id == "what" || asked.id == "first_bucket") return place_of("bucket");
    if (asked.id == "timeout_x3") return place_of("outcomes");
    if (asked.id == "gathered_bytes") return place_of("memory");
    return asked.id == "numel_in" ? place_of("calls") : place_of("numbers");
  }
  void focus_picture() override {
    if (shown() == "bucket") return bucket_.focus();
    if (const auto nth = figures_.find(shown())) figures_.focus(*nth);
  }
  std::vector<std::string> main_parameters(const Lesson&) const override {
    return {"act", "case", "ranks", "deadline", "seed"};
  }
  bool folds_controls(View& view) override {
    const Investigation* opened = cases_.of(view);
    return opened != nullptr && opened->searching && opened->open();
  }
  void readout(View& view) override {
    on(view, [&](View& seen) { figures_.readouts(seen); });
    cases_.inspector(view);
    card_button(view);
  }
  std::string sentence(View& view) override {
    std::string text;
    const auto nth = figures_.find(shown());
    if (nth) on(view, [&](View& seen) { text = figures_.sentence(seen, *nth); });
    return text;
  }
  bool has_csv(View& view) override {
    const auto nth = figures_.find(shown());
    return nth && shown() != "bucket" && figures_.has_csv(view, *nth);
  }
  std::string csv(View&) override { return figures_.csv(*figures_.find(shown())); }

  std::string section_of(const Config& config) const override { return first_section(config); }
  std::string section_before(const PredictionSpec&) const override { return "symptom"; }
  // Fixes and checks are watched when somebody asks for them.
  bool worth_watching(const std::string& section) const override {
    return !section.starts_with("fix ") && !tells(section) && !section.ends_with(" in turns") &&
           !section.starts_with("plan");
  }
  bool offers(View& view, const std::string& section) override {
    const Investigation* opened = cases_.of(view, section);
    return opened == nullptr || !tells(section) || !opened->open();
  }
  std::string timeline_closed(View& view) override {
    if (view.section == nullptr) return "";
    if (attribute(*view.section, kKind) == "plan") return tr("Nothing runs in this part: it is arithmetic.");
    if (view.asked != nullptr && view.asked->id == "what")
      return tr("The timeline shows what the ranks send: it opens after the guess.");
    const Investigation* opened = cases_.of(view);
    if (opened == nullptr || opened->looked("dump") || !opened->open()) return "";
    return tr("The timeline shows what every rank does: it opens with the dump, which is a look.");
  }
  // An act that is recorded is gone to; nothing runs anew.
  bool take(View& view, const std::string& parameter, const std::string& value) override {
    if (parameter != "act" || value == "all" || view.trace.find(section_of_act(value)) == nullptr)
      return false;
    go_to_act(value, view.wishes);
    return true;
  }
  std::string shown_value(View& view, const std::string& parameter) override {
    return parameter == "act" && view.config.text("act") == "all" ? act_of(view) : "";
  }
  std::optional<NextAct> next_act(View& view) override;
  std::optional<std::string> record(View& view) override;
  void draw_record(View& view, ImVec2 size) override;
  bool moves() const override { return opened_at_ >= 0 || (shown() == "bucket" && bucket_.moves()); }
  std::string invitation(View& view) override {
    return tr("A training hangs after its first evaluation. The log names {} elements. Of what?",
              view.config.text("logged"));
  }
  std::map<std::string, std::string> state() const override {
    std::map<std::string, std::string> state = state_;
    state["picture"] = shown();
    state["hole"] = opened_at_ < 0 ? "" : threads_ < 0 ? "clock" : "threads";
    bucket_.add_state(state);
    return state;
  }

 private:
  // All of them: a figure is drawn as far as it was looked at.
  std::vector<PictureTab> own_pictures() const override {
    std::vector<PictureTab> tabs;
    for (const FigureSpec& spec : lesson_.figures) tabs.emplace_back(spec.id, spec.title, spec.tab);
    return tabs;
  }
  void see(View& view) override;
  void draw_own(View& view, const std::string& id, ImVec2 size) override;
  template <typename Do>
  void on(View& view, const Do& act);  // with what was looked at as the scenario's words
  void go_to(const std::string& picture) { show_picture(place_of(picture)); }
  void go_to_act(const std::string& act, Wishes& wishes) {
    go_to(picture_of_act(act));
    wishes.watch = section_of_act(act);
  }
  std::string act_of(const View& view) const {
    if (shown() == "tensor" || shown() == "numbers") return "2";
    const std::string act = view.section == nullptr ? "" : attribute(*view.section, kAct);
    return act.size() == 1 ? act : view.config.text("act");
  }
  void draw_clock(const ui::Rect& rect, double part) const;
  void draw_threads(const View& view, size_t figure, double part) const;
  void card_button(View& view);
  void note_state(View& view);

  const Lesson& lesson_;
  Cases cases_;
  BucketPicture bucket_;
  std::optional<Config> looked_at_;
  std::string watched_, scenario_;  // in the frame before
  double opened_at_ = -1, threads_ = -1;
  std::map<std::string, std::string> state_;
};

template <typename Do>
void TimeoutPanel::on(View& view, const Do& act) {
  const Investigation* opened = cases_.of(view);
  const Config config = opened == nullptr ? view.config : view.config.with(opened->words(*view.section));
  if (looked_at_ != config) looked_at_ = config;
  View seen{.lesson = view.lesson,
            .config = *looked_at_,
            .draft = view.draft,
            .trace = view.trace,
            .run = view.run,
            .section = view.section,
            .playhead = view.playhead,
            .memory = view.memory,
            .asked = view.asked,
            .revealing = view.revealing,
            .open = view.open,
            .running = view.running,
            .seconds = view.seconds,
            .wishes = view.wishes};
  act(seen);
}

// Another act or case is another picture, until somebody chooses one.
void TimeoutPanel::see(View& view) {
  if (view.asked != nullptr) cases_.follow_question();
  cases_.update(view);
  const std::string scenario = first_section(view.config) + view.config.text("fix");
  const bool first = scenario_.empty();
  if (std::exchange(scenario_, scenario) != scenario) {
    if (view.config.text("act") == "1" && view.config.text("fix") == "rank") cases_.search(view);
    const bool own = view.config.text("faults") != "none";
    if (!first || first_section(view.config) != "symptom")
      go_to(own ? "calls" : picture_of_act(view.config.text("act")));
  }
  const std::string now = view.section == nullptr ? "" : view.section->name();
  if (std::exchange(watched_, now) != now && case_of(now) > 0 && cases_.show.empty()) go_to("calls");
  if (!cases_.show.empty()) go_to(std::exchange(cases_.show, ""));
  if (std::exchange(cases_.hole, false) && ui::look().motion) opened_at_ = ImGui::GetTime();
  note_state(view);
}

void TimeoutPanel::draw_own(View& view, const std::string& id, ImVec2 size) {
  const size_t nth = *figures_.find(id);
  if (id == "bucket" && !figures_.is_closed(view, nth)) return bucket_.draw(view, size);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const double now = ImGui::GetTime() - opened_at_;
  const bool opening = opened_at_ >= 0 && id == "calls" && now < kClock + kThreads;
  if (!opening) opened_at_ = -1;
  threads_ = opening ? now - kClock : -1;
  const size_t drawn = opening && threads_ < 0 ? *figures_.find("time") : nth;
  on(view, [&](View& seen) { figures_.draw(seen, drawn, size); });
  if (opening && threads_ < 0) return draw_clock({at, {at.x + size.x, at.y + size.y}}, now / kClock);
  const Investigation* opened = cases_.of(view);
  if (id == "calls" && (opened == nullptr || opened->looked("dump") || !opened->open()))
    draw_threads(view, nth, opening ? threads_ / kThreads : 1);
}

// What the run waited, as the clock of the source's run shows it.
void TimeoutPanel::draw_clock(const ui::Rect& rect, double part) const {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::string number = tr("{:.0f} s", part * kSourceDeadlineS);
  const float width = ui::text_width(Type::kNumber, number) + px(48),
              high = 2 * ui::line_height(Type::kNumber);
  const ImVec2 middle((rect.min.x + rect.max.x) / 2, (rect.min.y + rect.max.y) / 2);
  const ui::Rect box{{middle.x - width / 2, middle.y - high / 2},
                     {middle.x + width / 2, middle.y + high / 2}};
  list.AddRectFilled(box.min, box.max, ui::colours().raised, px(3));
  ui::draw_text_in(list, box, ui::colours().text, number, Type::kNumber);
  ui::mark("lanes.clock", box.min, box.max);
}

// From the first rank down through each call. Where a rank never called, the thread is cut.
void TimeoutPanel::draw_threads(const View& view, size_t figure, double part) const {
  const auto* boxes = std::get_if<figure::Boxes>(&figures_.shown_value(figure));
  if (boxes == nullptr || view.section == nullptr || view.section->ranks() < 2) return;
  const auto ranks = static_cast<size_t>(view.section->ranks());
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (size_t row = 0; row < boxes->rows.size(); ++row) {
    if (row % ranks == 0 || static_cast<double>(row % ranks) > part * static_cast<double>(ranks)) continue;
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

// Acts and cases lead on by themselves. The whole lesson follows its questions until a case is opened.
std::optional<NextAct> TimeoutPanel::next_act(View& view) {
  if (view.section == nullptr || (view.revealing && !record(view)))
    return std::nullopt;  // Reveal is of a question
  const bool whole = view.config.text("act") == "all" && view.config.text("faults") == "none";
  if (whole && !cases_.leads(view)) return std::nullopt;
  const std::string now = act_of(view);
  if (now.size() != 1 || now == "1" || now == "5") {
    if (auto next = cases_.next(view)) return next;
    if (now != "1") return std::nullopt;
  }
  const std::string next = std::to_string(now[0] - '0' + 1);
  const bool recorded = view.trace.find(section_of_act(next)) != nullptr;
  const std::string line = view.config.with({"act=" + next, "fix=all", "case=all"}).scenario();
  return NextAct{tr("act {} ▸", next), [this, next, recorded, line](Wishes& wishes) {
                   if (recorded) return go_to_act(next, wishes);
                   wishes.scenario = line;
                 }};
}

// ---- How cases were solved -------------------------------------------------------------

std::optional<std::string> TimeoutPanel::record(View& view) {
  const Investigation* opened = cases_.of(view);
  if (opened == nullptr || !opened->searching) return std::nullopt;
  const int number = case_of(view.section->name());
  const std::string what = number > 0 ? tr("Case {}", number) : tr("Act 1");
  return opened->open()
             ? tr("{} is open: {} used. Name the rank in Watch.", what, looks_words(opened->looks.size()))
             : tr("{}: {}.", what, opened->solved_words());
}

// "✓ case 2   solved with 2 looks, at try 2   rank 3 has one batch more than the others"
void TimeoutPanel::draw_record(View& view, ImVec2 size) {
  ImGui::BeginChild("record", size);
  for (int number = 1; number <= 13; ++number) {
    const std::string name = fmt::format("case {}", number);
    const SectionView* section = view.trace.find(name);
    if (section == nullptr) continue;
    const Investigation& opened = *cases_.of(view, name);
    const std::string how = !opened.open()         ? opened.solved_words()
                            : opened.looks.empty() ? tr("not looked at")
                                                   : tr("open, {} used", looks_words(opened.looks.size()));
    const std::string who =
        opened.open() ? "" : tr(": rank {} {}", attribute(*section, kCulprit), attribute(*section, kSays));
    ui::paragraph(tr("{}{}: {}{}", opened.right ? "✓ " : "", name, how, who));
    ui::mark("record." + name);
  }
  card_button(view);
  ImGui::EndChild();
  ui::mark("record");
}

// A solved case as a picture: its lanes, and the line that runs it.
void TimeoutPanel::card_button(View& view) {
  const Investigation* opened = cases_.of(view);
  const int number = view.section == nullptr ? 0 : case_of(view.section->name());
  if (opened == nullptr || !opened->right || number == 0 || tells(view.section->name())) return;
  if (!ui::button(tr("keep as a card").c_str(), "card", false, true,
                  tr("a picture of this case as a file, and its line to the clipboard")))
    return;
  const std::string line = view.config.with({"act=5", fmt::format("case={}", number)}).scenario();
  on(view, [&](View& seen) {
    const FigureSpec& calls = figures_.spec(*figures_.find("calls"));
    const FigureInput input{seen.config, seen.trace, seen.section, seen.playhead.time_ns};
    view.wishes.save = {fmt::format("case {} seed {}.svg", number, view.config.text("seed")),
                        figure::to_svg(tr("case {}, {}, rank {}", number, looks_words(opened->looks.size()),
                                          attribute(*view.section, kCulprit)),
                                       tr("{} The line: ./run {}", attribute(*view.section, kSentence), line),
                                       calls.value(input))};
  });
  view.wishes.copy = line;
}

void TimeoutPanel::note_state(View& view) {
  constexpr const char* kVerdicts[] = {"none", "right", "only rank", "only cause", "wrong"};
  state_ = {{"ended", view.section == nullptr ? "" : attribute(*view.section, kEnded)}};
  for (const std::string& fix : cases_.tried) state_["tried"] += (state_["tried"].empty() ? "" : ",") + fix;
  const Investigation* opened = cases_.of(view);
  state_["lanes"] = opened == nullptr || opened->looked("dump") || !opened->open() ? "all" : "one";
  if (opened == nullptr) return;
  state_["case"] = std::to_string(case_of(view.section->name()));
  state_["looks"] = std::to_string(opened->looks.size());
  state_["tries"] = std::to_string(opened->tries);
  state_["verdict"] = kVerdicts[static_cast<int>(opened->verdict)];
  state_["solved"] = std::to_string(cases_.solved(view));
}

}  // namespace
}  // namespace ringside::nccl_panel

namespace ringside::lessons::nccl_timeout {

std::unique_ptr<Panel> make_panel(const Lesson& lesson) {
  return std::make_unique<nccl_panel::TimeoutPanel>(lesson);
}

}  // namespace ringside::lessons::nccl_timeout
