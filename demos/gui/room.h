// The study room without its window: everything that is drawn and kept. The window
// (or a test without one) calls frame() between ImGui::NewFrame() and Render().
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ringside/widgets/look.h"

namespace ringside::gui {

struct RoomOptions {
  std::string lesson;                             // "": the last one visited, or the first
  std::vector<std::string> words;                 // of the scenario: "stage=3"
  std::optional<std::filesystem::path> trace;     // a saved trace to open instead of a run
  std::optional<std::filesystem::path> training;  // the folder of a training to follow; no lesson runs
  std::vector<std::string> autopsy;               // what a job left, to be told at once; no lesson runs
  std::filesystem::path data_folder;              // progress.json; empty: nothing is remembered
  std::filesystem::path config_folder;            // settings.json; empty: likewise
  std::optional<ui::Mode> mode;                   // over what is remembered
  std::optional<float> scale;
  int processes = 0;  // ranks of the scenario, each a process; 0: threads
};

class Room {
 public:
  // UsageError for an unknown lesson or a scenario it does not allow; InputError for a trace that cannot be
  // read.
  explicit Room(const RoomOptions& options, ui::Look& look);
  ~Room();  // cancels what runs; bounded by the run's next step boundary

  void frame();
  // Seconds after which a frame without input is worth drawing: 0.05 to 1.
  double idle_seconds() const;
  bool leaving() const;  // the learner asked to leave
  bool closing() const;  // and nothing runs any more
  void close();          // the window's cross: asks the run to stop, then closing()
  // Files and folders that were dropped on the window: a saved trace, or what a job left.
  void take_dropped(const std::vector<std::filesystem::path>& paths);
  // Of fonts and sizes: the window rebuilds its atlas when this differs from what it built.
  float scale() const;
  void display_scale(float content_scale);  // of the monitor; multiplies the user's

  // One line of a script that is not about mouse, keys or files: "set ranks=8", "step reveal",
  // "predict state_stage_2 2P+14P/N", "playhead 0.5", "watch stage 2", ... UsageError where unknown.
  void command(const std::string& line);
  // What a person sees, as figures and names; of one part of it ("run") where one is named.
  nlohmann::json state(const std::string& part = "") const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringside::gui
