// When to draw: at once after input and for a few frames more, else as rarely as the room allows.
// Pure arithmetic on a clock in seconds.
#pragma once

#include <algorithm>

namespace ringside::gui {

class Pacing {
 public:
  static constexpr double kWithInput = 1.0 / 60, kWithout = 1.0 / 20;  // shortest times between frames
  // ImGui answers a click in the frame after it, and what opens then is measured in one more.
  static constexpr int kFramesAfterInput = 3;
  static constexpr double kIconified = 0.25;  // how often a window that nobody sees looks for its end

  void input() { owed_ = kFramesAfterInput; }
  void drawn(double now) {
    last_ = now;
    if (owed_ > 0) --owed_;
  }
  // Seconds to wait for input before the next frame; 0: draw it now. `idle` is the room's.
  double wait(double now, double idle) const {
    const double apart = owed_ > 0 ? kWithInput : std::clamp(idle, kWithout, 1.0);
    // A clock that went backwards must not stop the window.
    return std::clamp(last_ + apart - now, 0.0, apart);
  }

 private:
  double last_ = -1e9;
  int owed_ = kFramesAfterInput;  // the first frames measure what they draw
};

}  // namespace ringside::gui
