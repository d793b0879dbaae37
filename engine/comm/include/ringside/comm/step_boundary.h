// What every rank calls before a step: rank 0 asks the watcher's RunControl, and its
// decision travels in a broadcast tagged "control", so that all ranks stop at the same step.
#pragma once

#include "ringside/base/run_control.h"
#include "ringside/comm/process_group.h"

namespace ringside::inline comm {

// True: go on; false: the run was cancelled. While paused it does not return; rank 0 repeats its decision
// several times a second, so that no rank misses a deadline however long the pause. A step boundary is one
// call of the run all the same: what is asked again is recorded nowhere (Collective::again).
bool pass_step_boundary(ProcessGroup& group, RunControl& control);

}  // namespace ringside::inline comm
