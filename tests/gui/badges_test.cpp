#include "badges.h"
#include "catch.h"

using namespace ringside::gui;

TEST_CASE("each lesson has a badge of its own") {
  CHECK(badges_of({"zero", "nccl_timeout", "softmax_graph", "shared_memory"}) ==
        std::vector<std::string>{"Z", "NT", "SG", "SM"});
  CHECK(badges_of({"zero", "zeta", "zeal", "z"}) == std::vector<std::string>{"Z", "ZE", "ZA", "Z2"});
  CHECK(badges_of({"a_b_c", "a_b", "a_bb"}) == std::vector<std::string>{"AB", "A2", "A3"});
}
