// Limits that follow from a group's timeout.
#include "ringside/comm/process_group.h"

#include <catch.h>

using namespace ringside;
using namespace std::chrono_literals;

TEST_CASE("a wait for a call is longer than any deadline that the call can have") {
  for (const std::chrono::nanoseconds timeout :
       std::initializer_list<std::chrono::nanoseconds>{1ns, 60s, 61min, kLongestTimeout}) {
    INFO(timeout.count() << " ns");
    CHECK(stuck_limit(timeout) >= timeout + 1h);
  }
}

TEST_CASE("a rank that is held for ever is held until its group's longest deadline has passed") {
  CHECK(kHoldForEver > kLongestTimeout);
}
