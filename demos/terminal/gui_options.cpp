#include "gui_options.h"

#include <cstdio>

#include "option_checks.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside {
namespace {

constexpr int kMostOfRoom = 64;
constexpr int kLeastWidth = 320, kLeastHeight = 240, kMostSide = 8192;

constexpr const char* kGuiFooter = R"(
Close the window, or Ctrl-C here: the run stops at its next step, what was answered is kept.
Without a display: ringside run LESSON, or --renderer null with --script.
Files
  $XDG_DATA_HOME/ringside/progress.json    guesses and visited steps (~/.local/share)
  $XDG_CONFIG_HOME/ringside/settings.json  theme, scale, window (~/.config)
With --script or --screenshot neither is used, unless a folder is named.
)";

}  // namespace

void add_gui_options(CLI::App& command, GuiOptions& options) {
  add_value(command, "lesson", options.lesson, "A lesson of `ringside list`; the last one visited", "");
  add_value(command, "parameters", options.words, "name=value ...; see `ringside help LESSON`", "");
  const auto add = [&](const char* name, auto& value, const char* what, const char* type) {
    return add_value(command, name, value, what, type);
  };
  add("--trace", options.trace_file, "Open a saved trace, as `run --trace FILE.jsonl` writes it", "FILE")
      ->check(is_name());
  add("--training", options.training,
      "Follow a training, while it runs or after it: the folder that `train` writes (its output)", "FOLDER")
      ->check(is_name());
  add("--autopsy", options.autopsy,
      "Open the page On call with what a job left: logs, flight recorders' dumps, folders", "PATH")
      ->check(is_name());
  add("--processes", options.processes,
      "Ranks of lessons that can have it are so many processes; the room is rank 0", "N")
      ->transform(whole_in(2, kMostOfRoom));
  add("--theme", options.theme, "dark or light", "NAME")->check(CLI::IsMember({"dark", "light"}));
  add("--scale", options.scale, "Of everything, 0.5 to 4, instead of the display's", "X")
      ->check(number_in(0.5, 4));
  add("--size", options.size, "Of the window, as 1280x800", "WxH");
  command.add_flag("--reset-layout", options.reset_layout, "Forget where the window was");
  add("--data-folder", options.data_folder, "Where progress.json is kept", "DIR")->check(is_name());
  add("--config-folder", options.config_folder, "Where settings.json is kept", "DIR")->check(is_name());
  add("--screenshot", options.screenshot, "Write what is seen once the run has ended, as PNG, and leave",
      "FILE")
      ->check(is_name());
  add("--script", options.script, "Do what the file says, and leave", "FILE")->check(is_name());
  command.add_flag("--hidden", options.hidden, "No window on the screen");
  command.add_flag("--visible", options.visible, "A window also for --script and --screenshot");
  add("--renderer", options.renderer_name, "opengl, or null: nothing is drawn", "NAME")
      ->check(CLI::IsMember({"opengl", "null"}));
  add("--seconds", options.seconds, "Leave after this time", "S")->check(number_in(0, 1e6));
  command.add_flag("--frame-times", options.frame_times, "Print what the frames cost at the end");
  command.footer(kGuiFooter);
}

void finish_gui_options(GuiOptions& options) {
  if (options.renderer_name == "null") options.renderer = GuiRenderer::kNull;
  if (!options.training.empty() && !(options.lesson.empty() && options.trace_file.empty()))
    throw UsageError("--training FOLDER: it stands alone, without a lesson and without --trace");
  if (!options.autopsy.empty() &&
      !(options.lesson.empty() && options.trace_file.empty() && options.training.empty()))
    throw UsageError("--autopsy PATH: it stands alone, without a lesson, --trace and --training");
  if (options.hidden && options.visible) throw UsageError("--hidden and --visible: choose one");
  if (!options.script.empty() && !options.screenshot.empty())
    throw UsageError("--screenshot with --script: write `screenshot FILE` into the script");
  if (!options.screenshot.empty() && options.renderer == GuiRenderer::kNull)
    throw UsageError("--screenshot with --renderer null: nothing is drawn there");
  if (options.size.empty()) return;
  char beyond = 0;
  if (std::sscanf(options.size.c_str(), "%5dx%5d%c", &options.width, &options.height, &beyond) != 2 ||
      options.width < kLeastWidth || options.height < kLeastHeight || options.width > kMostSide ||
      options.height > kMostSide)
    throw UsageError("--size " + as_typed(options.size) + ": expected 320x240 to 8192x8192");
}

}  // namespace ringside
