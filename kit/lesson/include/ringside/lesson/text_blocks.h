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
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ringside/lesson/lesson.h"

namespace ringside {

struct TextBlock {
  std::string id;
  std::vector<std::pair<std::string, std::string>> fields;

  // In the learner's language, as tr() gives it. "" where it is missing; of several the first.
  std::string text(std::string_view field) const;
  Words all(std::string_view field) const;
  Words words(std::string_view field) const;  // of one field, parted at blanks
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

// A question by its block:
//
//   ask, name, context, why, more, section, board, figure, unit      texts of PredictionSpec
//   again    ranks=8 ranks=3
//   option   one of several; option * ... the right one; where several are right, all of them are asked for,
//            and a wrong answer names some: a, b
//   wrong    the belief | its answer | why it is wrong        of a question in words
//   wrong    the belief | why it is wrong                     of one for a number
using FromTrace = std::function<std::optional<double>(const Trace&)>;
using ByScenario = std::function<double(const Config&)>;
PredictionSpec word_question(const TextBlock& block,
                             std::function<std::optional<Words>(const Trace&)> measured = {});
// wrong: values of the block's beliefs, in their order.
PredictionSpec number_question(const TextBlock& block, ByScenario right, std::vector<ByScenario> wrong,
                               FromTrace measured = {});

}  // namespace ringside
