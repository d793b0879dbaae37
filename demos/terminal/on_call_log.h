// The log of an incident as somebody looks at it, part by part.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "incident.h"

namespace ringside {

class IncidentLog {
 public:
  IncidentLog(const Incident& incident, size_t columns);  // which outlives it

  // What a look shows, each line with its number.
  std::string head(size_t most);
  std::string tail(size_t most);
  // Lines that have `words`, and not `but` where that is not empty; capitals or not.
  std::string grep(const std::string& words, const std::string& but);
  std::string of_rank(int rank);
  std::string from_to(size_t first, size_t last);  // numbers of lines, from 1
  std::string places() const;                      // who is where

  std::string line(size_t number) const;  // as a look shows it; it does not count as seen
  size_t lines() const { return lines_.size(); }
  bool seen(size_t number) const { return seen_.contains(number); }

 private:
  std::string show(const std::vector<size_t>& numbers, size_t most, bool last = false);

  const Incident& incident_;
  const size_t columns_;
  std::vector<std::string> lines_;
  std::set<size_t> seen_;
};

}  // namespace ringside
