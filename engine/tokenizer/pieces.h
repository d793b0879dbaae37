// A text in pieces, of which none is joined with another. The files say it as a regular expression; three are
// known, and scanned for without a library of those:
//
//   GPT-2     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//   Llama 3   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*
//             |\s*[\r\n]+|\s+(?!\S)|\s+
//   Qwen2     the same, with \p{N}, a digit
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ringside::inline tokenizer {

enum class PieceRule : uint8_t { kNone, kGpt2, kLlama3, kQwen2 };  // kNone: all is one piece

// What follows `Regex` in the file; kNone: another.
PieceRule piece_rule(std::string_view pattern);
// Where the piece that begins at `at` ends. text: valid UTF-8.
size_t piece_end(std::string_view text, size_t at, PieceRule rule);

}  // namespace ringside::inline tokenizer
