// A case that is solved by looking: what is asked, what is judged.
#include "ringside/lesson/investigation.h"

#include <catch.h>

#include "ringside/base/error.h"
#include "ringside/lesson/parameter_specs.h"

using namespace ringside;

namespace {

Config answered_by(const std::vector<std::string>& words) {
  std::vector<ParameterSpec> specs = investigation_parameters("act 1", 4, {"killed", "inside"});
  specs.push_back(number("ranks", "N", "", "4", 1, 8));
  return Config::parse("demo", specs, words);
}

Trace two_cases() {
  const auto store = TraceStore::create("cases");
  store->add_section("case 2", {{kCulprit, 3}, {kCause, "killed"}, {kSays, "was killed"}}, 1);
  store->add_section("case 3", {{kCulprit, 1}, {kCause, kAllInside}}, 1);
  store->add_section("symptom", {{kCulprit, 1}, {kCause, "killed"}}, 1);
  return store->snapshot();
}

}  // namespace

TEST_CASE("which sections belong to a case, and which tell its answer") {
  CHECK(case_of("case 12 check") == 12);
  CHECK(case_of("symptom") == 0);
  CHECK(name_of_case(12) == "case 12");
  for (const char* section : {"case 2 fixed", "case 2 check", "fix rank"}) CHECK(tells(section));
  for (const char* section : {"case 2", "symptom", "fix timeout", "own"}) CHECK_FALSE(tells(section));
  for (const char* section : {"case 2", "symptom", "fix timeout"}) CHECK(is_investigated(section));
  for (const char* section : {"own", "live", "plan"}) CHECK_FALSE(is_investigated(section));
}

TEST_CASE("an answer is a rank and a cause; of the first case the rank alone") {
  const Trace trace = two_cases();
  const SectionView &two = *trace.find("case 2"), &three = *trace.find("case 3");
  CHECK(judge(two, "3", "killed", false) == Answered::kRight);
  CHECK(judge(two, "3", "inside", false) == Answered::kOnlyRank);
  CHECK(judge(two, "1", "killed", false) == Answered::kOnlyCause);
  CHECK(judge(two, kNobody, "inside", false) == Answered::kWrong);
  CHECK(judge(three, kNobody, "inside", false) == Answered::kRight);  // all are in the call
  CHECK(is_solved(answered_by({"culprit=3", "cause=killed"}), two));
  CHECK_FALSE(is_solved(answered_by({"culprit=3"}), two));
  CHECK(is_solved(answered_by({"cause=tell"}), two));
  CHECK(is_solved(answered_by({"culprit=1"}), *trace.find("symptom")));
  CHECK(truth_of(two) == "rank 3 was killed");
}

TEST_CASE("looks are words of the scenario; one that does not exist is refused") {
  CHECK(looks_of(answered_by({})).empty());
  CHECK(looks_of(answered_by({"look=logs,dump"})) == std::vector<std::string>{"logs", "dump"});
  CHECK(figure_of_look("dump") == "calls");
  CHECK(looks_words(1) == "1 look");
  CHECK_THROWS_AS(looks_of(answered_by({"look=nothing"})), UsageError);
  CHECK_THROWS_AS(check_answer(answered_by({"culprit=3", "ranks=3"})), UsageError);
  CHECK_NOTHROW(check_answer(answered_by({"culprit=nobody", "ranks=3"})));
}
