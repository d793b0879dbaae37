// What is data and text in a lesson, in a file of its own (embedded.h): blocks of fields, which can be read,
// and added to, without a word of C++.
//
//   # a comment
//   [killed]
//   says    was killed, and nobody was told
//   fix     find out what killed it,
//           and start all ranks again           (a line that begins with a blank goes on)
//   option  killed
//   option  saves
//
// Where the heading has two words, as in [claim killed], the first is the block's kind.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ringside::inline kit {

struct TextBlock {
  std::string kind, id;
  std::vector<std::pair<std::string, std::string>> fields;

  // In the learner's language, as tr() gives it. "" where it is missing; of several the first.
  std::string text(std::string_view field) const;
  std::vector<std::string> all(std::string_view field) const;
  std::vector<std::string> words(std::string_view field) const;  // of one field, parted at blanks
  bool has(std::string_view field) const;
};

class TextBlocks {
 public:
  explicit TextBlocks(std::string_view text);  // InvariantError naming the line for one that has no place
  const std::vector<TextBlock>& all() const { return blocks_; }
  const TextBlock& operator[](std::string_view id) const;  // InvariantError where there is none

 private:
  std::vector<TextBlock> blocks_;
};

// "a, b" -> a and b, without blanks around them; "" has none.
std::vector<std::string> parted(std::string_view text, char by);
// "{ranks} ranks train" with value("ranks") in its place. InvariantError for a { without a }.
std::string filled(std::string text, const std::function<std::string(const std::string&)>& value);
// What is behind the mark, which is taken off with it; "" where there is no mark.
std::string cut_behind(std::string& text, std::string_view mark);

}  // namespace ringside::inline kit
