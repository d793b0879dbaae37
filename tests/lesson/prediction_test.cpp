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

// ---- Judged -------------------------------------------------------------------

namespace {

const std::vector<ParameterSpec> kRanks = {
    {.name = "ranks", .meaning = "", .unit = "", .default_value = "4", .minimum = 1, .maximum = 8}};

std::vector<Symbol> ranks_and_psi(const Config& config) {
  return {{"P", "of parameters", 2, {}, "Ψ"},
          {"N", "ranks", static_cast<double>(config.integer("ranks"))},
          {"Ψ", "parameters", 1}};
}

double worth(const std::string& text, const Config& config) {
  return Formula::parse(text, ranks_and_psi(config)).value(ranks_and_psi(config));
}

PredictionSpec asked(const std::string& right, const std::vector<std::string>& wrong) {
  PredictionSpec spec;
  spec.symbols = ranks_and_psi;
  spec.formula = [=](const Config& config) { return worth(right, config); };
  spec.formula_text = [=](const Config&) { return right; };
  for (const std::string& text : wrong)
    spec.wrong.push_back({text, [=](const Config& config) { return worth(text, config); },
                          [=](const Config&) { return text; }, "why " + text});
  return spec;
}

Judgement judged(const PredictionSpec& spec, const std::string& typed, const std::string& ranks = "4") {
  const Config config = Config::parse("demo", kRanks, {"ranks=" + ranks});
  const auto symbols = ranks_and_psi(config);
  return judge(spec, config, read_as(Formula::parse(typed, symbols), symbols));
}

}  // namespace

TEST_CASE("A formula is right where it is right at every number of ranks") {
  const PredictionSpec spec = asked("8Ψ+8Ψ/N", {"16Ψ/N"});
  for (const char* same : {"8Ψ+8Ψ/N", "8P + 8P/N", "(8N+8)Ψ/N", "8(1+1/N)"}) {
    INFO(same);
    CHECK(judged(spec, same).right);
    CHECK_FALSE(judged(spec, same).elsewhere);
  }
  const Judgement here = judged(spec, "6P+16P/N");  // 10 at 4 ranks, as is the right one
  CHECK_FALSE(here.right);
  REQUIRE(here.elsewhere);
  CHECK(in_words(*here.elsewhere) == "right at 4 ranks, wrong at 64");
  CHECK(here.elsewhere->mine == Approx(6.25));
  CHECK(here.elsewhere->right == Approx(8.125));
  CHECK(here.errors.empty());
  CHECK(judged(spec, "10").right);  // a number is one at this scenario
}

TEST_CASE("An error is named only where its formula fits at every number of ranks") {
  const PredictionSpec spec = asked("4Ψ+12Ψ/N", {"16Ψ/N", "4Ψ"});
  CHECK(judged(spec, "16P/N").errors == std::vector<NamedError>{{"16Ψ/N", "why 16Ψ/N"}});
  CHECK(judged(spec, "2P+8P/N").errors.empty());  // 4 at 4 ranks, as both of them
  CHECK(judged(spec, "4P").errors == std::vector<NamedError>{{"4Ψ", "why 4Ψ"}});
  CHECK(judged(spec, "4").errors.size() == 2);  // as a number it may be either
}

TEST_CASE("A formula without a value somewhere is wrong there") {
  const PredictionSpec spec = asked("4Ψ+12Ψ/N", {});
  const Judgement judgement = judged(spec, "7Ψ + 0/(N-2)", "4");
  REQUIRE(judgement.elsewhere);
  CHECK(judgement.elsewhere->ranks == 64);
  const Judgement at_two = judged(asked("7Ψ", {}), "7Ψ + 0/(N-2)");
  REQUIRE(at_two.elsewhere);
  CHECK(at_two.elsewhere->ranks == 2);
  CHECK(std::isnan(at_two.elsewhere->mine));
}
