#include "ringside/lesson/prediction.h"

#include <cmath>

#include "catch.h"

using namespace ringside;

namespace {

std::function<double(const Config&)> constant(double value) {
  return [value](const Config&) { return value; };
}

PredictionSpec right_and_wrong(double right, std::vector<double> wrong) {
  PredictionSpec prediction;
  prediction.formula = constant(right);
  for (const double value : wrong) prediction.wrong.push_back({"", constant(value)});
  for (size_t i = 0; i < wrong.size(); ++i)
    prediction.wrong[i].name = std::string(1, static_cast<char>('a' + i));
  return prediction;
}

const Config kNothing = Config::parse("demo", {}, {});

std::string named(const PredictionSpec& prediction, double answer) {
  std::string names;
  for (const WrongAnswer& wrong : named_wrong(prediction, kNothing, answer)) names += wrong.name;
  return names;
}

}  // namespace

TEST_CASE("A wrong value tells itself apart from 5% on") {
  CHECK(tells_apart(100, 105));
  CHECK(tells_apart(100, 95));
  CHECK_FALSE(tells_apart(100, 104.9));
  CHECK_FALSE(tells_apart(100, NAN));
  CHECK_FALSE(tells_apart(100, INFINITY));
  CHECK(tells_apart(0, 1e-9));
  CHECK_FALSE(tells_apart(0, 0));
}

TEST_CASE("A question may be asked where every wrong answer that applies stands apart") {
  CHECK(askable(right_and_wrong(100, {50, 106, NAN}), kNothing));
  CHECK_FALSE(askable(right_and_wrong(100, {50, 104}), kNothing));
  CHECK_FALSE(askable(right_and_wrong(0, {0}), kNothing));
  CHECK(askable(right_and_wrong(0, {}), kNothing));
}

TEST_CASE("An answer names the mistakes that lead to it, all of them") {
  const PredictionSpec prediction = right_and_wrong(100, {50, 51, 80, 101, NAN});
  CHECK(named(prediction, 50) == "ab");
  CHECK(named(prediction, 51.2) == "ab");
  CHECK(named(prediction, 48.75) == "a");
  CHECK(named(prediction, 81.9) == "c");
  CHECK(named(prediction, 82.1) == "");
  CHECK(named(prediction, 101) == "");  // too near to the right answer
  CHECK(named(prediction, NAN) == "");
}
