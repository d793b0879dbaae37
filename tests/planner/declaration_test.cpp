#include "ringside/planner/declaration.h"

#include "catch.h"
#include "ringside/base/error.h"

using namespace ringside;

TEST_CASE("names begin with the unit's prefix, handles count up, and a name is taken once") {
  Declaration model;
  CHECK_THROWS_AS(model.add("weight", {2}), InvariantError);  // belongs to no unit
  model.begin_unit("in", "model.");
  const Parameter weight = model.add("weight", {2, 3});
  model.begin_unit("out", "head.");
  const Parameter frozen = model.add("weight", {5}, false);
  CHECK_THROWS_AS(model.add("weight", {5}), InvariantError);
  const Buffer mean = model.add_buffer("mean", {5}, 1);
  CHECK_THROWS_AS(model.add_buffer("weight", {5}, 0), InvariantError);
  CHECK_THROWS_AS(model.add("mean", {5}), InvariantError);
  CHECK(mean.index == 0);
  REQUIRE(model.buffers().size() == 1);
  CHECK(model.buffers()[0].name == "head.mean");
  CHECK(model.buffers()[0].initial == 1);
  CHECK(weight.index == 0);
  CHECK(frozen.index == 1);
  CHECK(Parameter().index == -1);
  REQUIRE(model.shapes().size() == 2);
  CHECK(model.shapes()[0].name == "model.weight");
  CHECK(model.shapes()[1].name == "head.weight");
  CHECK(model.shapes()[0].numel() == 6);
  CHECK(model.shapes()[1].unit == 1);
  CHECK(model.shapes()[0].trainable);
  CHECK_FALSE(model.shapes()[1].trainable);
  CHECK(model.unit_names() == std::vector<std::string>{"in", "out"});
}
