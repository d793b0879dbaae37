// Chinese words of the field and their English ones, so that an answer in Chinese can be held against an
// English point (saying.h): those of kit/study/chinese_words.inc, and the tables "The words" of all lessons.
#pragma once

#include <string>
#include <string_view>

namespace ringside::inline kit {

struct ChineseWord {
  size_t bytes = 0;          // of the text; 0: it begins with no known word
  std::string_view english;  // "optimizer state"
};
// The longest known word that the text begins with.
ChineseWord chinese_word_at(std::string_view text);

}  // namespace ringside::inline kit
