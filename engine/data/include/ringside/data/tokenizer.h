// Text to tokens. A byte is a token (dataset.h); others read a file of their own
// (tokenizer/tokenizer_json.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::inline data {

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  // With the tokens that the tokenizer puts in front of a text and behind it; cut to max_tokens. A text may
  // have none at all.
  virtual std::vector<int32_t> encode(std::string_view text, int64_t max_tokens) const = 0;
  virtual int64_t vocabulary() const = 0;             // tokens are 0 to vocabulary - 1
  virtual int32_t padding() const = 0;                // which no text has, where there is such a token
  virtual bool takes_bytes() const { return false; }  // of anything, as of pixels
  virtual std::string description() const = 0;        // "bytes", for people
};

// dataset.h's tokenize(): each byte, and kEndToken behind them, which stays where a text is cut.
const Tokenizer& byte_tokenizer();

}  // namespace ringside::inline data
