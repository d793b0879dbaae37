// The bytes of a pickle cut into opcodes with their arguments; every length is checked before it is believed.
#pragma once

#include <cstdint>
#include <string_view>

namespace ringside::inline flight {

struct PickleOp {
  char code = 0;
  std::string_view text{};  // of a text, a decimal number, or a name ("posix system")
  int64_t number = 0;       // of a number, of a memo's place, or little endian bytes
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
