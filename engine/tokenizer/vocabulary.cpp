#include "vocabulary.h"

#include <algorithm>
#include <array>
#include <queue>

#include "ringside/base/json.h"
#include "ringside/base/text.h"

namespace ringside::inline tokenizer {
namespace {

constexpr size_t kMostLetters = 324;  // of 256 bytes, 68 are written as letters from U+0100 on

bool can_be_seen(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

// The byte of each letter; -1: of none.
const std::array<int16_t, kMostLetters>& bytes_by_letter() {
  static const auto table = [] {
    std::array<int16_t, kMostLetters> bytes;
    bytes.fill(-1);
    for (int byte = 0, others = 0; byte < 256; ++byte)
      bytes[size_t(can_be_seen(byte) ? byte : 256 + others++)] = static_cast<int16_t>(byte);
    return bytes;
  }();
  return table;
}

uint64_t pair_key(int32_t left, int32_t right) { return uint64_t(uint32_t(left)) << 32 | uint32_t(right); }

}  // namespace

std::optional<std::string> bytes_of_letters(std::string_view letters) {
  std::string bytes;
  while (!letters.empty()) {
    const Letter letter = first_letter(letters);
    const int16_t byte =
        letter.valid && letter.code < kMostLetters ? bytes_by_letter()[letter.code] : int16_t{-1};
    if (byte < 0) return std::nullopt;
    bytes.push_back(char(byte));
    letters.remove_prefix(letter.bytes);
  }
  return bytes;
}

Vocabulary::Stretch Vocabulary::keep(std::string_view bytes) {
  const Stretch at{static_cast<uint32_t>(text_.size()), uint32_t(bytes.size())};
  text_ += bytes;
  return at;
}

// A token with other letters is none that bytes are joined to: its id counts, no more.
void Vocabulary::add(std::string_view letters, int32_t id) {
  most_ = std::max<int64_t>(most_, id);
  const auto bytes = bytes_of_letters(letters);
  if (bytes && !bytes->empty()) entries_.push_back({keep(*bytes), id});
}

void Vocabulary::add_merge(std::string_view left, std::string_view right) {
  const auto a = bytes_of_letters(left), b = bytes_of_letters(right);
  if (!a || !b || a->empty() || b->empty())
    throw JsonRejected("merges: '{} {}' are no letters of bytes", as_typed(left), as_typed(right));
  const Stretch first = keep(*a);
  merges_.push_back({first, keep(*b)});
}

std::optional<int32_t> Vocabulary::find(std::string_view bytes) const {
  const auto found =
      std::ranges::lower_bound(entries_, bytes, {}, [&](const Entry& e) { return text(e.text); });
  if (found == entries_.end() || text(found->text) != bytes) return std::nullopt;
  return found->id;
}

void Vocabulary::finish() {
  std::ranges::sort(entries_, {}, [&](const Entry& e) { return text(e.text); });
  for (size_t i = 1; i < entries_.size(); ++i)
    if (text(entries_[i].text) == text(entries_[i - 1].text))
      throw JsonRejected("vocab: '{}' stands twice", as_typed(text(entries_[i].text)));
  for (int byte = 0; byte < 256; ++byte) {
    const char letter = char(byte);
    const auto id = find({&letter, 1});
    if (!id)
      throw JsonRejected("vocab: the byte 0x{:02x} is no token; allowed are vocabularies with all bytes",
                         byte);
    bytes_[byte] = *id;
  }
  resolve_merges();
}

void Vocabulary::resolve_merges() {
  joined_.reserve(merges_.size());
  for (int32_t rank = 0; !merges_.empty(); ++rank, merges_.pop_front()) {
    const Merge& merge = merges_.front();
    const auto left = find(text(merge.left)), right = find(text(merge.right));
    const auto both = find(text({merge.left.begin, merge.left.bytes + merge.right.bytes}));
    if (!left || !right || !both)
      throw JsonRejected("merges: of '{}' and '{}' not all is in the vocabulary", as_typed(text(merge.left)),
                         as_typed(text(merge.right)));
    joined_[pair_key(*left, *right)] = {rank, *both};
  }
}

const Vocabulary::Joined* Vocabulary::joined(int32_t left, int32_t right) const {
  const auto found = joined_.find(pair_key(left, right));
  return found == joined_.end() ? nullptr : &found->second;
}

namespace {

struct Symbol {
  int32_t id, before, behind;  // neighbours; -1: none
  bool gone = false;
};
struct Candidate {
  int32_t rank, at, left, right, id;  // the symbol at `at` and the one behind it, as they were
  bool operator>(const Candidate& other) const {
    return std::pair(rank, at) > std::pair(other.rank, other.at);
  }
};

class Joining {
 public:
  Joining(const Vocabulary& vocabulary, std::string_view piece) : vocabulary_(vocabulary) {
    const auto count = int32_t(piece.size());
    symbols_.reserve(piece.size());
    for (int32_t i = 0; i < count; ++i)
      symbols_.push_back(
          {vocabulary.byte_token(uint8_t(piece[size_t(i)])), i - 1, i + 1 < count ? i + 1 : -1});
    for (int32_t i = 0; i + 1 < count; ++i) consider(i);
  }

  // The earliest merge first, of equal ones the first in the text.
  void join() {
    while (!queue_.empty()) {
      const Candidate next = queue_.top();
      queue_.pop();
      Symbol& left = at(next.at);
      if (left.gone || left.id != next.left || left.behind < 0 || at(left.behind).id != next.right) continue;
      Symbol& right = at(left.behind);
      left.id = next.id, right.gone = true, left.behind = right.behind;
      if (right.behind >= 0) at(right.behind).before = next.at;
      if (left.before >= 0) consider(left.before);
      consider(next.at);
    }
  }

  void append_to(std::vector<int32_t>& ids) const {
    for (const Symbol& symbol : symbols_)
      if (!symbol.gone) ids.push_back(symbol.id);
  }

 private:
  Symbol& at(int32_t i) { return symbols_[size_t(i)]; }
  void consider(int32_t i) {
    const Symbol& left = at(i);
    if (left.behind < 0) return;
    const int32_t right = at(left.behind).id;
    if (const auto* joined = vocabulary_.joined(left.id, right))
      queue_.push({joined->rank, i, left.id, right, joined->id});
  }

  const Vocabulary& vocabulary_;
  std::vector<Symbol> symbols_;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue_;
};

}  // namespace

void encode_piece(const Vocabulary& vocabulary, std::string_view piece, std::vector<int32_t>& ids) {
  Joining joining(vocabulary, piece);
  joining.join();
  joining.append_to(ids);
}

}  // namespace ringside::inline tokenizer
