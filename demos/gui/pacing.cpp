#include "pacing.h"

#include <algorithm>

namespace ringside::gui {

double Pacing::wait(double now, double idle) const {
  const double apart = owed_ > 0 ? kWithInput : std::clamp(idle, kWithout, 1.0);
  // A clock that went backwards must not stop the window.
  return std::clamp(last_ + apart - now, 0.0, apart);
}

}  // namespace ringside::gui
