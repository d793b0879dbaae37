// Which sets of words a line has one of, in one pass over its bytes (Aho and Corasick, CACM 18 (6), 1975).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ringside::inline logs {

class Needles {
 public:
  // At most 8 sets.
  explicit Needles(std::span<const std::span<const std::string_view>> sets);
  uint8_t in(std::string_view line) const;  // bit i: a word of sets[i]

 private:
  static constexpr uint16_t kEndsAWord = 0x8000;  // beside the number of a state
  uint16_t add_state();
  void add_word(std::string_view word, uint8_t set);
  void link();

  std::vector<std::array<uint16_t, 256>> next_;
  std::vector<uint8_t> found_;  // by state
};

}  // namespace ringside::inline logs
