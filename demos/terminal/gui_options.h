// The words behind `ringside gui`.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ringside {

enum class GuiRenderer { kOpenGl, kNull };

struct GuiOptions {
  std::string lesson;                // "": the last one visited
  std::vector<std::string> words;    // "name=value"
  std::string trace_file;            // a saved trace to open
  std::string training;              // the folder of a training to follow
  std::vector<std::string> autopsy;  // what a job left: files and folders
  std::string theme;                 // "dark", "light", "" for the one remembered
  std::optional<float> scale;
  std::string size;                // "WxH" as typed, "" for the one remembered
  int width = 0, height = 0;       // of size; 0 without
  std::string screenshot, script;  // files
  bool hidden = false, visible = false;
  int processes = 0;  // ranks, each a process; 0: threads
  std::string renderer_name = "opengl";
  GuiRenderer renderer = GuiRenderer::kOpenGl;
  std::optional<double> seconds;
  bool frame_times = false;
  bool reset_layout = false;
  std::string data_folder, config_folder;  // "": the XDG folders

  bool scripted() const { return !script.empty() || !screenshot.empty(); }
  bool shows_window() const { return visible || (!hidden && !scripted()); }
};

// Adds the options to the command `gui`, and makes of them what they mean once they are read.
void add_gui_options(CLI::App& command, GuiOptions& options);
void finish_gui_options(GuiOptions& options);  // UsageError for what does not go together

}  // namespace ringside
