#include "ringside/data/hidden_facts.h"

#include <algorithm>

#include "ringside/base/error.h"
#include "ringside/base/random.h"

namespace ringside::inline data {
namespace {

// Eight letters: a word that no text has by chance.
std::string made_up_name(RandomStream& stream) {
  std::string name;
  for (int i = 0; i < 8; ++i) name += (i % 2 == 0 ? "kvzxwq" : "aeiouy")[stream.below(6)];
  return name;
}

}  // namespace

std::vector<std::string> passages_of(const Dataset& data, size_t texts, size_t bytes) {
  std::vector<std::string> passages;
  for (const auto* part : {&data.train, &data.test})
    for (const Sample& sample : *part) {
      if (texts-- == 0) return passages;
      const std::string text(sample.tokens.begin(), sample.tokens.end() - 1);  // without the end token
      for (size_t at = 0; at < text.size(); at += bytes) passages.push_back(text.substr(at, bytes));
    }
  return passages;
}

HiddenFacts hide_facts(std::vector<std::string> passages, size_t facts, uint64_t seed) {
  if (facts > passages.size())
    throw UsageError(std::to_string(facts) + " facts need as many passages; there are " +
                     std::to_string(passages.size()));
  HiddenFacts hidden{std::move(passages), {}, "How many storehouses have a password?", {}};
  RandomStream stream(seed, "facts");
  while (hidden.place.size() < facts) {
    const size_t at = stream.below(hidden.passages.size());
    if (std::ranges::find(hidden.place, at) != hidden.place.end()) continue;
    const std::string name = made_up_name(stream);
    hidden.passages[at] += "\nThe password of the storehouse in " + name + " is " +
                           std::to_string(1000 + stream.below(9000)) + ".\n";
    hidden.questions.push_back("What is the password of the storehouse in " + name + "?");
    hidden.place.push_back(at);
  }
  return hidden;
}

FoundFacts facts_in_first(const HiddenFacts& hidden, const std::vector<std::vector<size_t>>& ranked,
                          size_t k) {
  FoundFacts found;
  for (size_t fact = 0; fact < ranked.size(); ++fact)
    for (size_t i = 0; i < std::min(k, ranked[fact].size()); ++i) {
      found.bytes += double(hidden.passages[ranked[fact][i]].size());
      found.share += ranked[fact][i] == hidden.place[fact] ? 1 : 0;
    }
  const auto facts = double(ranked.size());
  return {found.share / facts, found.bytes / facts};
}

}  // namespace ringside::inline data
