#include "ringside/comm/process_group.h"

#include <exception>

#include "ringside/base/check.h"

namespace ringside::inline comm {

void wait_all(const std::vector<WorkPtr>& works) {
  std::exception_ptr first;
  for (const WorkPtr& work : works) {
    try {
      work->wait();
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

ProcessGroup::ProcessGroup(std::string name, std::vector<int> ranks, int place)
    : name_(std::move(name)), ranks_(std::move(ranks)), place_(place) {
  RINGSIDE_CHECK_GE(place_, 0);
  RINGSIDE_CHECK_LT(place_, size());
}

GroupDecorator::GroupDecorator(std::unique_ptr<ProcessGroup> inner)
    : ProcessGroup(inner->name(), inner->ranks(), inner->rank()), inner_(std::move(inner)) {}

}  // namespace ringside::inline comm
