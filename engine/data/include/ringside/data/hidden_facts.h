// Facts hidden in passages of texts ("needles in a haystack"): what a reader who chooses among passages, or
// reads all of them, can be asked for. "The password of the storehouse in kavezuqi is 4711."
#pragma once

#include <string>
#include <vector>

#include "ringside/data/dataset.h"

namespace ringside::inline data {

struct HiddenFacts {
  std::vector<std::string> passages;
  std::vector<std::string> questions;  // (facts) one for each
  std::string question_for_all;
  std::vector<size_t> place;  // (facts) the passage that has it, each another one
};

// Pieces of so many bytes of the first texts, training part first; the last piece of a text may be shorter.
std::vector<std::string> passages_of(const Dataset& data, size_t texts, size_t bytes);

// The same for the same seed. UsageError where there are more facts than passages.
HiddenFacts hide_facts(std::vector<std::string> passages, size_t facts, uint64_t seed);

// Who reads the first k passages of a ranking for each fact, ranked: (facts) of passages, the best first.
struct FoundFacts {
  double share = 0;  // of the facts that are in them
  double bytes = 0;  // that are read for one, a mean
};
FoundFacts facts_in_first(const HiddenFacts& hidden, const std::vector<std::vector<size_t>>& ranked, size_t k);

}  // namespace ringside::inline data
