// A tokenizer of byte-level BPE, as its file declares it.
#pragma once

#include <string>
#include <vector>

#include "pieces.h"
#include "ringside/data/tokenizer.h"
#include "vocabulary.h"

namespace ringside::inline tokenizer {

struct AddedToken {
  std::string text;
  int32_t id = 0;
  bool normalized = false;  // looked for behind the normalizer
};

struct BytePairs {
  std::vector<AddedToken> added{};  // the longest of those that begin at a place is taken
  bool nfc = false;
  PieceRule rule = PieceRule::kGpt2;
  bool space_in_front = false;  // of each stretch without one
  bool whole_pieces = false;    // a piece that is a token is that token ("ignore_merges")
  std::vector<int32_t> front{}, behind{};
  int32_t padding = 0;
  Vocabulary vocabulary;
};

class BytePairTokenizer final : public Tokenizer {
 public:
  explicit BytePairTokenizer(BytePairs parts);
  std::vector<int32_t> encode(std::string_view text, int64_t max_tokens) const override;
  int64_t vocabulary() const override { return size_; }
  int32_t padding() const override { return parts_.padding; }
  std::string description() const override;

 private:
  void encode_plain(std::string_view text, std::vector<int32_t>& ids) const;
  // Hands each stretch without an added token to `plain`, between them their ids to `ids`.
  template <typename Plain>
  void around_added(std::string_view text, bool normalized, std::vector<int32_t>& ids,
                    const Plain& plain) const;

  BytePairs parts_;
  int64_t size_ = 0;
};

}  // namespace ringside::inline tokenizer
