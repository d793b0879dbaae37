// A window, or what stands for one where nothing is drawn: input in, pictures out. The loop
// (loop.h) owns it and ImGui's context; a window owns ImGui's backends.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "input_queue.h"
#include "settings.h"

namespace ringside::gui {

struct WindowOptions {
  int width = 0, height = 0;         // 0: a size that suits the display
  std::optional<WindowPlace> place;  // where it was; not with width and height
  bool visible = true;
  bool takes_input = true;  // false: a script moves mouse and keys
};

struct Picture {
  int width = 0, height = 0;
  std::vector<uint8_t> rgba;  // rows from the top
};

class Window {
 public:
  virtual ~Window() = default;

  // For input, at most that long; true where something came that may change the picture.
  virtual bool wait(double seconds) = 0;
  virtual bool iconified() const { return false; }
  virtual bool take_close_request() { return false; }
  virtual std::vector<std::filesystem::path> take_dropped() { return {}; }
  virtual float content_scale() const { return 1; }
  virtual std::optional<WindowPlace> place() const { return std::nullopt; }  // none: not to be remembered
  virtual void resize(int width, int height) = 0;

  // A frame: fonts_changed() after the atlas was built, begin_frame() before the input is fed and
  // NewFrame(), draw() after Render(), show() last.
  virtual void fonts_changed() = 0;
  virtual void begin_frame() = 0;
  virtual void draw(ImU32 background) = 0;
  virtual Picture picture() = 0;  // of what was drawn and not yet shown
  virtual void show() = 0;
};

// MissingError in words for a person where there is no display, or its OpenGL is too old.
std::unique_ptr<Window> open_glfw_window(const WindowOptions& options, InputQueue& input);
std::unique_ptr<Window> open_null_window(const WindowOptions& options);

void write_png(const Picture& picture, const std::filesystem::path& file);  // InputError

}  // namespace ringside::gui
