#include "pickle.h"

#include <bit>
#include <utility>

#include "utf8.h"

namespace ringside::flight {
namespace {

// Opcodes, by their names in Lib/pickle.py.
constexpr char kProto = '\x80', kStop = '.', kMark = '(';
constexpr char kEmptyDict = '}', kSetItems = 'u', kEmptyList = ']', kAppends = 'e', kTuple = 't';
constexpr char kBinUnicode = 'X', kBinInt = 'J', kLong1 = '\x8a', kBinFloat = 'G';
constexpr char kNewTrue = '\x88', kNewFalse = '\x89', kNone = 'N';

void append_little_endian(std::string& bytes, uint64_t value, int count) {
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

}  // namespace

PickleWriter::PickleWriter() { bytes_ = {kProto, '\x02'}; }

void PickleWriter::begin_dict() { bytes_ += {kEmptyDict, kMark}; }
void PickleWriter::end_dict() { bytes_ += kSetItems; }
void PickleWriter::begin_list() { bytes_ += {kEmptyList, kMark}; }
void PickleWriter::end_list() { bytes_ += kAppends; }
void PickleWriter::begin_tuple() { bytes_ += kMark; }
void PickleWriter::end_tuple() { bytes_ += kTuple; }

void PickleWriter::text(std::string_view utf8) {
  const std::string valid = valid_utf8(utf8);
  bytes_ += kBinUnicode;
  append_little_endian(bytes_, valid.size(), 4);
  bytes_ += valid;
}

void PickleWriter::integer(int64_t value) {
  const bool small = value >= INT32_MIN && value <= INT32_MAX;
  bytes_ += small ? kBinInt : kLong1;
  if (!small) bytes_ += '\x08';  // bytes that follow
  append_little_endian(bytes_, static_cast<uint64_t>(value), small ? 4 : 8);
}

void PickleWriter::real(double value) {
  bytes_ += kBinFloat;  // big endian
  const auto bits = std::bit_cast<uint64_t>(value);
  for (int shift = 56; shift >= 0; shift -= 8) bytes_.push_back(static_cast<char>(bits >> shift & 0xff));
}

void PickleWriter::boolean(bool value) { bytes_ += value ? kNewTrue : kNewFalse; }
void PickleWriter::none() { bytes_ += kNone; }

std::string PickleWriter::finish() {
  bytes_ += kStop;
  return std::move(bytes_);
}

}  // namespace ringside::flight
