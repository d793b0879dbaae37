#include "ringside/trace/event_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside::inline trace {
namespace {

enum Wire : uint64_t { kVarint = 0, kEight = 1, kBytes = 2, kFour = 5 };

template <typename T>
void append(std::string& to, T value) {  // little-endian
  for (size_t i = 0; i < sizeof value; ++i) to.push_back(char(value >> 8 * i));
}
void varint(std::string& to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) to.push_back(char(value | 0x80));
  to.push_back(char(value));
}
void key(std::string& to, uint64_t field, Wire wire) { varint(to, field << 3 | wire); }
void bytes(std::string& to, uint64_t field, std::string_view value) {
  key(to, field, kBytes);
  varint(to, value.size());
  to += value;
}

std::string event_now() {
  const std::chrono::duration<double> since = std::chrono::system_clock::now().time_since_epoch();
  std::string event;
  key(event, 1, kEight);
  append(event, std::bit_cast<uint64_t>(since.count()));
  return event;
}

uint32_t masked(std::string_view text) {
  return std::rotr(crc32c({text.data(), text.size()}), 15) + 0xA282EAD8U;
}

}  // namespace

uint32_t crc32c(std::span<const char> bytes) {
  uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78U : 0);
  }
  return ~crc;
}

EventFile::EventFile(const std::filesystem::path& folder) {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '-';
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  path_ = folder / fmt::format("events.out.tfevents.{:010}.{}.{}",
                               std::chrono::duration_cast<std::chrono::seconds>(now).count(), host.data(),
                               getpid());
  errno = 0;
  out_.open(path_, std::ios::binary | std::ios::trunc);
  if (!out_) fail();
  std::string event = event_now();
  bytes(event, 3, "brain.Event:2");
  write(event);
}

void EventFile::scalar(std::string_view tag, int64_t step, double value) {
  std::string one, summary, event = event_now();
  bytes(one, 1, tag);
  key(one, 2, kFour);
  append(one, std::bit_cast<uint32_t>(float(value)));
  bytes(summary, 1, one);
  key(event, 2, kVarint);
  varint(event, uint64_t(step));
  bytes(event, 5, summary);
  write(event);
}

void EventFile::write(const std::string& event) {
  std::string record;
  append(record, uint64_t(event.size()));
  append(record, masked(record));
  record += event;
  append(record, masked(event));
  errno = 0;
  out_ << record << std::flush;
  if (!out_) fail();
}

void EventFile::fail() const {
  const int reason = errno != 0 ? errno : EIO;
  throw InputError("{}: cannot be written: {}", typed_path(path_), std::generic_category().message(reason));
}

}  // namespace ringside::inline trace
