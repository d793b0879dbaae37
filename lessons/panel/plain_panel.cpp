// The panel of a lesson that brings none: what every rank holds, and the lesson's series.
#include <algorithm>

#include "ringside/panel/panel.h"
#include "ringside/widgets/block_columns.h"
#include "ringside/widgets/line_plot.h"

namespace ringside {
namespace {

class PlainPanel : public Panel {
 public:
  std::vector<std::string> pictures() const override { return {"memory", "series"}; }
  void show_picture(size_t index) override { picture_ = std::min<size_t>(index, 1); }
  size_t shown_picture() const override { return picture_; }

  void hero(View& view, ImVec2 size) override {
    if (picture_ == 0)
      memory(view, size);
    else
      series(view, size);
  }

 private:
  void memory(View& view, ImVec2 size) {
    ui::BlockColumnsData data;
    data.trace = &view.trace;
    if (view.section != nullptr && view.memory != nullptr) {
      data.memory = view.memory;
      data.time_ns = view.playhead.time_ns;
      data.range_bytes = static_cast<double>(view.memory->highest());
      data.flights = ui::flights_at(*view.section, view.trace, view.playhead.time_ns);
    }
    if (view.run != chosen_in_) chosen_.reset();
    chosen_in_ = view.run;
    data.highlight = chosen_;
    const auto events = columns_.draw("blocks", size, data);
    if (events.clicked) chosen_ = events.clicked;
    if (events.cleared) chosen_.reset();
  }

  void series(View& view, ImVec2 size) {
    std::map<std::string, std::vector<ui::Point>> points;
    if (view.section != nullptr && view.section->ranks() > 0) {
      for (const ScalarEvent& event : view.section->scalars(0))
        points[view.trace.name(event.name)].push_back({static_cast<double>(event.step), event.value});
    }
    const ImU32 hues[] = {ui::colours().parameters, ui::colours().gradients, ui::colours().activations,
                          ui::colours().optimizer};
    std::vector<ui::Series> lines;
    for (const auto& [name, values] : points)
      lines.push_back({name, hues[lines.size() % std::size(hues)], ui::Stroke::kMeasured, values});
    ui::LinePlot::Options options;
    options.x_name = "step";
    plot_.draw("series", size, lines, options);
  }

  size_t picture_ = 0;
  ui::BlockColumns columns_;
  std::optional<ui::BlockId> chosen_;
  uint64_t chosen_in_ = 0;  // the run
  ui::LinePlot plot_;
};

constexpr size_t kMainParameters = 8;

}  // namespace

std::vector<std::string> Panel::main_parameters(const Lesson& lesson) const {
  std::vector<std::string> names;
  for (const ParameterSpec& spec : lesson.parameters) {
    if (names.size() < kMainParameters) names.push_back(spec.name);
  }
  return names;
}

void draw_nothing_yet(const View& view, ImVec2 size) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ui::draw_text_in(*ImGui::GetWindowDrawList(), {at, {at.x + size.x, at.y + size.y}}, ui::colours().dim,
                   view.running ? "The ranks are starting." : "Nothing is recorded. R runs this scenario.",
                   ui::Type::kBody);
  ImGui::Dummy(size);
}

const Guess* guess_of(const View& view, const std::string& prediction) {
  if (view.typed != nullptr && view.typed->prediction == prediction) return view.typed;
  for (const Guess& one : *view.guesses) {
    if (one.prediction == prediction) return &one;
  }
  return nullptr;
}

std::unique_ptr<Panel> make_plain_panel() { return std::make_unique<PlainPanel>(); }

}  // namespace ringside
