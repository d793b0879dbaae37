// A group of some of a run's ranks numbers them anew. What observes a run by its ranks refuses it.
#include <catch.h>

#include "check_text.h"
#include "on_ranks.h"
#include "ringside/base/error.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

// What make_thread_group says to a group of two; "" where it makes one.
std::string refusal(ThreadGroupOptions options) {
  options.name = "tp";
  try {
    make_thread_group(2, options);
  } catch (const InvariantError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the wait graph takes groups of all ranks only: of others it would report false cycles") {
  ThreadGroupOptions options;
  options.waits = std::make_shared<WaitGraph>(4);
  CHECK(lacks(refusal(options), {"group tp has 2 of 4 ranks", "wait graph"}) == "");
  options.waits = std::make_shared<WaitGraph>(1);
  CHECK(lacks(refusal(options), {"group tp has 2 of 1 ranks"}) == "");
  options.waits = std::make_shared<WaitGraph>(2);
  CHECK(refusal(options) == "");
}

TEST_CASE("a recorder or a flight recorder of another rank is refused: it would name wrong ranks") {
  const auto store = TraceStore::create("test");
  const std::vector<Recorder*> recorders = store->add_section("run", {}, 4);
  ThreadGroupOptions options;
  options.recorders = {recorders[2], recorders[3]};
  CHECK(lacks(refusal(options), {"group tp: rank 0 was given the recorder of rank 2"}) == "");
  options.recorders = {recorders[0], recorders[1]};
  CHECK(refusal(options) == "");

  FlightRecorder zero(0), one(1), three(3);
  options.flights = {&zero, &three};
  CHECK(lacks(refusal(options), {"group tp: rank 1 was given the flight recorder of rank 3"}) == "");
  options.flights = {&zero, &one};
  CHECK(refusal(options) == "");
}
