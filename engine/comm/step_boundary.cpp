#include "ringside/comm/step_boundary.h"

#include <chrono>

namespace ringside {

bool pass_step_boundary(ProcessGroup& group, RunControl& control, int64_t& pauses) {
  using Decision = RunControl::Decision;
  constexpr std::chrono::milliseconds kRepeat{200};
  const bool decides = group.rank() == 0;
  while (true) {
    auto word = static_cast<int64_t>(decides ? control.decide() : Decision::kContinue);
    group.broadcast({&word, 1, Dtype::kInt64}, 0, {"control", ""})->wait();
    const auto decision = static_cast<Decision>(word);
    if (decision != Decision::kPause) return decision == Decision::kContinue;
    ++pauses;
    if (decides) control.wait_while_paused(kRepeat);
  }
}

}  // namespace ringside
