// The timeout lesson's panel alone, before a trace made by hand (nccl_trace.h), and a person in front of it.
#pragma once

#include <catch.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nccl_trace.h"
#include "ringside/panel/panel.h"
#include "windowless.h"

namespace ringside::test {

// A panel before a trace, the inspector beside it, and a person in front of them. Sizes are the picture's.
class Seat {
 public:
  explicit Seat(float width = 1056, float height = 525, float scale = 1, ui::Mode mode = ui::Mode::kDark,
                int ranks = 4)
      : inspector_(312 * scale),
        window_(width * scale + inspector_, height * scale, scale, mode),
        lesson_(find_lesson("nccl_timeout")),
        config_(Config::parse("nccl_timeout", lesson_.parameters, {})),
        trace_(made_store(ranks)->snapshot()),
        panel(make_panel_for(lesson_)) {
    watch("symptom");
    frame();
  }
  void watch(const std::string& name) {
    playhead.section = name;
    memory_ = {};
    const SectionView* section = trace_.find(name);
    REQUIRE(section != nullptr);
    memory_.update(*section);
    playhead.time_ns = time_range(*section).last;
  }
  void frame() {
    Wishes wishes;
    View view = view_of(wishes);
    window_.in_window([&] {
      const ImVec2 room = ImGui::GetContentRegionAvail();
      panel->hero(view, {room.x - inspector_, room.y});
      sentence = panel->sentence(view);
      ImGui::SameLine(0, 0);
      ImGui::BeginChild("inspector", {inspector_, room.y});
      panel->readout(view);
      ImGui::EndChild();
    });
    take(wishes);
  }
  // What the next button says; and a press of it.
  std::string next_label() {
    Wishes wishes;
    View view = view_of(wishes);
    const auto next = panel->next_act(view);
    return next ? next->label : "";
  }
  void next() {
    Wishes wishes;
    View view = view_of(wishes);
    if (const auto next = panel->next_act(view)) next->act(wishes);
    take(wishes);
    frames(2);
  }
  std::string record() {
    Wishes wishes;
    View view = view_of(wishes);
    return panel->record(view).value_or("");
  }
  void frames(int count) {
    for (int i = 0; i < count; ++i) frame();
  }
  // Scrolled into sight as a person would; false where it is not to be touched.
  bool click(const std::string& item) {
    frame();
    const ui::Item* found = ui::find_item(item);
    if (found == nullptr || !found->enabled) return false;
    window_.mouse_to(item);
    frame();
    window_.button(true);
    frame();
    window_.button(false);
    frames(3);
    return true;
  }
  void key(ui::Key key) {
    window_.key(key, true);
    frame();
    window_.key(key, false);
    frame();
  }
  void show(const std::string& picture) {
    const auto all = panel->pictures();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const PictureTab& one) { return one.id == picture; });
    panel->show_picture(static_cast<size_t>(found - all.begin()));
    window_.mouse_to(ImVec2(1, 1));
    frames(3);
  }
  std::string at(const std::string& key) const {
    const auto state = panel->state();
    const auto found = state.find(key);
    return found == state.end() ? "" : found->second;
  }
  std::string faults() const { return window_.faults(); }

 private:
  View view_of(Wishes& wishes) {
    return {.lesson = lesson_,
            .config = config_,
            .draft = config_,
            .trace = trace_,
            .run = 1,
            .section = trace_.find(playhead.section),
            .playhead = playhead,
            .memory = &memory_,
            .asked = asked,
            .wishes = wishes};
  }
  void take(const Wishes& wishes) {
    if (wishes.watch && trace_.find(*wishes.watch) != nullptr) watch(*wishes.watch);
    if (wishes.scenario) scenario = *wishes.scenario;
    if (wishes.save) saved = *wishes.save;
  }

  float inspector_;
  Windowless window_;
  const Lesson& lesson_;
  Config config_;
  Trace trace_;
  ui::MemoryHistory memory_;

 public:
  std::unique_ptr<Panel> panel;
  Playhead playhead;
  const PredictionSpec* asked = nullptr;
  std::string sentence, scenario;
  std::optional<SavedFile> saved;
};

}  // namespace ringside::test
