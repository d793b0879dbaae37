// Looks on while a rank trains, and records what its user should know and no error says (training_rows.h):
//
//   learning rate 0      nothing changes
//   frozen               how many parameters are not trained
//   empty shard          more ranks than elements: the rank owns padding
//   no gradient          a parameter that backward did not reach: its gradient counts as zero
//   not finite           the first of the rank's loss and gradients that is NaN or infinite, with `check` on
//   loss                 it is above twice that of the first step
#pragma once

#include <string>
#include <vector>

#include "ringside/nn/parameters.h"
#include "ringside/tensor/torch_adapter.h"
#include "ringside/train/trainer.h"

namespace ringside::inline training {

// "the loss was 9.31 in step 11 and 1.10 in step 0": what precedes the step that is under way.
std::string loss_so_far(const std::vector<double>& loss);

class Remarks {
 public:
  // shards: the ranks over which one copy is cut, and this rank's place among them. The leaves are there.
  Remarks(const TrainingConfig& config, const ParameterSet& parameters, const ProcessGroup& shards,
          Recorder& recorder);

  void at_start();
  void begin_step(int64_t step);
  void own_loss(double loss);  // of a micro-batch, before its backward
  // Of every step so far, over all ranks. falls: a loss that rises is remarked on (Task::loss_falls).
  void end_step(const std::vector<double>& loss, bool falls);

 private:
  void add(const char* about, const std::string& parameter, const std::string& text);
  void note_frozen();
  void note_empty_shard();
  void not_finite(const std::string& parameter, const std::string& what);
  void look_at(const at::Tensor& gradient, size_t parameter);
  void note_missing();
  void note_loss(double loss);

  const TrainingConfig& config_;
  const ParameterSet& parameters_;
  const ProcessGroup& shards_;
  Recorder& recorder_;
  const bool is_first_rank_;
  int64_t step_ = -1;
  std::vector<double> loss_;
  bool found_not_finite_ = false, found_loss_ = false;
  struct Watched {
    bool arrived = false;  // in this step
    bool is_noted = false;
  };
  std::vector<Watched> watched_;     // of each parameter
  std::vector<GradientHook> hooks_;  // gone before what they look at
};

}  // namespace ringside::inline training
