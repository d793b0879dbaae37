#include "ringside/data/dataset.h"
#include "ringside/data/tokenizer.h"

namespace ringside::inline data {
namespace {

class ByteTokenizer final : public Tokenizer {
 public:
  std::vector<int32_t> encode(std::string_view text, int64_t max_tokens) const override {
    return tokenize(text, max_tokens);
  }
  int64_t vocabulary() const override { return kByteVocabulary; }
  int32_t padding() const override { return kPadToken; }
  bool takes_bytes() const override { return true; }
  std::string description() const override { return "bytes"; }
};

}  // namespace

const Tokenizer& byte_tokenizer() {
  static const ByteTokenizer tokenizer;
  return tokenizer;
}

}  // namespace ringside::inline data
