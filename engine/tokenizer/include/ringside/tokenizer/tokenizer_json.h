// A Hugging Face tokenizer.json of byte-level BPE, as of GPT-2, Qwen2 and Llama 3. Sennrich et al. 2016,
// arXiv:1508.07909; over bytes: Radford et al. 2019. A text goes
//
//   bytes that are no UTF-8 -> U+FFFD; added tokens -> their ids; the rest, by NFC if the file says so
//     -> pieces (words with the space before them, numbers, signs, white space; pieces.h)
//     -> each piece's bytes, of which two neighbours are joined again and again: those of the earliest merge
//     -> the tokens that the file puts in front and behind
//
// and has the ids that the `tokenizers` library gives. The file is from outside: nothing in it is believed
// before it is bounded. Reading takes about twice the file. What this has none of is refused by name: other
// models than BPE, merges over words' ends, other patterns of pieces, normalizers but NFC, added tokens with
// lstrip, rstrip or single_word.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "ringside/data/tokenizer.h"

namespace ringside::inline tokenizer {

inline constexpr size_t kMostTokenizerBytes = size_t{64} << 20;
inline constexpr int32_t kMostTokens = 4'000'000;

// InputError naming `source`, the field and what is allowed. MissingError where this was built without
// utf8proc.
std::unique_ptr<Tokenizer> parse_tokenizer(std::string json, const std::string& source);
std::unique_ptr<Tokenizer> read_tokenizer(
    const std::filesystem::path& path);  // a file, or a folder that has it

}  // namespace ringside::inline tokenizer
