#include "../../engine/data/listing.h"

#include "catch.h"
#include "patience.h"

namespace ringside {

using std::chrono::milliseconds;
using testing::kPatience;

TEST_CASE("capture gives what a program writes", "[data]") {
  CHECK(capture({"printf", "%s", "$HOME; *"}, 100, kPatience) == "$HOME; *");
  CHECK(capture({"cat"}, 100, kPatience) == "");
}

TEST_CASE("capture gives nothing if the program fails, is missing, writes too much or is late", "[data]") {
  CHECK_FALSE(capture({"false"}, 100, kPatience));
  CHECK_FALSE(capture({"no-such-program-here"}, 100, kPatience));
  CHECK_FALSE(capture({"printf", "%s", "eleven byte"}, 10, kPatience));
  CHECK_FALSE(capture({"sleep", "1000"}, 100, milliseconds(50)));
  const std::string closes_its_output = "exec >&-; sleep 1000";
  CHECK_FALSE(capture({"sh", "-c", closes_its_output}, 100, milliseconds(50)));
}

}  // namespace ringside
