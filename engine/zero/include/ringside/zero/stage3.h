// ZeRO-3 (P_os+g+p): parameters are sharded too. A unit (a layer) is gathered
// before it is used, forward and backward, and dropped right after; with prefetch
// the next one is on its way meanwhile. arXiv:1910.02054, section 5.3 and 7.2.2.
//
// Per micro-batch: two gathers and one reduce-scatter, 3 (N-1)/N a parameter. With reshard off
// (FSDP's reshard_after_forward) a unit stays whole from its forward to its backward: one gather
// less, 2 (N-1)/N, for all parameters held at once. Gathers are
// collectives: every rank runs forward and backward through every unit. Single parameters
// may go unused on some ranks.
#pragma once

#include "ringside/zero/stage2.h"

namespace ringside {

class ZeroStage3 : public ZeroStage2 {
 public:
  ZeroStage3(ParameterSet& parameters, ProcessGroup& group, const Optimizer& optimizer,
             const Distribution& options, Recorder* recorder);

  void set_purpose(const std::string& purpose) override { purpose_ = purpose; }
  void visit_parameters(const std::function<void(size_t, const at::Tensor&)>& visit) override;
  void before_forward(int unit) override;
  at::Tensor after_forward(int unit, at::Tensor output) override;

 protected:
  void before_backward(int unit) override;
  void gradient_arrived(size_t parameter) override;
  void after_backward() override;
  void share_parameters() override {}  // nobody keeps whole parameters

 private:
  struct Unit {
    std::vector<BucketStorage*> buckets;
    int trainable = 0, frozen = 0;  // parameters
    int waiting = 0;                // gradients that have not arrived in this backward
    bool launched = false;          // gathered, or on its way
  };
  Unit& unit(int index) { return units_[static_cast<size_t>(index)]; }
  void launch_gather(int index);
  void gather(int index);  // launches if need be, and waits
  void drop(int index);    // frees the bytes; nothing if not gathered

  std::vector<Unit> units_;
  int first_trainable_ = 0;  // below it no gradient flows, so nothing is gathered in backward
  std::string purpose_ = "parameters";
};

}  // namespace ringside
