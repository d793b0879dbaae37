// What the ZeRO lesson draws.
#include <fmt/format.h>

#include <algorithm>

#include "panel_parts.h"
#include "ringside/base/units.h"
#include "ringside/lesson/tr.h"
#include "ringside/widgets/items.h"

namespace ringside::zero_panel {
namespace {

using ui::px;

constexpr const char *kBlocks = "blocks", *kTraffic = "traffic", *kRing = "ring", *kBits = "bits";

class ZeroPanel : public FigurePanel {
 public:
  explicit ZeroPanel(const Lesson& lesson) : FigurePanel(lesson) {}

  std::vector<std::string> main_parameters(const Lesson&) const override {
    return {"stage", "ranks", "precision", "accumulate", "bucket", "link", "reshard", "batch"};
  }
  std::string sentence(View& view) override {
    if (shown_figure()) return FigurePanel::sentence(view);
    see(view);
    if (shown() == kTraffic) return traffic_words(view, indexes_);
    if (shown() == kRing) return ring_words(view);
    return shown() == kBits ? figures_.sentence(view, *figures_.find(kBits)) : words_at(view);
  }
  // With stage=all the four of them, one after the other.
  std::string section_of(const Config& config) const override {
    const std::string& stage = config.text("stage");
    return stage == "all" ? "" : stage_name(stage);
  }
  // A stage is compared with the same stage.
  std::string section_beside(const Config& next, const std::string& pinned) const override {
    const std::string own = section_of(next);
    return own.empty() ? pinned : own;
  }
  // The third step is like those after it: in the first one the optimizer's state is still being made.
  std::optional<Place> opening(const PredictionSpec& asked) const override {
    return asked.section.empty() ? std::nullopt : std::optional(Place{asked.section, 2, "backward"});
  }
  // What plain data parallelism keeps is where every question starts from.
  std::string section_before(const PredictionSpec&) const override { return stage_name(0); }
  size_t picture_for(const PredictionSpec& asked) const override {
    return place_of(asked.id.starts_with("sent") ? kTraffic : kBlocks);
  }
  bool reveals(const PredictionSpec& spec) const override { return Blocks::reveals(spec); }
  void focus_picture() override {
    if (shown() == kBlocks) blocks_.focus();
    if (shown() == kTraffic) traffic_.focus();
    if (shown() == kRing) ring_.focus();
    if (shown() == kBits) bits_.focus();
    FigurePanel::focus_picture();
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
    return fmt::format("{} the same model. How much of this is copies?",
                       kNumbers[std::clamp<int64_t>(view.config.integer("ranks"), 1, 8)]);
  }

  void readout(View& view) override;
  std::map<std::string, std::string> state() const override {
    auto state = FigurePanel::state();
    state.insert(state_.begin(), state_.end());
    bits_.add_state(state);
    return state;
  }
  bool moves() const override {
    return (shown() == kBits && bits_.moves()) || (shown() == kTraffic && traffic_.moving());
  }

 protected:
  std::vector<PictureTab> own_pictures() const override { return {kBlocks, kTraffic, kRing, kBits}; }
  void draw_own(View& view, const std::string& id, ImVec2 size) override {
    if (id == kBits) return bits_.draw(view, size, figures_);
    if (id == kRing) {
      ring_.draw(view, size, view.section ? &indexes_[view.section->name()] : nullptr);
      state_["ring"] = ring_.said();
      return;
    }
    if (view.section == nullptr && (id == kBlocks || view.asked == nullptr))
      return draw_nothing_yet(view, size);
    if (id == kBlocks) {
      blocks_.draw(view, size, indexes_[view.section->name()]);
      state_["called_copies"] = blocks_.called_copies();
      return;
    }
    traffic_.draw(view, size, indexes_);
  }
  void see(View& view) override;

 private:
  void step_figures(View& view, const SectionIndex& index);
  void sent_bars(const std::vector<Sent>& parts, double unit, double whole);
  void small(View& view, const char* figure, float least, float most, bool compared);

  Blocks blocks_;
  Traffic traffic_;
  Bits bits_;
  Ring ring_;
  Indexes indexes_;
  uint64_t indexes_of_ = 0;  // the run
  std::map<std::string, std::string> state_;
};

void ZeroPanel::see(View& view) {
  if (view.run != indexes_of_) indexes_.clear();
  indexes_of_ = view.run;
  traffic_.advance(view);
  for (const SectionView& section : view.trace.sections()) {
    if (stage_of(section) >= 0 || (view.section != nullptr && section.name() == view.section->name()))
      indexes_[section.name()].update(view.trace, section);
  }
}

void ZeroPanel::readout(View& view) {
  see(view);
  if (view.section == nullptr) return;
  const SectionIndex& index = indexes_[view.section->name()];
  step_figures(view, index);
  if (const std::string& link = view.config.text("link"); link != "none")
    ui::paragraph(tr("Link {}: simulated. Each transfer waits as long as that link would take.", link),
                  ui::colours().dim, ui::Type::kLabel);
  blocks_.readout(view, index);
  ImGui::Separator();
  small(view, "stages", px(152), px(152), false);
  small(view, "loss", px(110), px(220), true);
  state_["chosen"] = blocks_.chosen_name();
  state_["chosen_is"] = blocks_.chosen_words();
}

// "sent 1.69 of 2.25 Ψ" of the step under the playhead, by what it carried.
void ZeroPanel::step_figures(View& view, const SectionIndex& index) {
  const double unit = psi_of(*view.section) * bytes_per_element(*view.section);
  const auto window = index.window_at(view.playhead.time_ns);
  const int stage = stage_of(*view.section);
  const bool tells_sent = !view.hides(question_id("sent", stage));
  if (!tells_sent) ui::paragraph(tr("What a step sends: guess first."), ui::colours().dim, ui::Type::kLabel);
  if (unit > 0 && window && tells_sent) {
    const auto so_far = index.sent(window->start_ns, view.playhead.time_ns + 1);
    const auto all = index.sent(window->start_ns, window->end_ns);
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
  if (view.hides(question_id("state", stage)))
    return ui::paragraph(tr("What a rank keeps: guess first."), ui::colours().dim, ui::Type::kLabel);
  double held = 0;
  for (const Category category : kStateKinds)
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

// Below the readouts, where there is room and the figure is not the hero.
void ZeroPanel::small(View& view, const char* figure, float least, float most, bool compared) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const auto nth = figures_.find(figure);
  if (room.y < least || nth == shown_figure()) return;
  figures_.draw(view, *nth, {room.x, std::min(room.y, most)}, compared);
}

}  // namespace
}  // namespace ringside::zero_panel

namespace ringside::lessons::zero {

std::unique_ptr<Panel> make_panel(const Lesson& lesson) {
  return std::make_unique<zero_panel::ZeroPanel>(lesson);
}

}  // namespace ringside::lessons::zero
