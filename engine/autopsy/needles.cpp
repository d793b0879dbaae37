// The one loop over every byte of a log: this file is compiled with -O2.
#include "log_parts.h"

#include <queue>

#include "ringside/base/error.h"

namespace ringside::inline logs {

Needles::Needles(std::span<const std::span<const std::string_view>> sets) {
  if (sets.size() > 8) throw InvariantError("more than 8 sets of words");
  add_state();
  for (size_t i = 0; i < sets.size(); ++i)
    for (const std::string_view word : sets[i]) add_word(word, uint8_t(1u << i));
  link();
}

void Needles::add_word(std::string_view word, uint8_t set) {
  uint16_t state = 0;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (next_[state][byte] == 0) {
      const uint16_t made = add_state();
      next_[state][byte] = made;
    }
    state = next_[state][byte];
  }
  found_[state] |= set;
}

uint8_t Needles::in(std::string_view line) const {
  uint8_t found = 0;
  uint16_t state = 0;
  for (const char c : line) {
    state = next_[state][static_cast<unsigned char>(c)];
    if ((state & kEndsAWord) == 0) continue;
    state &= uint16_t(~kEndsAWord);
    found |= found_[state];
  }
  return found;
}

uint16_t Needles::add_state() {
  next_.emplace_back().fill(0);
  found_.push_back(0);
  return uint16_t(next_.size() - 1);
}

// Breadth first: a state that a byte does not continue goes on as its longest ending would.
void Needles::link() {
  std::vector<uint16_t> ending(next_.size(), 0);
  std::queue<uint16_t> states;
  for (const uint16_t state : next_[0])
    if (state != 0) states.push(state);
  while (!states.empty()) {
    const uint16_t state = states.front();
    states.pop();
    found_[state] |= found_[ending[state]];
    for (size_t byte = 0; byte < 256; ++byte) {
      uint16_t& to = next_[state][byte];
      const uint16_t otherwise = next_[ending[state]][byte];
      if (to == 0) {
        to = otherwise;
      } else {
        ending[to] = otherwise;
        states.push(to);
      }
    }
  }
  for (auto& row : next_)
    for (uint16_t& to : row)
      if (found_[to] != 0) to |= kEndsAWord;
}

}  // namespace ringside::inline logs
