// The panel of a lesson that brings none: its figures, and what every rank holds where that was recorded.
#include <algorithm>

#include "ringside/lesson/modules.h"
#include "ringside/lesson/tr.h"
#include "ringside/panel/figures.h"
#include "ringside/panel/memory_picture.h"

namespace ringside {
namespace {

constexpr const char *kMemory = "memory", *kSeries = "series";

bool has_memory(const SectionView& section, int rank) {
  return std::ranges::any_of(kCategories,
                             [&](Category category) { return !section.memory(rank, category).empty(); });
}
bool holds_memory(const SectionView& section) { return section.ranks() > 0 && has_memory(section, 0); }
bool has_scalars(const SectionView& section, int rank) { return !section.scalars(rank).empty(); }

bool any_rank(const Trace& trace, bool (*holds)(const SectionView&, int)) {
  for (const SectionView& section : trace.sections()) {
    for (int rank = 0; rank < section.ranks(); ++rank)
      if (holds(section, rank)) return true;
  }
  return false;
}

class PlainPanel : public FigurePanel {
 public:
  explicit PlainPanel(const Lesson& lesson) : FigurePanel(lesson), lesson_(lesson) {}

  // The section that the figure names, until the learner chooses one; of memory the newest that holds some.
  std::string section_of(const Config&) const override {
    const auto figure = shown_figure();
    if (!figure && shown() == kMemory) return with_memory_;
    return figure ? figures_.spec(*figure).section : "";
  }
  bool closes_answers() const override { return figures_.closes_answers(); }
  void focus_picture() override {
    if (shown() == kMemory) memory_.focus();
    FigurePanel::focus_picture();
  }

 protected:
  bool own_come_first() const override { return false; }
  std::vector<PictureTab> own_pictures() const override {
    std::vector<PictureTab> own;
    if (has_memory_)
      own.emplace_back(kMemory, tr("What each rank holds"), tr("by rank")).group = tr("memory");
    if (has_series_ && figures_.size() == 0) own.emplace_back(kSeries);
    return own;
  }
  void draw_own(View& view, const std::string& id, ImVec2 size) override {
    if (view.section == nullptr && view.asked != nullptr)
      figures_.draw_opening(view, size);
    else if (id == kMemory)
      memory_.draw(view, size, nullptr);
    else
      series(view, size);
  }
  // While a run goes on, what the ranks hold stands where the figure shows nothing yet.
  void draw_figure(View& view, size_t nth, ImVec2 size) override {
    constexpr float kLeast = 240;
    const bool waits = view.running && view.asked == nullptr && has_memory_ && size.y > ui::px(kLeast) &&
                       view.section != nullptr && holds_memory(*view.section);
    const std::string why = waits ? figures_.why_nothing(view, nth) : "";
    if (why.empty()) return FigurePanel::draw_figure(view, nth, size);
    const float from = ImGui::GetCursorPosY();
    ui::remark(tr("{} Until then: what each rank holds.", why));
    ui::mark("waiting." + figures_.spec(nth).id);
    memory_.draw(view, {size.x, size.y - (ImGui::GetCursorPosY() - from)}, nullptr);
  }
  // What was recorded once stays until a run has shown that it does not record it.
  void see(View& view) override {
    if (view.run != seen_in_ || view.running) find_memory(view.trace);
    if (view.run == seen_in_ && has_memory_ && has_series_) return;
    const bool memory = any_rank(view.trace, has_memory), scalars = any_rank(view.trace, has_scalars);
    has_memory_ = memory || (has_memory_ && view.running);
    has_series_ = scalars || (has_series_ && view.running);
    seen_in_ = view.run;
  }

 private:
  void find_memory(const Trace& trace) {
    const auto& sections = trace.sections();
    const auto found = std::find_if(sections.rbegin(), sections.rend(), holds_memory);
    with_memory_ = found == sections.rend() ? "" : found->name();
  }
  // What rank 0 recorded, a line a name.
  void series(View& view, ImVec2 size) {
    std::map<std::string, std::vector<figure::Point>> points;
    if (view.section != nullptr && view.section->ranks() > 0) {
      for (const ScalarEvent& event : view.section->scalars(0))
        points[view.trace.name(event.name)].push_back({double(event.step), event.value});
    }
    figure::Lines lines{{lesson_.words.x_axis}, {}, {}};
    uint64_t version = 0;  // counts the points
    for (const auto& [name, values] : points) {
      lines.lines.push_back({name, figure::hue(lines.lines.size()), figure::Stroke::kMeasured, values});
      version += values.size();
    }
    plot_.draw("series", size, lines, {.version = version});
  }

  const Lesson& lesson_;
  bool has_memory_ = false, has_series_ = false;
  uint64_t seen_in_ = 0;     // the run
  std::string with_memory_;  // a section
  MemoryPicture memory_{{}};
  FigureView plot_;
};

constexpr size_t kMainParameters = 8;

}  // namespace

std::vector<std::string> Panel::main_parameters(const Lesson& lesson) const {
  std::vector<std::string> names;
  for (const ParameterSpec& spec : lesson.parameters)
    if (names.size() < kMainParameters) names.push_back(spec.name);
  return names;
}

void draw_nothing_yet(const View& view, ImVec2 size) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ui::draw_text_in(
      *ImGui::GetWindowDrawList(), {at, {at.x + size.x, at.y + size.y}}, ui::colours().dim,
      view.running ? view.lesson.words.starting : tr("Nothing is recorded. R runs this scenario."),
      ui::Type::kBody);
  ImGui::Dummy(size);
}

const Guess* guess_of(const View& view, const std::string& prediction) {
  if (view.typed != nullptr && view.typed->prediction == prediction) return view.typed;
  if (view.asked != nullptr && view.asked->id == prediction) return nullptr;  // another answer is being typed
  for (const Guess& one : *view.guesses)
    if (one.prediction == prediction) return &one;
  return nullptr;
}

std::unique_ptr<Panel> make_plain_panel(const Lesson& lesson) { return std::make_unique<PlainPanel>(lesson); }

std::unique_ptr<Panel> make_panel_for(const Lesson& lesson) {
  if (build_of(lesson.id, kPanel) != Build::kReady) return make_plain_panel(lesson);
  using MakePanel = Panel*(const Lesson&);
  auto* make =
      reinterpret_cast<MakePanel*>(module_function(lesson.id, kPanel, "ringside_make_panel_" + lesson.id));
  return make == nullptr ? make_plain_panel(lesson) : std::unique_ptr<Panel>(make(lesson));
}

}  // namespace ringside
