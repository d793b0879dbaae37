// An answer cut into clauses, for a comparison by words: which words carry a clause, and whether it says
// "not". Chinese words count as their English ones (chinese_words.h).
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::inline kit {

struct Clause {
  // Words from four letters on by their first five letters, so that "trains" and "training" are one word;
  // numbers; the symbols Ψ, √ and ². Small words ("that", "each") are left out.
  std::set<std::string> words = {};
  bool negated = false;
};
using Clauses = std::vector<Clause>;  // at least one

// A clause ends at . , ; : ! ? and their Chinese forms, and before words such as "but" and "because".
Clauses clauses_of(std::string_view text);
std::set<std::string> words_of(const Clauses& clauses);

}  // namespace ringside::inline kit
