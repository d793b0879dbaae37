// What the ZeRO lesson draws.
#include "ringside/panel/panel.h"

#include <fmt/format.h>

#include <algorithm>

#include "panel_parts.h"
#include "ringside/base/units.h"
#include "ringside/widgets/items.h"

namespace ringside::zero_panel {
namespace {

using ui::px;

class ZeroPanel : public Panel {
 public:
  std::vector<std::string> pictures() const override {
    return {"blocks", "traffic", "ring", "bits", "scale"};
  }
  void show_picture(size_t index) override { picture_ = std::min(index, pictures().size() - 1); }
  size_t shown_picture() const override { return picture_; }

  void hero(View& view, ImVec2 size) override {
    keep_up(view);
    if (view.section == nullptr && picture_ < 2) return draw_nothing_yet(view, size);
    switch (picture_) {
      case 0:
        return blocks_.draw(view, size);
      case 1:
        return traffic_.draw(view, size, figures_);
      case 2:
        return ring_.draw(view, size);
      case 3:
        return bits_.draw(view, size);
      default:
        return scale_.draw(view, size);
    }
  }

  std::vector<std::string> main_parameters(const Lesson&) const override {
    return {"stage", "ranks", "precision", "accumulate", "bucket", "link", "reshard", "batch"};
  }
  std::string sentence(View& view) override { return words_at(view); }
  // With stage=all the four of them, one after the other.
  std::string section_of(const Config& config) const override {
    const std::string& stage = config.text("stage");
    return stage == "all" ? "" : stage_name(stage);
  }
  // What plain data parallelism keeps is where every question starts from.
  std::string section_before(const PredictionSpec&) const override { return stage_name(0); }
  size_t picture_for(const PredictionSpec& asked) const override {
    return asked.id.starts_with("sent") ? 1 : 0;
  }
  void focus_picture() override {
    if (picture_ == 0) blocks_.focus();
    if (picture_ == 2) ring_.focus();
  }
  bool worth_watching(const std::string& section) const override { return stage_named(section) >= 0; }
  bool take(View& view, const std::string& parameter, const std::string& value) override {
    if (parameter != "stage") return false;
    const std::string section = stage_name(value);
    if (view.trace.find(section) == nullptr) return false;
    view.wishes.watch = section;
    return true;
  }
  std::string shown_value(View& view, const std::string& parameter) override {
    if (parameter != "stage" || view.section == nullptr || stage_of(*view.section) < 0) return "";
    return std::to_string(stage_of(*view.section));
  }
  std::string invitation(View& view) override {
    constexpr const char* kNumbers[] = {"",
                                        "One rank holds",
                                        "Two ranks hold",
                                        "Three ranks hold",
                                        "Four ranks hold",
                                        "Five ranks hold",
                                        "Six ranks hold",
                                        "Seven ranks hold",
                                        "Eight ranks hold"};
    return fmt::format("{} the same model. How much of this is copies? Drag.",
                       kNumbers[std::clamp<int64_t>(view.config.integer("ranks"), 1, 8)]);
  }

  void readout(View& view) override;
  std::map<std::string, std::string> state() const override { return state_; }

 private:
  void keep_up(View& view);
  void step_figures(View& view, const SectionFigures& figures);
  void sent_bars(const std::vector<Sent>& parts, double unit, double whole);
  void stages(View& view);
  void loss(View& view);

