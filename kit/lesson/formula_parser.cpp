#include "formula_parser.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "ringside/base/error.h"
#include "ringside/base/text.h"
#include "ringside/lesson/suggest.h"

namespace ringside::inline kit {
namespace {

constexpr size_t kMostTyped = 200;
constexpr int kMostNesting = 32;

constexpr std::pair<std::string_view, char> kOperators[] = {
    {"+", '+'}, {"-", '-'}, {"−", '-'}, {"*", '*'}, {"×", '*'}, {"·", '*'},
    {"⋅", '*'}, {"/", '/'}, {"÷", '/'}, {"(", '('}, {")", ')'},
};
constexpr std::string_view kBlanks[] = {" ", "\t", "\u00a0", "\u2009", "\u202f"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }

bool starts(std::string_view text, std::string_view name, bool any_case) {
  if (name.empty() || text.size() < name.size()) return false;
  return std::equal(name.begin(), name.end(), text.begin(),
                    [&](char a, char b) { return any_case ? lower(a) == lower(b) : a == b; });
}

// "Ψ (psi, Y), N"
std::string names_of(const std::vector<Symbol>& symbols) {
  std::vector<std::string> names;
  for (const Symbol& symbol : symbols)
    names.push_back(symbol.name + (symbol.aliases.empty() ? "" : " (" + join(symbol.aliases) + ")"));
  return join(names);
}

}  // namespace

FormulaParser::FormulaParser(const std::string& text, const std::vector<Symbol>& symbols)
    : text_(text), symbols_(symbols) {}

Formula FormulaParser::parse() {
  if (text_.size() > kMostTyped)
    throw UsageError("formula: " + std::to_string(text_.size()) + " bytes; allowed are " +
                     std::to_string(kMostTyped));
  result_.text_ = text_;
  sum();
  if (!at_end()) reject(next_operator() == ')' ? "nothing that this closes" : "not expected here");
  return std::move(result_);
}

void FormulaParser::sum() {
  product();
  for (char op = next_operator(); op == '+' || op == '-'; op = next_operator()) {
    const size_t where = place();
    take_operator();
    product();
    emit(op == '+' ? Formula::Kind::kAdd : Formula::Kind::kSubtract, where);
  }
}

void FormulaParser::product() {
  factor();
  for (;;) {
    const char op = next_operator();
    const size_t where = place();
    if (op == '*' || op == '/') {
      take_operator();
    } else if (op != '(' && (op != 0 || at_end() || !is_letter(text_[at_]))) {
      if (at_number()) reject("a number behind a factor needs a sign between them");
      return;
    }
    factor();
    emit(op == '/' ? Formula::Kind::kDivide : Formula::Kind::kMultiply, where);
  }
}

void FormulaParser::factor() {
  bool negative = false;
  size_t where = 0;
  for (char sign = next_operator(); sign == '+' || sign == '-'; sign = next_operator()) {
    if (sign == '-') negative = !negative;
    where = place();
    take_operator();
  }
  primary();
  if (negative) emit(Formula::Kind::kNegate, where);
}

void FormulaParser::primary() {
  const char op = next_operator();
  if (at_end()) reject("something is missing");
  if (op == '(') {
    if (++depth_ > kMostNesting) reject("brackets more than " + std::to_string(kMostNesting) + " deep");
    take_operator();
    sum();
    if (next_operator() != ')') reject(at_end() ? "a closing bracket is missing" : "not expected here");
    take_operator();
    --depth_;
  } else if (op != 0) {
    reject("a number or a symbol is missing before it");
  } else if (at_number()) {
    number();
  } else {
    name();
  }
}

void FormulaParser::number() {
  const size_t where = place();
  double value = 0;
  const char* begin = text_.data() + at_;
  const auto [stop, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (error == std::errc::result_out_of_range) reject("too large or too small to represent");
  if (error != std::errc{}) reject("not a number");
  at_ += size_t(stop - begin);
  result_.steps_.push_back({Formula::Kind::kNumber, value, 0, where});
}

void FormulaParser::name() {
  Match found = match(false);
  // "PSI" is no P: what fits in another case may be longer.
  if (const Match other = match(true); other.bytes > found.bytes) found = other;
  if (found.bytes == 0) reject("not known");
  if (found.symbol == nullptr) reject("several symbols differ from it in case only");
  auto& uses = result_.uses_;
  const auto known = std::ranges::find(uses, found.symbol->name);
  const auto index = size_t(known - uses.begin());
  if (known == uses.end()) uses.push_back(found.symbol->name);
  result_.steps_.push_back({Formula::Kind::kSymbol, 0, index, place()});
  at_ += found.bytes;
}

FormulaParser::Match FormulaParser::match(bool any_case) const {
  const std::string_view rest = std::string_view(text_).substr(at_);
  Match best;
  const auto consider = [&](const Symbol& symbol, const std::string& name) {
    if (!starts(rest, name, any_case) || name.size() < best.bytes) return;
    const bool contested = name.size() == best.bytes && best.symbol != &symbol;
    best = {contested ? nullptr : &symbol, name.size()};
  };
  for (const Symbol& symbol : symbols_) {
    consider(symbol, symbol.name);
    for (const std::string& alias : symbol.aliases) consider(symbol, alias);
  }
  return best;
}

void FormulaParser::skip_blanks() {
  const auto is_next = [&](std::string_view blank) { return text_.compare(at_, blank.size(), blank) == 0; };
  for (;;) {
    const auto* blank = std::ranges::find_if(kBlanks, is_next);
    if (blank == std::end(kBlanks)) return;
    at_ += blank->size();
  }
}

char FormulaParser::next_operator() {
  skip_blanks();
  for (const auto& [spelling, op] : kOperators) {
    if (text_.compare(at_, spelling.size(), spelling) != 0) continue;
    operator_bytes_ = spelling.size();
    return op;
  }
  return 0;
}

void FormulaParser::take_operator() { at_ += operator_bytes_; }

bool FormulaParser::at_number() const {
  if (at_end()) return false;
  return is_digit(text_[at_]) || (text_[at_] == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]));
}

size_t FormulaParser::place() const { return 1 + columns(std::string_view(text_).substr(0, at_)); }

std::string FormulaParser::next_word() const {
  size_t end = at_;
  while (end < text_.size() && is_letter(text_[end])) ++end;
  if (end == at_) end = std::min(at_ + 1, text_.size());
  std::string word = text_.substr(at_, end - at_);
  // Bytes that a terminal or a font could choke on are not repeated.
  for (char& c : word)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return word;
}

void FormulaParser::reject(const std::string& problem) const {
  const std::string word = next_word();
  throw UsageError("formula, character " + std::to_string(place()) +
                   (word.empty() ? "" : ", '" + word + "'") + ": " + problem +
                   "; allowed are numbers, + - * / ( )" +
                   (symbols_.empty() ? "" : " and " + names_of(symbols_)));
}

}  // namespace ringside::inline kit
