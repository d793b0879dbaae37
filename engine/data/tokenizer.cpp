#include "ringside/data/tokenizer.h"

#include <algorithm>

#include "ringside/base/check.h"

namespace ringside {

std::vector<int32_t> tokenize(std::string_view bytes, int64_t max_tokens) {
  RINGSIDE_CHECK_GE(max_tokens, 1);
  const size_t kept = std::min(bytes.size(), static_cast<size_t>(max_tokens - 1));
  std::vector<int32_t> tokens;
  tokens.reserve(kept + 1);
  for (const char byte : bytes.substr(0, kept)) tokens.push_back(static_cast<unsigned char>(byte));
  tokens.push_back(kEndToken);
  return tokens;
}

}  // namespace ringside
