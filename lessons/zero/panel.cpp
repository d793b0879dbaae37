// What the ZeRO lesson draws.
#include "lesson.h"
#include "panel_parts.h"
#include "ringside/panel/memory_picture.h"
#include "ringside/panel/ring_picture.h"
#include "ringside/panel/sweep.h"

namespace ringside::zero_panel {
namespace {

using figure::SectionIndex;

constexpr const char *kBlocks = "blocks", *kTraffic = "traffic", *kRing = "ring";
// What is sent in a step, in Ψ, is the same over short steps and small batches.
const Sweep::Over kOverRanks{
    "ranks", "N", 2, 8, {"stage=all", "steps=1", "batch=8", "tokens=8", "proof=off", "link=none"}};

class ZeroPanel : public FigurePanel {
 public:
  explicit ZeroPanel(const Lesson& lesson) : FigurePanel(lesson) { figures_.complete_by(with_this_room); }

  std::vector<std::string> main_parameters(const Lesson&) const override {
    return {"stage", "ranks", "precision", "accumulate", "bucket", "link", "reshard", "batch"};
  }
  std::string sentence(View& view) override {
    see(view);
    if (shown() == kRing) return ring_words(view);
    if (shown() == kBlocks) return words_at(view);
    return figures_.sentence(view, *figures_.find(shown()));
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
  bool reveals(const PredictionSpec& spec) const override { return blocks_.reveals(spec); }
  void focus_picture() override {
    if (shown() == kBlocks) blocks_.focus();
    if (shown() == kRing) ring_.focus();
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
    const int64_t ranks = view.config.integer("ranks");
    if (ranks == 1) return tr("One rank holds the same model. How much of this is copies?");
    return tr("{} ranks hold the same model. How much of this is copies?", zero_lesson::in_letters(ranks));
  }

  void readout(View& view) override;
  std::map<std::string, std::string> state() const override {
    auto state = FigurePanel::state();
    blocks_.add_state(state);
    state.insert(state_.begin(), state_.end());
    return state;
  }

 protected:
  std::vector<PictureTab> own_pictures() const override {
    std::vector<PictureTab> own = {kBlocks, kRing};
    for (PictureTab& tab : own) tab.group = figures_.spec(0).group;
    return own;
  }
  std::vector<std::string> own_matters(const std::string& id) const override {
    if (id == kRing) return {"::wait for gradients", "::wait for parameters"};
    return {"stage *", "::forward", "::backward"};
  }
  void draw_own(View& view, const std::string& id, ImVec2 size) override {
    const SectionIndex* index = view.section == nullptr ? nullptr : &index_of(*view.section);
    if (id == kBlocks && index == nullptr) return draw_nothing_yet(view, size);
    if (id == kBlocks) return blocks_.draw(view, size, index);
    ring_.draw(view, size, index, asks_what_is_sent(view));
    state_["ring"] = ring_.said();
  }
  void see(View& view) override;

 private:
  SectionIndex& index_of(const SectionView& section) {
    return indexes_.try_emplace(section.name(), zero_lesson::state_width).first->second;
  }
  void follow_click(View& view);

  MemoryPicture blocks_{{.unsharded = stage_name(0), .copies = "copies_stage_0"}};
  RingPicture ring_;
  Sweep sweep_{kOverRanks};
  std::string chosen_;                           // in the figure shown, in the frame before
  std::map<std::string, SectionIndex> indexes_;  // by section
  uint64_t indexes_of_ = 0;                      // the run
  std::map<std::string, std::string> state_;
};

void ZeroPanel::see(View& view) {
  if (view.run != indexes_of_) indexes_.clear();
  indexes_of_ = view.run;
  sweep_.advance(view);
  follow_click(view);
  for (const SectionView& section : view.trace.sections()) {
    if (stage_of(section) >= 0 || (view.section != nullptr && section.name() == view.section->name()))
      index_of(section).update(view.trace, section);
  }
}

// A click, or the keys, on a row of the Adam picture watch its stage; a click on a training whose bits part
// goes down to the bits.
void ZeroPanel::follow_click(View& view) {
  const auto figure = shown_figure();
  const auto* boxes = figure ? std::get_if<figure::Boxes>(&figures_.shown_value(*figure)) : nullptr;
  if (boxes == nullptr) return;
  std::map<std::string, std::string> state;
  figures_.add_state(*figure, state);
  const bool clicked = ImGui::IsMouseClicked(0) && !state["hovered"].empty();
  const bool moved = std::exchange(chosen_, state["chosen"]) != state["chosen"];
  const std::string& place = clicked ? state["hovered"] : moved ? chosen_ : "";
  if (place.empty()) return;
  const size_t row = std::stoul(place), box = std::stoul(place.substr(place.find('.') + 1));
  if (shown() == "adam") {
    const std::string stage = row < boxes->rows.size() / 2 ? "0" : "1";
    if (shown_value(view, "stage") != stage) view.wishes.set.emplace_back("stage", stage);
  } else if (clicked && boxes->rows[row].boxes[box].text == "≠") {
    show_picture(place_of("orders"));
  }
}

void ZeroPanel::readout(View& view) {
  see(view);
  if (shown() == kTraffic) sweep_.button(view, kTraffic);
  if (view.section == nullptr) return;
  const SectionIndex& index = index_of(*view.section);
  if (const std::string& link = view.config.text("link"); link != "none")
    ui::paragraph(tr("Link {}: simulated. Each transfer waits as long as that link would take.", link),
                  ui::colours().dim, ui::Type::kLabel);
  blocks_.readout(view, index);
}

}  // namespace
}  // namespace ringside::zero_panel

namespace ringside::lessons::zero {

std::unique_ptr<Panel> make_panel(const Lesson& lesson) {
  return std::make_unique<zero_panel::ZeroPanel>(lesson);
}

}  // namespace ringside::lessons::zero
