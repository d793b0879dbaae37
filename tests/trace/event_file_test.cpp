// The file is read back here by its format, record by record, not by the code that writes it.
#include "ringside/trace/event_file.h"

#include <bit>
#include <cstring>

#include "catch.h"
#include "check_text.h"
#include "ringside/base/error.h"
#include "temp_folder.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

template <typename T>
T take(std::string_view& bytes) {
  T value;
  REQUIRE(bytes.size() >= sizeof value);
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return value;
}

uint64_t take_varint(std::string_view& bytes) {
  uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = take<uint8_t>(bytes);
    value |= uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
}

struct Event {
  double time = 0;
  int64_t step = 0;
  std::string version, tag;
  float value = 0;
};

// Fields of one message by number; a message within is read by `inner`.
void read_message(std::string_view bytes, Event& event, int depth) {
  while (!bytes.empty()) {
    const uint64_t key = take_varint(bytes), field = key >> 3;
    switch (key & 7) {
      case 0:
        REQUIRE((depth == 0 && field == 2));
        event.step = static_cast<int64_t>(take_varint(bytes));
        break;
      case 1:
        REQUIRE((depth == 0 && field == 1));
        event.time = take<double>(bytes);
        break;
      case 5:
        REQUIRE((depth == 2 && field == 2));
        event.value = take<float>(bytes);
        break;
      default: {
        REQUIRE((key & 7) == 2);
        const size_t length = take_varint(bytes);
        const std::string_view inner = bytes.substr(0, length);
        REQUIRE(inner.size() == length);
        bytes.remove_prefix(length);
        if (depth == 0 && field == 3) event.version = inner;
        if (depth == 2 && field == 1) event.tag = inner;
        if ((depth == 0 && field == 5) || (depth == 1 && field == 1)) read_message(inner, event, depth + 1);
      }
    }
  }
}

uint32_t unmasked(uint32_t crc) { return std::rotl(crc - 0xA282EAD8U, 15); }

std::vector<Event> read_events(const std::string& file) {
  std::string_view bytes = file;
  std::vector<Event> events;
  while (!bytes.empty()) {
    const std::string_view length_bytes = bytes.substr(0, 8);
    const auto length = take<uint64_t>(bytes);
    REQUIRE(unmasked(take<uint32_t>(bytes)) == crc32c({length_bytes.data(), 8}));
    const std::string_view data = bytes.substr(0, length);
    REQUIRE(data.size() == length);
    bytes.remove_prefix(length);
    REQUIRE(unmasked(take<uint32_t>(bytes)) == crc32c({data.data(), data.size()}));
    read_message(data, events.emplace_back(), 0);
  }
  return events;
}

}  // namespace

TEST_CASE("CRC-32C has the check value of its standard, RFC 3720") {
  const std::string digits = "123456789", zeros(32, '\0');
  CHECK(crc32c({digits.data(), digits.size()}) == 0xE3069283U);
  CHECK(crc32c({zeros.data(), zeros.size()}) == 0x8A9136AAU);
}

TEST_CASE("An event file has its version first, then each scalar; it is whole after each of them") {
  const TempFolder folder;
  EventFile file(folder.path);
  CHECK(file.path().filename().string().starts_with("events.out.tfevents."));
  const std::string name = file.path().filename().string();
  file.scalar("train/loss", 0, 2.5);
  CHECK(read_events(folder.read(name)).size() == 2);
  file.scalar("held_out/accuracy", int64_t{1} << 40, 0.125);
  const std::vector<Event> events = read_events(folder.read(name));
  REQUIRE(events.size() == 3);
  CHECK(events[0].version == "brain.Event:2");
  CHECK(events[0].time > 1.6e9);
  CHECK(events[1].tag == "train/loss");
  CHECK(events[1].step == 0);
  CHECK(events[1].value == 2.5f);
  CHECK(events[2].tag == "held_out/accuracy");
  CHECK(events[2].step == int64_t{1} << 40);
  CHECK(events[2].value == 0.125f);
}

TEST_CASE("A folder that is not there") {
  const TempFolder folder;
  CHECK(lacks(message_of<InputError>([&] { EventFile(folder.path / "none"); }),
              {"none/events.out", "cannot be written", "No such file"}) == "");
}
