#include "ringside/base/turns.h"

#include "catch.h"
#include "ringside/base/error.h"

using namespace ringside;

TEST_CASE("Sides take turns: there and back, and only whole rounds count") {
  std::string order;
  const auto side = [&](char name, size_t ends_at) -> SideMs {
    return [&order, name, ends_at] {
      if (order.size() == ends_at) throw InputError("planted");
      order += name;
      return static_cast<double>(order.size());
    };
  };
  RoundsMs ms;
  take_turns({side('a', 100), side('b', 100), side('c', 100)}, 3, ms);
  CHECK(order == "abccbaabc");
  CHECK(ms == RoundsMs{{1, 6, 7}, {2, 5, 8}, {3, 4, 9}});
  RoundsMs two;
  CHECK_THROWS_AS(take_turns({side('a', 100), side('b', 14)}, 3, two), InputError);
  CHECK(order == "abccbaabcabbaa");
  CHECK(two == RoundsMs{{10, 13}, {11, 12}});
}
