// Reading one file of unknown content, no more of it than a bound.
#pragma once

#include <cstdint>
#include <string>

namespace ringside {

inline constexpr int64_t kMaxFileBytes = int64_t{1} << 20;  // 1 MiB

struct TextFile {
  enum class Kind { kText, kUnreadable, kEmpty, kBinary };
  Kind kind = Kind::kUnreadable;
  std::string bytes;  // at most kMaxFileBytes; empty unless kText
  bool cut = false;   // the file is longer
  bool valid_utf8 = true;
};

// Of kMaxFileBytes and one more, which tells that the file is longer. One with a NUL byte among
// those read is binary (git's rule).
TextFile text_of(std::string bytes);
TextFile read_text_file(const std::string& path);

}  // namespace ringside
