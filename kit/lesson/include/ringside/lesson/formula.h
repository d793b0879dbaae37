// What a learner types as an answer: "2Ψ + 14Ψ/N", "2P+14P/N", "1.5", "2(N-1)/N".
//
//   sum     = product { (+ | -) product }
//   product = factor { (* | /) factor | factor }     left to right: 14Ψ/2N is (14Ψ/2)N
//   factor  = { + | - } ( number | symbol | "(" sum ")" )
//
// A factor that follows without a sign begins with a symbol or a bracket: "2P", "2(N-1)". × · ÷ −
// are accepted, blanks are free. At most 200 bytes and 32 brackets deep, so that parsing is cheap
// enough for every key that is pressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ringside::inline kit {

// Something that a formula may name, with its value at one scenario.
struct Symbol {
  std::string name, meaning;  // "Ψ", "parameters"
  double value = 0;
  std::vector<std::string> aliases = {};  // as it may be typed: "psi", "Y"
  std::string read_as = {};               // the symbol that may be meant instead; see read_as()
};

class Formula {
 public:
  // UsageError naming the place and what is allowed. A symbol is the longest name or alias that fits; in
  // another case of letters where no name fits as it stands and only one symbol does.
  static Formula parse(const std::string& text, const std::vector<Symbol>& symbols);

  // With these values, of another scenario perhaps. UsageError where it divides by zero, is not
  // finite, or a symbol that it uses is not among them.
  double value(const std::vector<Symbol>& symbols) const;
  const std::string& text() const { return text_; }               // as typed
  const std::vector<std::string>& uses() const { return uses_; }  // symbols, in order of first use

 private:
  friend class FormulaParser;
  friend Formula read_as(Formula formula, const std::vector<Symbol>& symbols);
  enum class Kind : uint8_t { kNumber, kSymbol, kNegate, kAdd, kSubtract, kMultiply, kDivide };
  struct Step {  // in postfix order
    Kind kind;
    double number = 0;  // kNumber
    size_t symbol = 0;  // kSymbol: into uses_
    size_t place = 0;   // in characters of the text, from 1
  };
  Formula() = default;
  double least_factor(const std::string& symbol) const;

  std::string text_;
  std::vector<Step> steps_;
  std::vector<std::string> uses_;
};

// P may stand for the bytes of all parameters, but people write "2P + 14P/N" and mean their number. A
// formula in one symbol that has a read_as, and otherwise at most N, with a number of 2 or more before
// each of its uses, is read with the other symbol. Anything else comes back as it was.
Formula read_as(Formula formula, const std::vector<Symbol>& symbols);

}  // namespace ringside::inline kit
