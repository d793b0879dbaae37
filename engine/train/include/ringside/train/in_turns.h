// Trainings that take turns, a step each: A B, B A, A B, ... so that their times can be compared round by
// round (base/ratio.h). Each has ranks of its own, which wait at a step boundary while another has its turn.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "ringside/trace/rows.h"
#include "ringside/train/trainer.h"

namespace ringside::inline training {

// CPU time of a rank's thread when a step has ended, since the thread began; recorded by each rank.
struct CpuRow {
  static constexpr Columns kTable{"cpu times", "step", "ns [ns]"};
  int64_t step = 0;
  double ns = 0;
};

// Attribute of such a training's section: the cores of this machine, which its ranks share.
inline constexpr char kCores[] = "cores";

class SteppedTraining {
 public:
  // Begins at once, as a section of the store, and waits before its first step. `dataset` and `store` outlive
  // it. Its ranks agree on steps, whatever the configuration says. process: as of WorldHooks.
  SteppedTraining(TrainerConfig config, const Dataset& dataset, TraceStore& store, std::string section,
                  const Attributes& attributes = {}, const std::shared_ptr<ProcessWiring>& process = nullptr);
  ~SteppedTraining();  // cancels what is left of it
  SteppedTraining& operator=(SteppedTraining&&) = delete;

  // Takes one step, and the evaluation that is due after it; after the last one the training has ended. Gives
  // the step's ms, "step time" in the trace. Throws what the training threw.
  double step();
  const TrainResult& result() const;  // InvariantError before the last step was taken

 private:
  void run();
  void note(const std::function<void()>& change);  // tells step()

  TrainerConfig config_;
  const Dataset& dataset_;
  TraceStore& store_;
  const std::string section_;
  TrainerHooks hooks_;
  RunControl control_;
  int64_t asked_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t taken_ = 0;
  double step_ms_ = 0;  // written before the step is counted as taken
  bool ended_ = false;
  TrainResult result_;  // this and the error: read once it has ended
  std::exception_ptr error_;
  std::thread thread_;  // last: starts when everything else stands
};

// The first step of a training costs more than the others; it is taken and not compared.
inline constexpr int64_t kWarmUpSteps = 1;
std::vector<double> without_warm_up(std::vector<double> steps);  // figures of a training's steps, in order
// Of a training in turns: CPU time of a rank's thread in each step behind those, ns; none: not recorded.
std::vector<double> cpu_of_rounds(const SectionView& section, int rank);

// Steps of a training that its timer ends.
inline constexpr int64_t kEndlessSteps = int64_t{1} << 40;

struct Turn {
  TrainerConfig config;  // trained as config_in_turns() says
  std::string section;
  Attributes attributes = {};
};

// What is trained for a turn: steps that warm it up and one a round, with agreement before each of them.
TrainerConfig config_in_turns(TrainerConfig config, int64_t rounds);

// One result a turn; each section's ledger is added to `rows`. `control` may pause and cancel between any two
// steps (CancelledError); on_turn is called after each.
std::vector<TrainResult> train_in_turns(const std::vector<Turn>& turns, int64_t rounds,
                                        const Dataset& dataset, TraceStore& store, RunControl& control,
                                        TraceRows& rows, const std::function<void()>& on_turn,
                                        const std::shared_ptr<ProcessWiring>& process = nullptr);

}  // namespace ringside::inline training
