// Byte tokenizer: a token is a byte, plus two specials. Any bytes are valid input.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ringside {

inline constexpr int32_t kPadToken = 256;  // right padding
inline constexpr int32_t kEndToken = 257;  // ends every sequence; pooling reads the model there
inline constexpr int32_t kByteVocabulary = 258;

// At most max_tokens tokens, the last of which is kEndToken. max_tokens >= 1.
std::vector<int32_t> tokenize(std::string_view bytes, int64_t max_tokens);

}  // namespace ringside
