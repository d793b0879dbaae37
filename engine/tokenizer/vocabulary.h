// The tokens of a byte-level vocabulary, by their bytes. The file writes a byte as a letter: those that can
// be seen as themselves, the others as the letters from U+0100 on, in their order ("Ġ" is a space).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ringside::inline tokenizer {

// The bytes that such letters stand for; nothing where one stands for none.
std::optional<std::string> bytes_of_letters(std::string_view letters);

// Grows token by token, then is sorted and asked.
class Vocabulary {
 public:
  explicit Vocabulary(size_t most_bytes) { text_.reserve(most_bytes); }

  void add(std::string_view letters, int32_t id);
  void add_merge(std::string_view left, std::string_view right);
  // JsonRejected: a token or an id that stands twice, a byte that is no token, a merge of what is none.
  void finish();

  std::optional<int32_t> find(std::string_view bytes) const;
  int32_t byte_token(uint8_t byte) const { return bytes_[byte]; }
  struct Joined {
    int32_t rank, id;  // the earlier, the smaller
  };
  const Joined* joined(int32_t left, int32_t right) const;
  int64_t size() const { return most_ + 1; }  // ids are below
  int64_t tokens() const { return int64_t(entries_.size()); }

 private:
  struct Stretch {
    uint32_t begin, bytes;
  };
  struct Entry {
    Stretch text;
    int32_t id;
  };
  struct Merge {
    Stretch left, right;  // neighbours in text_
  };
  Stretch keep(std::string_view bytes);
  std::string_view text(Stretch at) const { return std::string_view(text_).substr(at.begin, at.bytes); }
  void resolve_merges();

  std::string text_;  // of all of them
  std::deque<Entry> entries_;
  std::deque<Merge> merges_;
  std::unordered_map<uint64_t, Joined> joined_;
  int32_t bytes_[256] = {};
  int64_t most_ = -1;
};

// The tokens of one piece, behind `ids`.
void encode_piece(const Vocabulary& vocabulary, std::string_view piece, std::vector<int32_t>& ids);

}  // namespace ringside::inline tokenizer
