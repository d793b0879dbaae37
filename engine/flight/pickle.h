// A pickle of plain values, as JSON. Nothing is looked up and nothing is called: an opcode that would do so
// is refused by the name of what it asks for ("posix.system"). Protocols 0 to 5 (Lib/pickletools.py), text
// and numbers, lists, tuples, sets and dicts with texts or numbers as keys.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "ringside/base/json.h"

namespace ringside::inline flight {

// `take` is shown each dict once it is complete; where it returns true null stands in its place, so that a
// long list of records never exists as a whole. JsonRejected for what is no such pickle, for one that is
// deeper than 32, and where the values that exist at one time need more than `most_bytes`.
Json parse_pickle(std::string_view bytes, size_t most_bytes, const std::function<bool(Json&)>& take);

bool looks_like_pickle(std::string_view bytes);  // protocol 2 or later

// The bytes of a pickle cut into opcodes with their arguments; every length is checked before it is believed.
struct PickleOp {
  char code = 0;
  std::string_view text{};  // of a text, a decimal number, or a name ("posix system")
  int64_t number = 0;       // of a number, of a memo's place, or little endian bytes

  bool is(std::string_view codes) const { return codes.find(code) != std::string_view::npos; }
};

class PickleOpcodes {
 public:
  explicit PickleOpcodes(std::string_view bytes) : bytes_(bytes) {}
  bool done() const { return at_ >= bytes_.size(); }
  size_t at() const { return at_; }
  size_t size() const { return bytes_.size(); }
  PickleOp next();  // JsonRejected for an opcode that is not known, or cut off

 private:
  std::string_view take(uint64_t count);
  std::string_view line();
  uint64_t little_endian(int bytes);

  std::string_view bytes_;
  size_t at_ = 0;
};

}  // namespace ringside::inline flight
