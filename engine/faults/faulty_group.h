// One rank's handle with its faults: every call is passed on, except those that the plan strikes.
#pragma once

#include <list>
#include <vector>

#include "ringside/faults/injector.h"

namespace ringside {

class FaultyGroup final : public ProcessGroup {
 public:
  FaultyGroup(FaultInjector& injector, std::unique_ptr<ProcessGroup> inner);

  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  const std::string& name() const override { return inner_->name(); }
  WorkPtr all_reduce(View buffer, Tag tag, ReduceOp op) override;
  WorkPtr reduce_scatter(ConstView input, View output, Tag tag) override;
  WorkPtr all_gather(ConstView input, View output, Tag tag) override;
  WorkPtr broadcast(View buffer, int root, Tag tag) override;
  WorkPtr all_to_all(ConstView input, View output, Tag tag) override;
  WorkPtr send(ConstView buffer, int peer, Tag tag) override;
  WorkPtr recv(View buffer, int peer, Tag tag) override;
  WorkPtr barrier(Tag tag) override;
  void abort(const std::string& reason) override { inner_->abort(reason); }

 private:
  struct Made {  // a call, as data
    Op op;
    ConstView input;
    View output;
    Tag tag;
    int peer = -1;  // or root
    ReduceOp reduce_op = ReduceOp::kSum;
  };
  static Dtype dtype_of(const Made& call);
  WorkPtr make(const Made& call);
  WorkPtr issue(const Made& call);
  WorkPtr with_extra(const Fault& fault, const Made& call);
  WorkPtr on_scratch(const Made& call, Dtype dtype, int64_t more_elements, bool reversed);
  WorkPtr interrupted(const Fault& fault, const Made& call);
  View scratch(int64_t count, Dtype dtype);  // zeros
  void interrupt(const Fault& fault);
  void poison(const Made& call);

  FaultInjector& injector_;
  std::list<std::vector<std::byte>> scratch_;  // outlives inner_, whose communication thread may read it
  std::unique_ptr<ProcessGroup> inner_;
};

}  // namespace ringside
