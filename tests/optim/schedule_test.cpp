#include "ringside/optim/schedule.h"

#include "catch.h"
#include "ringside/base/error.h"

using namespace ringside;

TEST_CASE("schedules start at 1, fall as named, and do not go below 0") {
  CHECK(schedule_factor({"constant", 0, 10}, 9) == 1.0);
  CHECK(schedule_factor({"linear", 0, 10}, 0) == 1.0);
  CHECK(schedule_factor({"linear", 0, 10}, 4) == Approx(0.6));
  CHECK(schedule_factor({"cosine", 0, 10}, 0) == 1.0);
  CHECK(schedule_factor({"cosine", 0, 10}, 5) == Approx(0.5));
  CHECK(schedule_factor({"cosine", 0, 12}, 4) == Approx(0.75));
  CHECK(schedule_factor({"linear", 0, 10}, 25) == 0.0);
}

TEST_CASE("a warm-up climbs from 1/warmup to 1, and the rest is counted after it") {
  const Schedule schedule{"linear", 4, 12};
  CHECK(schedule_factor(schedule, 0) == 0.25);
  CHECK(schedule_factor(schedule, 3) == 1.0);
  CHECK(schedule_factor(schedule, 4) == 1.0);
  CHECK(schedule_factor(schedule, 8) == Approx(0.5));
}

TEST_CASE("a warm-up longer than the run never leaves it; an unknown name is refused") {
  CHECK(schedule_factor({"cosine", 20, 10}, 9) == 0.5);
  CHECK_THROWS_AS(schedule_factor({"step", 0, 10}, 0), UsageError);
}
