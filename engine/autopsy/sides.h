// The waiting ranks of a group, by the call that each of them is at.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "clues.h"

namespace ringside::inline logs {

using Group = std::vector<const Waiting*>;

std::string in_group(const std::string& group);  // " of group 0(default_pg)"; "" where it is not known
std::vector<int> ranks_of(const Group& group);   // in order, each once
// Waiting calls by the name of their group; "" where no line says it.
std::map<std::string, Group> by_group(const Clues& clues);
// The first call of each rank in the group, and so where it is.
std::map<int, const Waiting*> heads_of(const Group& group);

struct Sides {
  std::map<std::string, Group> all;  // by what they call
  bool ops = false, sizes = false, seqs = false;
};
Sides sides_of(const std::map<int, const Waiting*>& heads);

}  // namespace ringside::inline logs
