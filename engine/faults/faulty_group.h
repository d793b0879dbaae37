// One rank's handle with its faults: every call is passed on, except those that the plan strikes.
#pragma once

#include <list>
#include <vector>

#include "ringside/faults/injector.h"

namespace ringside {

class FaultyGroup final : public GroupDecorator {
 public:
  FaultyGroup(FaultInjector& injector, std::unique_ptr<ProcessGroup> inner);
  ~FaultyGroup() override;
  WorkPtr start(Collective call) override;

 private:
  WorkPtr with_extra(const Fault& fault, Collective call);
  WorkPtr on_scratch(Collective call, Dtype dtype, int64_t more_elements, bool reversed);
  WorkPtr interrupted(const Fault& fault, Collective call);
  View scratch(int64_t count, Dtype dtype);  // zeros
  void interrupt(const Fault& fault);
  void poison(const Collective& call);

  FaultInjector& injector_;
  std::list<std::vector<std::byte>> scratch_;  // outlives inner_, whose communication thread may read it
};

}  // namespace ringside
