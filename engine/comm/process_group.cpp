#include "ringside/comm/process_group.h"

#include <exception>

namespace ringside {

void wait_all(const std::vector<WorkPtr>& works) {
  std::exception_ptr first_error;
  for (const WorkPtr& work : works) {
    try {
      work->wait();
    } catch (...) {
      if (!first_error) first_error = std::current_exception();
    }
  }
  if (first_error) std::rethrow_exception(first_error);
}

}  // namespace ringside
