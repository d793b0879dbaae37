#include "ringside/lesson/formula.h"

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
#include "ringside/base/random.h"

using namespace ringside;

namespace {

// The symbols of a question about state, at four ranks in bf16.
const std::vector<Symbol> kSymbols = {
    {"P", "parameters, bytes", 2, {}, "Ψ"},    {"G", "gradients, bytes", 2}, {"O", "optimizer, bytes", 12},
    {"Ψ", "parameters", 1, {"psi", "Y", "ψ"}}, {"N", "ranks", 4, {"ranks"}},
};

double value(const std::string& text) { return Formula::parse(text, kSymbols).value(kSymbols); }

std::string surrounded(size_t count, char before, char after) {
  std::string text(count, before);
  text.push_back('7');
  text.append(after == 0 ? 0 : count, after);
  return text;
}

std::string failure(const std::string& text) {
  return message_of<UsageError>([&] { value(text); });
}

double value_as_read(const std::string& text) {
  return read_as(Formula::parse(text, kSymbols), kSymbols).value(kSymbols);
}

}  // namespace

TEST_CASE("numbers, signs, brackets, and factors that follow without a sign") {
  CHECK(value("1") == 1);
  CHECK(value(" 2.5 ") == 2.5);
  CHECK(value("1e3") == 1000);
  CHECK(value(".5") == 0.5);
  CHECK(value("1 - 2 - 3") == -4);
  CHECK(value("2+3*4") == 14);
  CHECK(value("(2+3)*4") == 20);
  CHECK(value("12/3/2") == 2);
  CHECK(value("-2 + +3") == 1);
  CHECK(value("2--3") == 5);
  CHECK(value("2*-3") == -6);
  CHECK(value("2×3·4÷6−1") == 3);
  CHECK(value("2\u00a0+\t3") == 5);
  CHECK(value("2P") == 4);
  CHECK(value("2(N-1)") == 6);
  CHECK(value("(N-1)(N+1)") == 15);
  CHECK(value("PN") == 8);
  CHECK(value("14Ψ/N") == 3.5);
  CHECK(value("2Ψ + 14Ψ/N") == 5.5);
  CHECK(value("14Ψ/2N") == 28);
  CHECK(value("P + (G+O)/N") == 5.5);
  CHECK(value("100(N-1)/N") == 75);
}

TEST_CASE("symbols by name, alias and case; a formula keeps its text and holds at other scenarios") {
  for (const char* psi : {"3Ψ", "3psi", "3Psi", "3PSI", "3Y", "3y", "3ψ"}) CHECK(value(psi) == 3);
  CHECK(value("n") == 4);
  CHECK(value("2ranks") == 8);
  CHECK(value("p+g+o") == 16);
  const std::vector<Symbol> both = {{"G", "", 2}, {"g", "", 8}, {"Gb", "", 1}, {"gB", "", 1}};
  CHECK(Formula::parse("G", both).value(both) == 2);
  CHECK(Formula::parse("g", both).value(both) == 8);
  CHECK_THROWS_AS(Formula::parse("GB", both), UsageError);
  const Formula formula = Formula::parse("2psi + 14Ψ/n", kSymbols);
  CHECK(formula.text() == "2psi + 14Ψ/n");
  CHECK(formula.uses() == std::vector<std::string>{"Ψ", "N"});
  std::vector<Symbol> eight = kSymbols;
  eight.back().value = 8;
  CHECK(formula.value(eight) == 3.75);
  CHECK_THROWS_AS(formula.value({}), UsageError);
}

TEST_CASE("what is malformed, too long or too deep is named; no answer is infinite or undefined") {
  CHECK(lacks(failure("2P + 3Q"), {"character 7", "'Q'", "numbers, + - * / ( ) and P, G, O", "Ψ (psi, Y"}) ==
        "");
  CHECK(lacks(failure("Ψ^2"), {"character 2", "'^'"}) == "");  // in characters, not in bytes
  CHECK(lacks(failure(""), {"character 1", "missing"}) == "");
  CHECK(lacks(failure("2+"), {"character 3", "missing"}) == "");
  CHECK(lacks(failure("(2"), {"closing bracket"}) == "");
  CHECK(lacks(failure("2)"), {"character 2", "')'"}) == "");
  CHECK(lacks(failure("2*/3"), {"character 3", "'/'"}) == "");
  CHECK(lacks(failure("2 3"), {"character 3", "sign"}) == "");
  CHECK(lacks(failure("N4"), {"character 2", "sign"}) == "");
  CHECK(lacks(failure("1e999"), {"too large"}) == "");
  for (const char* text : {"()", ".", "1.2.3", "2,5", "Phi", "2P=4", "nan", "inf", "0x10", "\xff", "2\n"})
    CHECK_THROWS_AS(value(text), UsageError);
  CHECK(value(surrounded(32, '(', ')')) == 7);
  CHECK(lacks(failure(surrounded(33, '(', ')')), {"32"}) == "");
  CHECK(value(surrounded(199, '-', 0)) == -7);
  CHECK(lacks(failure(surrounded(200, '-', 0)), {"201 bytes", "200"}) == "");
  CHECK(lacks(failure("1/(N-4)"), {"character 2", "division by zero"}) == "");
  CHECK(lacks(failure("0/0"), {"division by zero"}) == "");
  CHECK(lacks(failure("1e300*1e300"), {"too large"}) == "");
  CHECK(lacks(failure("1/1e-320"), {"too large"}) == "");
}

TEST_CASE("P is read as Ψ where it counts parameters, and stays bytes where it can be") {
  CHECK(value_as_read("2P+14P/N") == 5.5);
  CHECK(value_as_read("16P/N") == 4);
  CHECK(value_as_read("16p") == 16);
  CHECK(value_as_read("(2+14/N)P") == 5.5);
  CHECK(value_as_read("P*2 + P/N*14") == 5.5);
  CHECK(value_as_read("2(P + 7P/N)") == 5.5);
  CHECK(value_as_read("2P + (2P + 12P)/N") == 5.5);
  CHECK(value_as_read("P + (G+O)/N") == 5.5);
  CHECK(value_as_read("P + 7P/N") == 5.5);
  CHECK(value_as_read("P+G+O/N") == 7);
  CHECK(value_as_read("2P + G + O/N") == 9);  // somebody else's mistake, kept
  CHECK(value_as_read("2P + 14Ψ/N") == 7.5);
  CHECK(value_as_read("P") == 2);
  CHECK(value_as_read("2N") == 8);
  CHECK(value_as_read("4P/2P") == 8);
  CHECK(value_as_read("(-16P)*(-1)") == 16);  // Ψ: as bytes it would be 32
}

TEST_CASE("Any bytes are parsed or refused", "[one_thread]") {
  RandomStream random(1, "formula");
  const std::string likely = "0123456789.e+-*/() PGONpsiΨ×÷−·";
  int parsed = 0;
  for (int i = 0; i < 6000; ++i) {
    std::string text;
    const size_t length = random.below(i % 10 == 0 ? 220 : 12);
    for (size_t c = 0; c < length; ++c)
      text += i % 3 == 0 ? static_cast<char>(random.below(256)) : likely[random.below(likely.size())];
    try {
      const Formula formula = read_as(Formula::parse(text, kSymbols), kSymbols);
      ++parsed;
      CHECK(std::isfinite(formula.value(kSymbols)));
    } catch (const UsageError& error) {
      CHECK(std::string(error.what()).starts_with("formula"));
    }
  }
  CHECK(parsed > 50);
}
