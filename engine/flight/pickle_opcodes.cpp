#include "pickle.h"

#include "ringside/base/json.h"
#include "ringside/base/text.h"

namespace ringside::inline flight {

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
  const std::string_view taken = take(uint64_t(bytes));
  for (int i = 0; i < bytes; ++i) number |= uint64_t(static_cast<unsigned char>(taken[size_t(i)])) << 8 * i;
  return number;
}

// Opcodes (Lib/pickletools.py) by what stands behind them.
PickleOp PickleOpcodes::next() {
  const PickleOp op{take(1)[0]};
  const auto number = [&](int bytes) -> PickleOp { return {op.code, {}, int64_t(little_endian(bytes))}; };
  const auto text = [&](int bytes) -> PickleOp { return {op.code, take(little_endian(bytes))}; };
  if (op.is("()]}tldeausN012.\x85\x86\x87\x88\x89\x8f\x90\x91\x93\x94")) return op;
  if (op.is("\x80Kqh")) return number(1);
  if (op.is("M")) return number(2);
  if (op.is("rj")) return number(4);
  if (op.is("\x95")) return number(8);
  if (op.is("J")) return {op.code, {}, int32_t(little_endian(4))};
  if (op.is("G")) return {op.code, take(8)};  // a float
  if (op.is("U\x8c\x43\x8a")) return text(1);
  if (op.is("XTB\x8b")) return text(4);
  if (op.is("\x8d\x8e")) return text(8);
  if (op.is("ILFpg")) return {op.code, line()};
  if (op.is("ci")) {
    const std::string_view module = line(), name = line();
    throw JsonRejected("pickle: it asks for {}.{}; only plain values are read", as_typed(module),
                       as_typed(name));
  }
  const bool makes_object = op.is("RboPQ\x81\x82\x83\x84\x92\x97\x98");
  throw JsonRejected("pickle: opcode {:#04x} at byte {} {}; only plain values are read",
                     static_cast<unsigned char>(op.code), at_ - 1,
                     makes_object ? "makes an object" : "is not known");
}

}  // namespace ringside::inline flight
