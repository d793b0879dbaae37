// Carries one stage's list of passes out over a ProcessGroup whose places are the stages. It knows messages
// alone; what is computed is the PipelineWork's.
//
// Everything that one stage sends to another is a lane that keeps its order (comm/observed_group.h), and all
// ranks know the schedule. So a receiver posts its receives in the order in which its peer sends, and no
// message is ever paired with another one. It posts a receive when the pass that needs it is next, never
// earlier, except one that the peer sends before it: so no buffer is kept for what is not needed yet. Sends
// are asynchronous, and waited for at the latest at the end of the step; or each at once
// (SendMode::kBlocking, which hangs where find_hang() says so).
//
// A peer that never sends ends the step by the group's deadline: TimeoutError, with the report of the flight
// recorders.
#pragma once

#include <functional>

#include "ringside/comm/process_group.h"
#include "ringside/pipeline/check.h"
#include "ringside/pipeline/schedule.h"

namespace ringside::inline pipeline {

class PipelineWork {  // what a stage computes
 public:
  virtual ~PipelineWork() = default;
  // Where what `receiver` needs is to go: of a kForward the activations of the part before, of a kBackward or
  // kBackwardInput the gradient of its output. The view stays until compute(receiver) has returned. It may be
  // asked for before passes that stand earlier in the list, where the peer sends in another order.
  virtual MutableView room_for(const StepPass& receiver) = 0;
  virtual void compute(const StepPass& pass) = 0;  // what it needs is there
  // What it sends, once it is computed: of a kForward its activations, else the gradient of its input. The
  // view stays, and what it shows is not written, until sent(sender).
  virtual ConstView result_of(const StepPass& sender) = 0;
  virtual void sent(const StepPass& sender) = 0;
  // The next part lies on the same stage: no message. Called behind compute(from).
  virtual void hand_over(const StepPass& from, const StepPass& to) = 0;
};

struct PipelineRunOptions {
  SendMode mode = SendMode::kAsync;
  // Each may be null. Around compute() alone: waits for messages lie before it.
  std::function<void(const StepPass&)> before_pass{}, behind_pass{};
};

// schedule: complete, as schedule_of() makes it (require_complete() says of another). pp null: it has one
// stage. UsageError where the group is not of its size, and, before a pass, where that needs a pass of the
// stage's own list which comes later: it would wait for itself.
void run_step(const PipelineSchedule& schedule, ProcessGroup* pp, PipelineWork& work,
              const PipelineRunOptions& options = {});

// For an evaluation: the forwards of all parts of one micro-batch, in their order; every stage calls it.
// Messages are as in a step. A stage that has none of the parts left returns.
void run_forward(const PipelineSchedule& schedule, ProcessGroup* pp, PipelineWork& work, int64_t micro,
                 const PipelineRunOptions& options = {});

}  // namespace ringside::inline pipeline
