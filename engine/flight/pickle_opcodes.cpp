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
  const std::string_view taken = take(static_cast<uint64_t>(bytes));
  for (int i = 0; i < bytes; ++i)
    number |= static_cast<uint64_t>(static_cast<unsigned char>(taken[static_cast<size_t>(i)])) << 8 * i;
  return number;
}

namespace {

// Opcodes (Lib/pickletools.py) by what stands behind them.
enum class Behind : uint8_t {
  kNothing,
  kNumber,
  kSignedNumber,
  kText,
  kFloat,
  kLine,
  kName,
  kObject,
  kUnknown
};
struct Form {
  std::string_view codes;
  Behind behind;
  int bytes;  // of the number, or of the text's length
};
using namespace std::string_view_literals;
constexpr Form kForms[] = {
    {"()]}tldeausN012.\x85\x86\x87\x88\x89\x8f\x90\x91\x93\x94"sv, Behind::kNothing, 0},
    {"\x80Kqh"sv, Behind::kNumber, 1},
    {"M"sv, Behind::kNumber, 2},
    {"rj"sv, Behind::kNumber, 4},
    {"\x95"sv, Behind::kNumber, 8},
    {"J"sv, Behind::kSignedNumber, 4},
    {"G"sv, Behind::kFloat, 8},
    {"U\x8c\x43\x8a"sv, Behind::kText, 1},
    {"XTB\x8b"sv, Behind::kText, 4},
    {"\x8d\x8e"sv, Behind::kText, 8},
    {"ILFpg"sv, Behind::kLine, 0},
    {"ci"sv, Behind::kName, 0},
    {"RboPQ\x81\x82\x83\x84\x92\x97\x98"sv, Behind::kObject, 0}};

Form form_of(char code) {
  for (const Form& form : kForms)
    if (form.codes.find(code) != std::string_view::npos) return form;
  return {{}, Behind::kUnknown, 0};
}

}  // namespace

PickleOp PickleOpcodes::next() {
  const char code = take(1)[0];
  const Form form = form_of(code);
  switch (form.behind) {
    case Behind::kNothing:
      return {code};
    case Behind::kNumber:
      return {code, {}, static_cast<int64_t>(little_endian(form.bytes))};
    case Behind::kSignedNumber:
      return {code, {}, static_cast<int32_t>(little_endian(form.bytes))};
    case Behind::kFloat:
      return {code, take(8)};
    case Behind::kText:
      return {code, take(little_endian(form.bytes))};
    case Behind::kLine:
      return {code, line()};
    case Behind::kName: {  // a module, then a name
      const std::string_view module = line(), name = line();
      throw JsonRejected("pickle: it asks for {}.{}; only plain values are read", as_typed(module),
                         as_typed(name));
    }
    default:
      throw JsonRejected("pickle: opcode {:#04x} at byte {} {}; only plain values are read",
                         static_cast<unsigned char>(code), at_ - 1,
                         form.behind == Behind::kObject ? "makes an object" : "is not known");
  }
}

}  // namespace ringside::inline flight
