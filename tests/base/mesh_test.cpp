#include "ringside/base/mesh.h"

#include <set>

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"

using namespace ringside;

TEST_CASE("the dimension that is named last changes fastest, and its groups are neighbours") {
  const Mesh mesh = Mesh::parse("dp2,tp3", 6);
  CHECK(mesh.group(4, {"tp"}) == std::vector<int>{3, 4, 5});
  CHECK(mesh.group(4, {"dp"}) == std::vector<int>{1, 4});
  CHECK(mesh.group(4, {"dp", "tp"}) == std::vector<int>{0, 1, 2, 3, 4, 5});
  CHECK(mesh.group(4, {}) == std::vector<int>{4});
  CHECK(mesh.group(4, {"pp"}) == std::vector<int>{4});
  CHECK(mesh.coordinate(4, "dp") == 1);
  CHECK(mesh.coordinate(4, "tp") == 1);
  CHECK(mesh.coordinate(4, "pp") == 0);
  CHECK(mesh.size("tp") == 3);
  CHECK(mesh.size("pp") == 1);
  CHECK(mesh.text() == "dp2,tp3");
  CHECK(table_of(Mesh::parse("dp2,tp2", 4)) ==
        "rank 0    dp 0 of {0,2}  tp 0 of {0,1}\n"
        "rank 1    dp 0 of {1,3}  tp 1 of {0,1}\n"
        "rank 2    dp 1 of {0,2}  tp 0 of {2,3}\n"
        "rank 3    dp 1 of {1,3}  tp 1 of {2,3}\n");
}

TEST_CASE("coordinates are different for all ranks, and each group holds one rank per coordinate") {
  for (const auto& [text, ranks] :
       {std::pair{"pp2,dp3,tp2", 12}, {"dp8", 8}, {"tp1", 1}, {"replica2,shard2,cp1,tp2", 8}}) {
    const Mesh mesh = Mesh::parse(text, ranks);
    std::set<std::vector<int>> places;
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<int> place;
      for (const MeshDimension& one : mesh.dimensions()) {
        place.push_back(mesh.coordinate(rank, one.name));
        const std::vector<int> group = mesh.group(rank, {one.name});
        REQUIRE(std::ssize(group) == one.size);
        for (size_t at = 0; at < group.size(); ++at)
          CHECK(mesh.coordinate(group[at], one.name) == static_cast<int>(at));
        for (const int other : group) CHECK(mesh.group(other, {one.name}) == group);
      }
      places.insert(place);
    }
    CHECK(std::ssize(places) == ranks);
  }
}

TEST_CASE("a text that is no mesh of so many ranks says what would fit") {
  const auto said = [](const char* text, int ranks) {
    return message_of<UsageError>([&] { Mesh::parse(text, ranks); });
  };
  CHECK(said("dp2,tp3", 4) == "mesh=dp2,tp3: 6 ranks, and there are 4; dp2,tp2 would fit");
  CHECK(said("dp2,tp2", 8) == "mesh=dp2,tp2: 4 ranks, and there are 8; dp4,tp2 or dp2,tp4 would fit");
  CHECK(said("dp3,tp3", 4) == "mesh=dp3,tp3: 9 ranks, and there are 4; dp4 would fit");
  CHECK(said("dp2,dp2", 4) == "mesh=dp2,dp2: dp is there twice");
  for (const char* text : {"", "dp", "2", "dp2,", "DP2", "dp2 tp2", "dp2x"})
    CHECK(said(text, 4).find("such as dp2,tp2") != std::string::npos);
  CHECK(said("dp-2", 4).find("sizes are 1 and more") != std::string::npos);
  CHECK(said("dp0", 4).find("sizes are 1 and more") != std::string::npos);
  CHECK(said("dp1048576,tp2", 4).find("at most 1048576 ranks") != std::string::npos);
}
