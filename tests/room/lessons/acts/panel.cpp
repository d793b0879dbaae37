// With stage=1 the lesson is at a case: the panel says what comes next, and how it was solved.
#include "ringside/panel/panel.h"

#include "ringside/widgets/items.h"

namespace ringside::lessons::acts {
namespace {

bool at_case(const View& view) { return view.config.text("stage") == "1"; }

class ActsPanel : public Panel {
 public:
  void hero(View& view, ImVec2 size) override {
    if (view.section == nullptr) return draw_nothing_yet(view, size);
    ImGui::Dummy(size);
  }
  std::string sentence(View& view) override { return view.section == nullptr ? "" : view.section->name(); }
  std::optional<Place> opening(const PredictionSpec& asked) const override {
    return Place{asked.section, 2, "backward"};
  }
  std::string section_of(const Config& config) const override {
    return config.text("stage") == "all" ? "" : "stage " + config.text("stage");
  }
  std::string section_beside(const Config& next, const std::string& pinned) const override {
    return section_of(next).empty() ? pinned : section_of(next);
  }
  std::optional<NextAct> next_act(View& view) override {
    if (!at_case(view)) return std::nullopt;
    return NextAct{"next case ▸ (1 of 2 solved)",
                   [](Wishes& wishes) { wishes.set.emplace_back("stage", "0"); }};
  }
  std::optional<std::string> record(View& view) override {
    return at_case(view) ? std::optional<std::string>("Solved with 1 look.") : std::nullopt;
  }
  void draw_record(View&, ImVec2) override {
    ImGui::TextUnformatted("1 look, 1 try");
    ui::mark("record");
  }
};

}  // namespace

std::unique_ptr<Panel> make_panel(const Lesson&) { return std::make_unique<ActsPanel>(); }

}  // namespace ringside::lessons::acts
