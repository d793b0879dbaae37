// Fault plans as files: every field is read, and nothing is believed that is not checked.
#include <catch.h>

#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/faults/plan.h"

using namespace ringside;

namespace {

std::string with(const std::string& fields) {
  return R"({"faults": [{"kind": "delay", "rank": 1, "step": 2, "seconds": 0.5)" + fields + "}]}";
}

std::string rejected(const std::string& text) {
  return message_of<InputError>([&] { parse_fault_plan(text, "plan.json"); }, "accepted");
}

}  // namespace

TEST_CASE("every field of a plan is read") {
  const FaultPlan plan = parse_fault_plan(R"({"faults": [
    {"kind": "skip", "rank": 3, "step": 7, "group": "dp", "tag": "gradients"},
    {"kind": "delay", "rank": 0, "step": 1, "tag": "evaluation", "unit": "batch 3", "call": 4, "when": "after",
     "seconds": 1.5},
    {"kind": "kill", "rank": 0, "step": 0, "when": "inside", "silent": true},
    {"kind": "wrong_size", "rank": 0, "step": 0, "elements": 12}]})",
                                          "x");
  REQUIRE(plan.faults.size() == 4);
  CHECK(plan.faults[0] ==
        Fault{.kind = FaultKind::kSkip, .rank = 3, .step = 7, .group = "dp", .tag = "gradients"});
  CHECK(plan.faults[1] == Fault{.kind = FaultKind::kDelay,
                                .rank = 0,
                                .step = 1,
                                .tag = "evaluation",
                                .unit = "batch 3",
                                .call = 4,
                                .when = FaultMoment::kAfter,
                                .time = std::chrono::milliseconds(1500)});
  CHECK(plan.faults[2] == Fault{.kind = FaultKind::kKill, .when = FaultMoment::kInside, .silent = true});
  CHECK(plan.faults[3] == Fault{.kind = FaultKind::kWrongSize, .elements = 12});
  for (int kind = 0; kind <= static_cast<int>(FaultKind::kEvaluatesAlone); ++kind) {
    const std::string name(to_string(static_cast<FaultKind>(kind)));
    const std::string text = R"({"faults": [{"rank": 1, "step": 2, "seconds": 0, "kind": ")" + name + "\"}]}";
    CHECK(parse_fault_plan(text, "x").faults.at(0) == Fault{static_cast<FaultKind>(kind), 1, 2});
  }
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

TEST_CASE("no broken plan does more than be rejected; a fault in words") {
  const std::string plan = with(R"(, "tag": "gradients", "call": 3, "silent": false)");
  for (size_t length = 0; length < plan.size(); ++length)
    CHECK(rejected(plan.substr(0, length)) != "accepted");
  for (size_t place = 0; place < plan.size(); ++place)
    for (const int bit : {0, 3, 7}) {
      std::string flipped = plan;
      flipped[place] = static_cast<char>(flipped[place] ^ (1 << bit));
      rejected(flipped);
    }
  CHECK_THROWS_AS(read_fault_plan("/nowhere/plan.json"), InputError);
  Fault fault{.kind = FaultKind::kOtherTensor, .rank = 1, .step = 5, .tag = "gradients"};
  CHECK(in_words(fault) == "rank 1 makes call 0 of gradients, step 5, with another tensor of the same size");
  fault.kind = FaultKind::kDelay, fault.time = std::chrono::milliseconds(1500),
  fault.when = FaultMoment::kInside, fault.group = "dp";
  CHECK(in_words(fault) == "rank 1 sleeps for 1.5 s inside call 0 of gradients on dp, step 5");
  fault.kind = FaultKind::kStale, fault.rank = fault.call = fault.step = kEvery;
  CHECK(in_words(fault) ==
        "every rank makes every call of gradients on dp, every step, and keeps what came of it the time "
        "before");
  CHECK(parse_fault_plan(R"({"faults": [{"kind": "skip", "rank": 0, "step": -1, "call": -1}]})", "x")
            .faults.at(0) == Fault{.kind = FaultKind::kSkip, .step = kEvery, .call = kEvery});
  fault.kind = FaultKind::kOneBatchMore, fault.rank = 1, fault.step = 5;
  CHECK(in_words(fault) == "rank 1 has one batch more than the others after step 5");
  for (int kind = 0; kind <= static_cast<int>(FaultKind::kEvaluatesAlone); ++kind) {
    fault.kind = static_cast<FaultKind>(kind);
    CHECK(in_words(fault).find('_') == std::string::npos);
  }
}
