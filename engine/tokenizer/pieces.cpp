#include "pieces.h"

#include "letters.h"

namespace ringside::inline tokenizer {
namespace {

constexpr std::string_view kContractions[] = {"s", "t", "re", "ve", "m", "ll", "d"};
constexpr char32_t kLongS = 0x17F;  // whose capital is S: (?i:s) has it

// One piece, alternative by alternative: each gives its end, or `begin_` where it does not match.
class PieceScanner {
 public:
  PieceScanner(std::string_view text, size_t begin, PieceRule rule)
      : text_(text), begin_(begin), rule_(rule) {}

  size_t end() const {
    if (const size_t at = contraction(); at > begin_) return at;
    if (const size_t at = rule_ == PieceRule::kGpt2 ? spaced_run(LetterKind::kLetter) : word(); at > begin_)
      return at;
    if (const size_t at = rule_ == PieceRule::kGpt2 ? spaced_run(LetterKind::kNumber) : number(); at > begin_)
      return at;
    if (size_t at = spaced_run(LetterKind::kOther); at > begin_) {
      while (rule_ != PieceRule::kGpt2 && is_line_end(at)) ++at;
      return at;
    }
    return white_space();
  }

 private:
  bool is(size_t at, LetterKind kind) const {
    return at < text_.size() && kind_of(code_point(text_, at).code) == kind;
  }
  bool is_line_end(size_t at) const { return at < text_.size() && (text_[at] == '\r' || text_[at] == '\n'); }
  size_t next(size_t at) const { return code_point(text_, at).end; }
  size_t run(size_t at, LetterKind kind) const {
    while (is(at, kind)) at = next(at);
    return at;
  }

  size_t contraction() const {
    if (text_[begin_] != '\'') return begin_;
    for (const std::string_view word : kContractions) {
      size_t at = begin_ + 1, letter = 0;
      while (letter < word.size() && at < text_.size() && matches(code_point(text_, at).code, word[letter]))
        at = next(at), ++letter;
      if (letter == word.size()) return at;
    }
    return begin_;
  }
  bool matches(char32_t code, char letter) const {
    const auto small = static_cast<char32_t>(letter);
    if (code == small) return true;
    return rule_ != PieceRule::kGpt2 && (code == small - ('a' - 'A') || (letter == 's' && code == kLongS));
  }

  // [^\r\n\p{L}\p{N}]?\p{L}+
  size_t word() const {
    const bool sign =
        !is_line_end(begin_) && !is(begin_, LetterKind::kLetter) && !is(begin_, LetterKind::kNumber);
    const size_t at = sign ? next(begin_) : begin_, end = run(at, LetterKind::kLetter);
    return end > at ? end : begin_;
  }

  size_t number() const {
    size_t at = begin_;
    for (int digits = rule_ == PieceRule::kQwen2 ? 1 : 3; digits > 0 && is(at, LetterKind::kNumber); --digits)
      at = next(at);
    return at;
  }

  // A space or none, then one or more of the kind.
  size_t spaced_run(LetterKind kind) const {
    const size_t at = begin_ + (text_[begin_] == ' ' ? 1 : 0), end = run(at, kind);
    return end > at ? end : begin_;
  }

  size_t white_space() const {
    size_t last = begin_, before_last = begin_, behind_line = begin_;
    while (is(last, LetterKind::kSpace)) {
      before_last = last;
      last = next(last);
      if (is_line_end(before_last)) behind_line = last;
    }
    if (rule_ != PieceRule::kGpt2 && behind_line > begin_) return behind_line;  // \s*[\r\n]+
    return last == text_.size() || before_last == begin_ ? last : before_last;  // \s+(?!\S), \s+
  }

  const std::string_view text_;
  const size_t begin_;
  const PieceRule rule_;
};

}  // namespace

PieceRule piece_rule(std::string_view pattern) {
  constexpr std::string_view kWords = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})";
  constexpr std::string_view kRest = R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  if (pattern == R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)")
    return PieceRule::kGpt2;
  if (!pattern.starts_with(kWords) || !pattern.ends_with(kRest)) return PieceRule::kNone;
  const std::string_view between =
      pattern.substr(kWords.size(), pattern.size() - kWords.size() - kRest.size());
  return between == "{1,3}" ? PieceRule::kLlama3 : between.empty() ? PieceRule::kQwen2 : PieceRule::kNone;
}

size_t piece_end(std::string_view text, size_t at, PieceRule rule) {
  return rule == PieceRule::kNone ? text.size() : PieceScanner(text, at, rule).end();
}

}  // namespace ringside::inline tokenizer
