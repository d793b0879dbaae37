// What can be said of any schedule before it runs: whether it hangs, who then waits for whom, and how many
// activations live at once. It follows the rules of run.h:
//
//   before a pass   the stage posts the receive of what the pass needs, behind those of all that the same
//                   peer sends before it, and waits until the one that it needs is there
//   behind a pass   it sends. Asynchronous: it goes on. Blocking: it waits until the receive is posted
//
// A stage that must wait waits for one other stage (or for a later pass of its own list), so that a schedule
// that hangs has a cycle of waits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ringside/pipeline/messages.h"
#include "ringside/pipeline/schedule.h"

namespace ringside::inline pipeline {

enum class SendMode : uint8_t { kAsync, kBlocking };

// One stage that waits.
struct PipelineWait {
  enum Kind : uint8_t {
    kInput,   // before `at`, for what stage `on` sends behind `missing`
    kSend,    // behind `at`, until stage `on` receives: it must come to `missing`
    kOwnPass  // before `at`, for `missing`, which stands later in its own list
  } kind = kInput;
  int stage = 0;
  StepPass at{};
  int on = 0;
  StepPass missing{};
};

struct PipelineHang {
  std::vector<PipelineWait> cycle;  // each waits for the stage of the next, and the last for the first's
  std::string sentence;             // all of it
  std::vector<int64_t> done;        // (p) passes that each stage gets done
};
// None: every stage comes to the end of its list. UsageError where the schedule is not complete.
std::optional<PipelineHang> find_hang(const PipelineSchedule& schedule, SendMode mode);

// Activations of a micro-batch and chunk live from its F to the end of its B; of its W if backward is cut.
struct LiveActivations {
  std::vector<std::vector<int64_t>> after;  // (p) (pass of the stage's list) how many live behind it
  std::vector<int64_t> peak;                // (p)
};
LiveActivations live_activations(const PipelineSchedule& schedule);

}  // namespace ringside::inline pipeline
