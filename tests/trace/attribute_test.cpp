// Attributes hold values; readers ask for the kind they need.
#include "ringside/trace/table.h"

#include <limits>

#include "catch.h"
#include "check_text.h"
#include "ringside/base/check.h"
#include "ringside/trace/trace.h"

using namespace ringside;

TEST_CASE("each kind of attribute answers for what it is, and says so in words") {
  CHECK(Attribute("bf16").text() == "bf16");
  CHECK(!Attribute("bf16").number());
  CHECK(!Attribute("bf16").yes());
  CHECK(Attribute(4).integer() == 4);
  CHECK(Attribute(4).number() == 4.0);
  CHECK(Attribute(4).text() == "4");
  CHECK(!Attribute(1).yes());
  CHECK(Attribute(size_t{7}).integer() == 7);
  CHECK(Attribute(0.25).number() == 0.25);
  CHECK(Attribute(0.25).text() == "0.25");
  CHECK(!Attribute(0.25).integer());
  CHECK(Attribute(8.0).integer() == 8);
  CHECK(!Attribute(std::numeric_limits<double>::infinity()).integer());
  CHECK(Attribute(true).yes() == true);
  CHECK(Attribute(false).text() == "no");
  CHECK(!Attribute(true).number());
}

TEST_CASE("text counts as what it says: so old files are read") {
  CHECK(Attribute("24").integer() == 24);
  CHECK(Attribute("-0.5").number() == -0.5);
  CHECK(!Attribute("24 steps").number());
  CHECK(!Attribute("").number());
  CHECK(Attribute("on").yes() == true);
  CHECK(Attribute("no").yes() == false);
  CHECK(!Attribute("maybe").yes());
}

TEST_CASE("asking a section for the wrong kind names the section, the attribute and its value") {
  const auto store = TraceStore::create("");
  store->add_section("stage 1", {{"reduce", "all_reduce"}, {"share", 0.5}}, 1);
  const Trace trace = store->snapshot();
  const SectionView& section = trace.sections().front();
  CHECK(section.has("share"));
  CHECK(!section.has("steps"));
  CHECK(section.find("steps") == nullptr);
  const auto refusal = [](const auto& ask) { return message_of<InvariantError>(ask); };
  CHECK(lacks(refusal([&] { section.number("reduce"); }),
              {"'stage 1': attribute reduce='all_reduce' is not a number"}) == "");
  CHECK(lacks(refusal([&] { section.integer("share"); }), {"share='0.5' is not a whole number"}) == "");
  CHECK(lacks(refusal([&] { section.yes("share"); }), {"share='0.5' is not yes or no"}) == "");
  CHECK(lacks(refusal([&] { section.integer("steps"); }), {"'stage 1' has no attribute 'steps'"}) == "");
}