  size_t picture_ = 0;
  Blocks blocks_;
  Traffic traffic_;
  Bits bits_;
  Scale scale_;
  Ring ring_;
  ui::LinePlot loss_;
  std::map<std::string, SectionFigures> figures_;  // by section
  uint64_t figures_of_ = 0;                        // the run
  std::map<std::string, std::string> state_;
};

void ZeroPanel::keep_up(View& view) {
  if (view.run != figures_of_) figures_.clear();
  figures_of_ = view.run;
  for (const SectionView& section : view.trace.sections()) {
    if (stage_of(section) >= 0 || (view.section != nullptr && section.name() == view.section->name()))
      figures_[section.name()].update(view.trace, section);
  }
}

void ZeroPanel::readout(View& view) {
  keep_up(view);
  if (view.section == nullptr) return;
  const SectionFigures& figures = figures_[view.section->name()];
  step_figures(view, figures);
  blocks_.readout(view, figures);
  ImGui::Separator();
  stages(view);
  loss(view);
  state_["chosen"] = blocks_.chosen_name();
}

// "sent 1.69 of 2.25 Ψ" of the step under the playhead, by what it carried.
void ZeroPanel::step_figures(View& view, const SectionFigures& figures) {
  const double unit = psi_of(*view.section) * bytes_per_element(*view.section);
  const auto window = figures.window_at(view.playhead.time_ns);
  if (unit > 0 && window) {
    const auto so_far = figures.sent(window->start_ns, view.playhead.time_ns + 1);
    const auto all = figures.sent(window->start_ns, window->end_ns);
    double now = 0, whole = 0;
    for (const Sent& one : so_far) now += one.bytes / unit;
    for (const Sent& one : all) whole += one.bytes / unit;
    ui::paragraph(fmt::format("step {}: rank 0 sent {:.2f}{} Ψ", window->step, now,
                              window->open ? "" : fmt::format(" of {:.2f}", whole)),
                  ui::Type::kBold);
    ui::mark("sent");
    sent_bars(so_far, unit, std::max(whole, 2.25));
    state_["sent"] = fmt::format("{:.4f}", now);
    state_["sent_of"] = fmt::format("{:.4f}", whole);
  }
  if (view.memory == nullptr || view.memory->ranks() == 0) return;
  double held = 0;
  for (const Category category : {Category::kParameters, Category::kGradients, Category::kOptimizer})
    held += static_cast<double>(view.memory->total(0, category, view.playhead.time_ns));
  const auto peak = static_cast<double>(view.memory->peak(0, view.playhead.time_ns));
  ui::paragraph(fmt::format("state {}   peak {}", format_mib(held), format_mib(peak)), ui::Type::kLabel);
  state_["state"] = format_mib(held);
}

void ZeroPanel::sent_bars(const std::vector<Sent>& parts, double unit, double whole) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float width = ImGui::GetContentRegionAvail().x, label = px(64), number = px(48), height = px(14);
  for (const Sent& part : parts) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImU32 colour = part.parameters ? ui::colours().parameters : ui::colours().gradients;
    const auto length = static_cast<float>(part.bytes / unit / whole) * (width - label - number);
    ui::draw_text_in(list, {at, {at.x + label, at.y + height}}, ui::colours().dim,
                     fmt::format("{} of {}", ui::code_of(part.op), part.parameters ? "P" : "G"),
                     ui::Type::kLabel, false);
    list.AddRectFilled({at.x + label, at.y + px(2)}, {at.x + label + std::max(1.0f, length), at.y + height},
                       colour, px(2));
    ui::draw_text_in(list, {{at.x + width - number + px(4), at.y}, {at.x + width, at.y + height}},
                     ui::colours().text, fmt::format("{:.2f}", part.bytes / unit), ui::Type::kLabel, false);
    ImGui::Dummy({width, height});
  }
}

// The stages of this run beside each other, as far as they have been measured.
void ZeroPanel::stages(View& view) {
  if (!ImGui::BeginTable("stages", 3, ImGuiTableFlags_SizingStretchProp)) return;
  const ui::FontScope font(ui::Type::kLabel);
  for (const char* title : {"stage", "peak", "sent a step"}) {
    ImGui::TableNextColumn();
    ImGui::TextDisabled("%s", title);
  }
  for (int stage = 0; stage <= 3; ++stage) {
    const std::string name = stage_name(stage);
    const SectionView* section = view.trace.find(name);
    if (section == nullptr) continue;
    const SectionFigures& figures = figures_[name];
    const double unit = psi_of(*section) * bytes_per_element(*section);
    const auto sent = figures.sent_a_step();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(std::to_string(stage).c_str());
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(format_mib(static_cast<double>(figures.peak_bytes())).c_str());
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(sent && unit > 0 ? fmt::format("{:.2f} Ψ", *sent / unit).c_str() : "—");
    state_["peak_" + std::to_string(stage)] = format_mib(static_cast<double>(figures.peak_bytes()));
    if (sent && unit > 0) state_["sent_" + std::to_string(stage)] = fmt::format("{:.4f}", *sent / unit);
  }
  ImGui::EndTable();
}

void ZeroPanel::loss(View& view) {
  const auto points_of = [](const Trace& trace, const SectionView& section) {
    std::vector<ui::Point> points;
    if (section.ranks() == 0) return points;
    const auto scalars = section.scalars(0);
    for (const ScalarEvent& event : scalars) {
      if (trace.name(event.name) == "loss") points.push_back({static_cast<double>(event.step), event.value});
    }
    return points;
  };
  const float height = ImGui::GetContentRegionAvail().y;
  if (height < px(110)) return;
  const auto now = points_of(view.trace, *view.section);
  std::vector<ui::Point> pinned;
  if (view.pinned != nullptr) {
    if (const SectionView* section = view.pinned->trace.find(view.pinned->section))
      pinned = points_of(view.pinned->trace, *section);
  }
  std::vector<ui::Series> series = {{"loss", ui::colours().text, ui::Stroke::kMeasured, now}};
  if (!pinned.empty()) series.push_back({"pinned", ui::colours().dim, ui::Stroke::kPinned, pinned});
  ui::LinePlot::Options options;
  options.x_name = "step";
  options.y_name = "loss";
  const Moment moment = moment_at(view.trace, *view.section, view.playhead.time_ns);
  if (moment.step >= 0) options.cursor = static_cast<double>(moment.step);
  loss_.draw("loss", {ImGui::GetContentRegionAvail().x, std::min(height, px(220))}, series, options);
}

}  // namespace
}  // namespace ringside::zero_panel

namespace ringside::lessons::zero {

std::unique_ptr<Panel> make_panel() { return std::make_unique<zero_panel::ZeroPanel>(); }

}  // namespace ringside::lessons::zero
