// Frames that nobody sees: for measuring what they cost, and for scripts without a display.
#include <time.h>

#include <chrono>
#include <cmath>

#include "ringside/base/error.h"
#include "window.h"

namespace ringside::gui {
namespace {

class NullWindow : public Window {
 public:
  explicit NullWindow(const WindowOptions& options)
      : size_(float(options.width > 0 ? options.width : 1280),
              float(options.height > 0 ? options.height : 800)) {
    ui::prepare_keys();
  }

  bool wait(double seconds) override {
    timespec time{};
    time.tv_sec = static_cast<time_t>(seconds);
    time.tv_nsec = static_cast<long>((seconds - std::floor(seconds)) * 1e9);
    nanosleep(&time, nullptr);  // a signal ends it, as it should
    return false;
  }
  void resize(int width, int height) override { size_ = {float(width), float(height)}; }
  void fonts_changed() override {}
  void begin_frame() override {
    const auto now = std::chrono::steady_clock::now();
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = size_;
    io.DeltaTime = std::max(1e-4f, std::chrono::duration<float>(now - last_).count());
    last_ = now;
  }
  void draw(ImU32) override {}
  Picture picture() override { throw MissingError("a screenshot needs --renderer opengl"); }
  void show() override {}

 private:
  ImVec2 size_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace

std::unique_ptr<Window> open_null_window(const WindowOptions& options) {
  return std::make_unique<NullWindow>(options);
}

}  // namespace ringside::gui
