#include "byte_pairs.h"

#include <fmt/format.h>

#include <algorithm>

#include "letters.h"
#include "ringside/base/check.h"
#include "ringside/base/units.h"

namespace ringside::inline tokenizer {

BytePairTokenizer::BytePairTokenizer(BytePairs parts) : parts_(std::move(parts)) {
  kind_of('a');  // which says what is missing
  std::ranges::stable_sort(parts_.added, std::greater<>(),
                           [](const AddedToken& token) { return token.text.size(); });
  size_ = parts_.vocabulary.size();
  for (const AddedToken& token : parts_.added) size_ = std::max<int64_t>(size_, token.id + 1);
}

template <typename Plain>
void BytePairTokenizer::around_added(std::string_view text, bool normalized, std::vector<int32_t>& ids,
                                     const Plain& plain) const {
  size_t begin = 0;
  const auto flush = [&](size_t end) {
    if (end > begin) plain(text.substr(begin, end - begin));
  };
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const auto found = std::ranges::find_if(parts_.added, [&](const AddedToken& token) {
      return token.normalized == normalized && rest.starts_with(token.text);
    });
    if (found == parts_.added.end()) {
      ++at;
      continue;
    }
    flush(at);
    ids.push_back(found->id);
    begin = at += found->text.size();
  }
  flush(text.size());
}

void BytePairTokenizer::encode_plain(std::string_view text, std::vector<int32_t>& ids) const {
  std::string spaced;
  if (parts_.space_in_front && text[0] != ' ') text = spaced = " " + std::string(text);
  for (size_t at = 0; at < text.size();) {
    const size_t end = piece_end(text, at, parts_.rule);
    const std::string_view piece = text.substr(at, end - at);
    at = end;
    if (const auto whole = parts_.whole_pieces ? parts_.vocabulary.find(piece) : std::nullopt)
      ids.push_back(*whole);
    else
      encode_piece(parts_.vocabulary, piece, ids);
  }
}

std::vector<int32_t> BytePairTokenizer::encode(std::string_view bytes, int64_t max_tokens) const {
  RINGSIDE_CHECK_GE(max_tokens, 1);
  std::vector<int32_t> ids;
  const std::string text = with_replacements(bytes);
  around_added(text, false, ids, [&](std::string_view stretch) {
    const std::string normal = parts_.nfc ? to_nfc(stretch) : std::string(stretch);
    around_added(normal, true, ids, [&](std::string_view plain) { encode_plain(plain, ids); });
  });
  const auto most = size_t(max_tokens), around = parts_.front.size() + parts_.behind.size();
  ids.resize(std::min(ids.size(), most - std::min(most, around)));
  ids.insert(ids.begin(), parts_.front.begin(), parts_.front.end());
  ids.insert(ids.end(), parts_.behind.begin(), parts_.behind.end());
  ids.resize(std::min(ids.size(), most));
  return ids;
}

std::string BytePairTokenizer::description() const {
  return fmt::format("byte pairs ({} of them)", format_count(size_));
}

}  // namespace ringside::inline tokenizer
