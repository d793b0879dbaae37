#include "ringside/lesson/text_blocks.h"

#include <algorithm>
#include <sstream>

#include "ringside/base/check.h"
#include "ringside/lesson/question_forms.h"
#include "ringside/lesson/tr.h"

namespace ringside {
namespace {

std::string trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  return begin == std::string_view::npos ? "" : std::string(text.substr(begin, end - begin + 1));
}

// "a | b | c", as many parts as are asked for.
Words parted(const TextBlock& block, const std::string& text, size_t count) {
  Words parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, '|');) parts.push_back(trimmed(part));
  RINGSIDE_CHECK(parts.size() == count,
                 "'" << block.id << "': '" << text << "' has not " << count << " parts");
  return parts;
}

// "a, b"
Words all_of(const std::string& text) {
  Words words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) words.push_back(trimmed(word));
  return words;
}

PredictionSpec around(PredictionSpec spec, const TextBlock& block) {
  spec.id = block.id;
  spec.question = block.text("ask");
  spec.name = block.text("name");
  spec.context = block.text("context");
  spec.why = block.text("why");
  spec.more = block.text("more");
  spec.section = block.text("section");
  spec.board = block.text("board");
  spec.figure = block.text("figure");
  spec.again = block.words("again");
  return spec;
}

}  // namespace

std::string TextBlock::text(std::string_view field) const {
  const Words found = all(field);
  return found.empty() ? "" : found.front();
}
Words TextBlock::all(std::string_view field) const {
  Words found;
  for (const auto& [name, value] : fields)
    if (name == field) found.emplace_back(translated(value));
  return found;
}
Words TextBlock::words(std::string_view field) const {
  Words found;
  std::istringstream in(text(field));
  for (std::string word; in >> word;) found.push_back(word);
  return found;
}
bool TextBlock::has(std::string_view field) const { return !all(field).empty(); }

TextBlocks::TextBlocks(std::string_view text) {
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) {
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    if (line.starts_with('[')) {
      blocks_.push_back({line.substr(1, line.find(']') - 1), {}});
      continue;
    }
    RINGSIDE_CHECK(!blocks_.empty(), "a field without a block: " << line);
    auto& fields = blocks_.back().fields;
    if (line.starts_with(' ')) {
      RINGSIDE_CHECK(!fields.empty(), "a line that goes on, and nothing before it: " << line);
      fields.back().second += " " + trimmed(line);
      continue;
    }
    const size_t end = std::min(line.find(' '), line.size());
    fields.emplace_back(line.substr(0, end), trimmed(std::string_view(line).substr(end)));
  }
}

const TextBlock& TextBlocks::operator[](std::string_view id) const {
  const auto found = std::find_if(blocks_.begin(), blocks_.end(), [&](auto& one) { return one.id == id; });
  RINGSIDE_CHECK(found != blocks_.end(), "there is no block '" << id << "'");
  return *found;
}

PredictionSpec word_question(const TextBlock& block,
                             std::function<std::optional<Words>(const Trace&)> measured) {
  AskedWords asked;
  for (std::string option : block.all("option")) {
    if (option.starts_with("* ")) asked.right.push_back(option = option.substr(2));
    asked.options.push_back(option);
  }
  if (asked.right.size() > 1) asked.kind = AnswerKind::kChoices;
  for (const std::string& belief : block.all("wrong")) {
    const Words parts = parted(block, belief, 3);
    asked.wrong.push_back({parts[0], asked.right.size() > 1 ? all_of(parts[1]) : Words{parts[1]}, parts[2]});
  }
  asked.measured = std::move(measured);
  return around(ask(block.id, block.text("ask"), asked), block);
}

PredictionSpec number_question(const TextBlock& block, ByScenario right, std::vector<ByScenario> wrong,
                               FromTrace measured) {
  PredictionSpec spec;
  spec.unit = block.text("unit");
  spec.formula = std::move(right);
  spec.measured = std::move(measured);
  const Words beliefs = block.all("wrong");
  RINGSIDE_CHECK(beliefs.size() == wrong.size(), "'" << block.id << "' has " << beliefs.size()
                                                     << " beliefs and " << wrong.size() << " values");
  for (size_t i = 0; i < wrong.size(); ++i) {
    const Words parts = parted(block, beliefs[i], 2);
    spec.wrong.push_back({.name = parts[0], .value = std::move(wrong[i]), .why = parts[1]});
  }
  return around(std::move(spec), block);
}

}  // namespace ringside
