// Mistakes that training loops of real programs make, for TrainerHooks::end_step: what a fault plan has for
// the loop (faults/plan.h, is_of_loop), and what one rank does wrong between an evaluation and the next step.
#pragma once

#include <chrono>
#include <functional>

#include "ringside/faults/injector.h"
#include "ringside/train/trainer.h"

namespace ringside::inline training {

struct LoopMistake {
  enum class Kind : uint8_t {
    kNone,
    kStays,  // it does something else for so long: waits for input, writes a file, saves a checkpoint
    // if rank == 0: all_reduce(counts). The others go on into backward, on the other group.
    kReducesAlone,
    // The same, and all ranks pass a barrier before they save. In NCCL a barrier is an all-reduce of one
    // element, so that the two pair in silence.
    kReducesAloneThenBarrier,
    kBarrierAlone  // a value of its own decides whether it enters the barrier before a save
  };
  Kind kind = Kind::kNone;
  int rank = -1;                      // that makes it
  std::string doing = "";             // of kStays: the span's name, "save checkpoint"
  std::chrono::nanoseconds stays{0};  // of kStays
  bool mended = false;                // the same program without its condition: every rank makes the call
  bool barrier_ahead = false;         // all ranks meet in a barrier after an evaluation, before the next step
};

// Evaluates where it is time to, carries out the injector's faults of the loop, and makes the mistake after
// each evaluation. Both outlive it.
std::function<void(RankLoop& loop, int64_t step)> loop_with(FaultInjector& faults,
                                                            const LoopMistake& mistake);

}  // namespace ringside::inline training
