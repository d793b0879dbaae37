// Which of a few words a line has, in one pass over its bytes (Aho and Corasick, CACM 18 (6), 1975).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ringside::logs {

class Needles {
 public:
  explicit Needles(std::span<const std::string_view> words);  // at most 64
  uint64_t in(std::string_view line) const;                   // bit i: words[i]

 private:
  static constexpr uint16_t kEndsAWord = 0x8000;  // beside the number of a state
  uint16_t add_state();
  void link();

  std::vector<std::array<uint16_t, 256>> next_;
  std::vector<uint64_t> found_;  // by state
};

}  // namespace ringside::logs
