#include "pickle_opcodes.h"

#include "ringside/base/json.h"
#include "ringside/base/text.h"

namespace ringside::flight {

std::string_view PickleOpcodes::take(uint64_t count) {
  if (count > bytes_.size() - at_) throw JsonRejected("pickle: it is cut off at byte {}", at_);
  const std::string_view taken = bytes_.substr(at_, count);
  at_ += count;
  return taken;
}

std::string_view PickleOpcodes::line() {
  const size_t end = bytes_.find('\n', at_);
  if (end == std::string_view::npos) throw JsonRejected("pickle: it is cut off at byte {}", at_);
  const std::string_view text = take(end - at_);
  ++at_;
  return text;
}

uint64_t PickleOpcodes::little_endian(int bytes) {
  uint64_t number = 0;
  const std::string_view taken = take(static_cast<uint64_t>(bytes));
  for (int i = 0; i < bytes; ++i)
    number |= static_cast<uint64_t>(static_cast<unsigned char>(taken[static_cast<size_t>(i)])) << 8 * i;
  return number;
}

PickleOp PickleOpcodes::with_text(char code, int length_bytes) {
  return {code, take(little_endian(length_bytes)), 0};
}

PickleOp PickleOpcodes::next() {
  const char code = take(1)[0];
  const auto number = [&](int bytes) {
    return PickleOp{code, {}, static_cast<int64_t>(little_endian(bytes))};
  };
  switch (code) {
    case '(':
    case ')':
    case ']':
    case '}':
    case 't':
    case 'l':
    case 'd':
    case 'e':
    case 'a':
    case 'u':
    case 's':
    case 'N':
    case '0':
    case '1':
    case '2':
    case '.':
    case '\x85':
    case '\x86':
    case '\x87':
    case '\x88':
    case '\x89':
    case '\x8f':
    case '\x90':
    case '\x91':
    case '\x93':
    case '\x94':
      return {code};
    case '\x80':  // PROTO
    case 'K':
    case 'q':
    case 'h':
      return number(1);
    case 'M':
      return number(2);
    case 'J':
      return {code, {}, static_cast<int32_t>(little_endian(4))};
    case 'r':
    case 'j':
      return number(4);
    case '\x95':  // FRAME
      return number(8);
    case 'G':
      return {code, take(8)};
    case 'I':
    case 'L':
    case 'F':
    case 'p':
    case 'g':
      return {code, line()};
    case 'U':
    case '\x8c':
    case 'C':
    case '\x8a':
      return with_text(code, 1);
    case 'X':
    case 'T':
    case 'B':
    case '\x8b':
      return with_text(code, 4);
    case '\x8d':
    case '\x8e':
      return with_text(code, 8);
    case 'c':
    case 'i': {  // GLOBAL, INST: module, then name
      const std::string_view module = line(), name = line();
      throw JsonRejected("pickle: it asks for {}.{}; only plain values are read", as_typed(module),
                         as_typed(name));
    }
    case 'R':
    case 'b':
    case 'o':
    case '\x81':
    case '\x92':
    case 'P':
    case 'Q':
    case '\x82':
    case '\x83':
    case '\x84':
    case '\x97':
    case '\x98':
      throw JsonRejected("pickle: opcode {:#04x} at byte {} makes an object; only plain values are read",
                         static_cast<unsigned char>(code), at_ - 1);
    default:
      throw JsonRejected("pickle: {:#04x} at byte {} is no opcode", static_cast<unsigned char>(code),
                         at_ - 1);
  }
}

}  // namespace ringside::flight
