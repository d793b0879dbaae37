#include "ringside/lesson/prediction.h"

#include "catch.h"
#include "ringside/base/error.h"
#include "ringside/lesson/investigation.h"
#include "ringside/lesson/parameter_specs.h"

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

// A case that is solved by looking: what is asked, what is judged.
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

TEST_CASE("a wrong value tells itself apart from 5% on; an answer names mistakes that lead to it") {
  CHECK(tells_apart(100, 105));
  CHECK(tells_apart(100, 95));
  CHECK_FALSE(tells_apart(100, 104.9));
  CHECK_FALSE(tells_apart(100, NAN));
  CHECK_FALSE(tells_apart(100, INFINITY));
  CHECK(tells_apart(0, 1e-9));
  CHECK_FALSE(tells_apart(0, 0));
  CHECK(askable(right_and_wrong(100, {50, 106, NAN}), kNothing));
  CHECK_FALSE(askable(right_and_wrong(100, {50, 104}), kNothing));
  CHECK_FALSE(askable(right_and_wrong(0, {0}), kNothing));
  CHECK(askable(right_and_wrong(0, {}), kNothing));
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

TEST_CASE("an error is named only where its formula has a value and fits at all ranks") {
  const PredictionSpec spec = asked("4Ψ+12Ψ/N", {"16Ψ/N", "4Ψ"});
  CHECK(judged(spec, "16P/N").errors == std::vector<NamedError>{{"16Ψ/N", "why 16Ψ/N"}});
  CHECK(judged(spec, "2P+8P/N").errors.empty());  // 4 at 4 ranks, as both of them
  CHECK(judged(spec, "4P").errors == std::vector<NamedError>{{"4Ψ", "why 4Ψ"}});
  CHECK(judged(spec, "4").errors.size() == 2);  // as a number it may be either
  PredictionSpec without_text = asked("4Ψ+12Ψ/N", {"4Ψ"});
  without_text.wrong[0].text = nullptr;
  CHECK(judged(without_text, "2P+8P/N").errors.size() ==
        1);  // 4 here, and nothing to compare it by elsewhere
  const PredictionSpec broken = asked("4Ψ+12Ψ/N", {});
  const Judgement judgement = judged(broken, "7Ψ + 0/(N-2)", "4");
  REQUIRE(judgement.elsewhere);
  CHECK(judgement.elsewhere->ranks == 64);
  const Judgement at_two = judged(asked("7Ψ", {}), "7Ψ + 0/(N-2)");
  REQUIRE(at_two.elsewhere);
  CHECK(at_two.elsewhere->ranks == 2);
  CHECK(std::isnan(at_two.elsewhere->mine));
}

TEST_CASE("sections belong to cases, whose answer is a rank and a cause") {
  CHECK(case_of("case 12 check") == 12);
  CHECK(case_of("symptom") == 0);
  CHECK(name_of_case(12) == "case 12");
  for (const char* section : {"case 2 fixed", "case 2 check", "fix rank"}) CHECK(tells(section));
  for (const char* section : {"case 2", "symptom", "fix timeout", "own"}) CHECK_FALSE(tells(section));
  for (const char* section : {"case 2", "symptom", "fix timeout"}) CHECK(is_investigated(section));
  for (const char* section : {"own", "live", "plan"}) CHECK_FALSE(is_investigated(section));
  CHECK(looks_of(answered_by({})).empty());
  CHECK(looks_of(answered_by({"look=logs,dump"})) == std::vector<std::string>{"logs", "dump"});
  CHECK(figure_of_look("dump") == "calls");
  CHECK(looks_words(1) == "1 look");
  CHECK_THROWS_AS(looks_of(answered_by({"look=nothing"})), UsageError);
  CHECK_THROWS_AS(check_answer(answered_by({"culprit=3", "ranks=3"})), UsageError);
  CHECK_NOTHROW(check_answer(answered_by({"culprit=nobody", "ranks=3"})));
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
