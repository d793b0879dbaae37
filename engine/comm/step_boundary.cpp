#include "ringside/comm/step_boundary.h"

#include <chrono>

namespace ringside::inline comm {

bool pass_step_boundary(ProcessGroup& group, RunControl& control) {
  using Decision = RunControl::Decision;
  constexpr std::chrono::milliseconds kRepeat{200};
  const bool decides = group.rank() == 0;
  for (bool again = false;; again = true) {
    auto word = int64_t(decides ? control.decide() : Decision::kContinue);
    group
        .start({.op = Op::kBroadcast,
                .input = {&word, 1, Dtype::kInt64},
                .output = {&word, 1, Dtype::kInt64},
                .tag = {"control", ""},
                .peer = 0,
                .again = again})
        ->wait();
    const auto decision = static_cast<Decision>(word);
    if (decision != Decision::kPause) return decision == Decision::kContinue;
    if (decides) control.wait_while_paused(kRepeat);
  }
}

}  // namespace ringside::inline comm
