// Fault plans as files: what is read is what was written, and nothing else is believed.
#include <catch.h>

#include <fstream>

#include "ringside/base/error.h"
#include "ringside/faults/plan.h"

using namespace ringside;

namespace {

std::string with(const std::string& fields) {
  return R"({"faults": [{"kind": "delay", "rank": 1, "step": 2, "seconds": 0.5)" + fields + "}]}";
}

std::string rejected(const std::string& text) {
  try {
    parse_fault_plan(text, "plan.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a plan survives being written and read") {
  FaultPlan plan;
  plan.faults.push_back({.kind = FaultKind::kSkip, .rank = 3, .step = 7, .group = "dp", .tag = "gradients"});
  plan.faults.push_back({.kind = FaultKind::kDelay,
                         .rank = 0,
                         .step = 1,
                         .tag = "evaluation",
                         .unit = "batch 3",
                         .call = 4,
                         .when = FaultMoment::kAfter,
                         .time = std::chrono::milliseconds(1500)});
  plan.faults.push_back({.kind = FaultKind::kKill, .when = FaultMoment::kInside, .silent = true});
  plan.faults.push_back({.kind = FaultKind::kWrongSize, .elements = 12});
  for (int kind = 0; kind <= static_cast<int>(FaultKind::kEvaluatesAlone); ++kind)
    plan.faults.push_back({.kind = static_cast<FaultKind>(kind), .rank = kind});
  CHECK(parse_fault_plan(to_json(plan), "x") == plan);
}

TEST_CASE("in words") {
  const FaultPlan plan =
      parse_fault_plan(with(R"(, "tag": "gradients", "group": "dp", "when": "after")"), "x");
  CHECK(to_string(plan.faults.at(0)) == "rank 1: delay of 500.0 ms after call 0 of gradients on dp, step 2");
}

TEST_CASE("what is not a plan is rejected, with its place and what is allowed") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "plan.json: not JSON"},
      {"[]", "plan.json: not a JSON object"},
      {"{}", "no 'faults'"},
      {R"({"faults": [], "more": 1})", "unknown key 'more'; allowed are faults"},
      {R"({"faults": {}})", "faults: not an array"},
      {R"({"faults": [3]})", "fault 0: not a JSON object"},
      {R"({"faults": [{"rank": 0, "step": 0}]})", "fault 0: no 'kind'; allowed are skip, extra"},
      {R"({"faults": [{"kind": "sleep", "rank": 0, "step": 0}]})", "kind: 'sleep' is not known; allowed are"},
      {R"({"faults": [{"kind": "skip", "step": 0}]})", "fault 0: no 'rank'"},
      {R"({"faults": [{"kind": "skip", "rank": 0, "step": 0}, {"kind": "skip", "rank": -1, "step": 0}]})",
       "fault 1: rank: -1 is outside 0 to"},
      {R"({"faults": [{"kind": "skip", "rank": 1.5, "step": 0}]})",
       "rank: not a whole number, allowed are 0 to"},
      {R"({"faults": [{"kind": "skip", "rank": 0, "step": 18446744073709551615}]})",
       "step: 18446744073709551615 is"},
      {R"({"faults": [{"kind": "delay", "rank": 0, "step": 0}]})", "no 'seconds', which a delay needs"},
      {R"({"faults": [{"kind": "skip", "rank": 0, "step": 0, "when": "after"}]})", "when: is for delay"},
      {with(R"(, "when": "during")"), "before, inside, after"},
      {with(R"(, "tag": 3)"), "tag: not a text"},
      {with(R"(, "unit": ")" + std::string(201, 'x') + "\""), "unit: longer than 200 bytes"},
      {with(R"(, "silent": 1)"), "silent: neither true nor false"},
      {with(R"(, "elements": 0)"), "elements: 0 is outside 1 to"},
      {with(R"(, "colour": 1)"), "unknown key 'colour'; allowed are kind, rank"},
      {with(R"(, "rank": 2)"), "stands twice"},
      {R"({"faults": [{"kind": "delay", "rank": 1, "step": 2, "seconds": 1e300}]})",
       "seconds: 1e+300 is outside"},
      {R"({"faults": [{"kind": "delay", "rank": 1, "step": 2, "seconds": -1}]})",
       "seconds: -1 is outside 0 to"},
      {with(R"(, "tag": [[[[[[[[[[]]]]]]]]]])"), "nested deeper"}};
  for (const auto& [text, message] : cases) {
    CAPTURE(text);
    const std::string said = rejected(text);
    CAPTURE(said);
    CHECK(said.find("plan.json") == 0);
    CHECK(said.find(message) != std::string::npos);
  }
  CHECK(rejected(std::string(2 << 20, ' ')).find("more than 1048576 bytes") != std::string::npos);
  std::string many = R"({"faults": [)";
  for (int i = 0; i <= 1000; ++i)
    many += std::string(i == 0 ? "" : ",") + R"({"kind":"skip","rank":0,"step":0})";
  CHECK(rejected(many + "]}").find("faults: 1001 values, allowed are 0 to 1000") != std::string::npos);
}

TEST_CASE("no truncation and no flipped byte of a plan does more than be rejected") {
  const std::string plan = with(R"(, "tag": "gradients", "call": 3, "silent": false)");
  for (size_t length = 0; length < plan.size(); ++length)
    CHECK(rejected(plan.substr(0, length)) != "accepted");
  for (size_t place = 0; place < plan.size(); ++place) {
    for (const int bit : {0, 3, 7}) {
      std::string flipped = plan;
      flipped[place] = static_cast<char>(flipped[place] ^ (1 << bit));
      rejected(flipped);
    }
  }
}

TEST_CASE("a missing file is named") { CHECK_THROWS_AS(read_fault_plan("/nowhere/plan.json"), InputError); }
