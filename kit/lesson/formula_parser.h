// Text to postfix steps, one pass, one character of lookahead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ringside/lesson/formula.h"

namespace ringside::inline kit {

class FormulaParser {
 public:
  FormulaParser(const std::string& text, const std::vector<Symbol>& symbols);
  Formula parse();

 private:
  struct Match {
    const Symbol* symbol = nullptr;
    size_t bytes = 0;
  };

  void sum();
  void product();
  void factor();
  void primary();
  void number();
  void name();

  void skip_blanks();
  // The operator + - * / ( ) that comes next, however it is spelled; 0 where none does.
  char next_operator();
  void take_operator();
  bool at_number() const;
  bool at_end() const { return at_ == text_.size(); }
  Match match(bool any_case) const;  // bytes 0: none; symbol null: several
  void emit(Formula::Kind kind, size_t place) { result_.steps_.push_back({kind, 0, 0, place}); }

  size_t place() const;                                        // of at_, in characters, from 1
  [[noreturn]] void reject(const std::string& problem) const;  // here
  std::string next_word() const;                               // what stands here, for a message

  const std::string& text_;
  const std::vector<Symbol>& symbols_;
  Formula result_;
  size_t at_ = 0;
  size_t operator_bytes_ = 0;  // of what next_operator() saw
  int depth_ = 0;
};

}  // namespace ringside::inline kit
