// Frames: what goes in comes out, and whatever else arrives ends in a typed error.
#include <catch.h>

#include "fuzz.h"
#include "ringside/base/clock.h"
#include "ringside/parameter_server/messages.h"

using namespace ringside;
using namespace ringside::ps;
using namespace ringside::testing;

namespace {

constexpr uint64_t kWorld = 42;

// One of each message, with something in every field.
std::vector<Message> samples() {
  const KeyedValues values{false, {3, 5, 9}, {1, -2.5F, 0}};
  const std::vector<Member> members = {{100, 0, 0}, {101, 1, -1}};
  const Block list{KeyForm::kList, ValueForm::kFloat16, 0, 77, {3, 5}, {1, 2, 3, 4}};
  const Block signature{KeyForm::kSignature, ValueForm::kInt8, 9, 77, {}, {1, 2, 3}};
  return {Heartbeat{12345, 7, true, false, 3, {{0, 4}, {9, 2}}},
          Lease{12345, 8},
          Table{9, {{4, 1, false, {1, 2, 3}}, {3, 3, true, {2}}}, 5, members},
          Push{2, 17, 16, list},
          Pushed{2, 4, 17},
          Pull{2, 18, 17, list},
          Pulled{2, 18, 15, signature},
          Refused{2, 9},
          Forward{2, 4, {33, 100, 17, 16, values, 0, {}}},
          Forward{2, 4, {34, 0, 0, 0, {}, 6, members}},
          Stored{2, 4, 33},
          Snapshot{2, 4, {0, 0, 1}},
          UnknownKeys{2, 77}};
}

Bytes sample_frame(const Message& message) { return encode(message, kWorld, 1, 2); }

FrameFault fault_of(const Bytes& bytes, uint64_t world = kWorld) {
  try {
    decode(bytes, world);
  } catch (const FrameError& error) {
    return error.fault;
  }
  FAIL("the frame was taken");
  return {};
}

Bytes changed(Bytes bytes, size_t at, uint8_t value, bool mend) {
  bytes.at(at) = value;
  if (mend) mend_checksum(bytes);
  return bytes;
}

}  // namespace

TEST_CASE("wire: each message comes out as it went in") {
  std::set<std::string> names;
  for (const Message& message : samples()) {
    const Bytes bytes = sample_frame(message);
    const Message again = decode(bytes, kWorld);
    CAPTURE(name_of(message));
    CHECK(again.index() == message.index());
    CHECK(sample_frame(again) == bytes);
    names.insert(name_of(message));
  }
  CHECK(names.size() == std::variant_size_v<Message>);  // samples() has one of each
}

TEST_CASE("wire: each fault has its name") {
  const Bytes good = sample_frame(samples()[3]);
  CHECK(fault_of({}) == FrameFault::kTooShort);
  CHECK(fault_of(Bytes(good.begin(), good.begin() + 31)) == FrameFault::kTooShort);
  CHECK(fault_of(changed(good, 0, 'X', true)) == FrameFault::kMagic);
  CHECK(fault_of(changed(good, 4, 2, true)) == FrameFault::kVersion);
  CHECK(fault_of(changed(good, 6, 99, true)) == FrameFault::kType);
  CHECK(fault_of(changed(good, 6, 0, true)) == FrameFault::kType);
  CHECK(fault_of(changed(good, 24, 99, false)) == FrameFault::kLength);
  CHECK(fault_of(changed(good, kHeaderBytes, 99, false)) == FrameFault::kChecksum);
  CHECK(fault_of(good, kWorld + 1) == FrameFault::kWorld);
  // Push: range 4, sequence 8, clock 8; of the block two forms, raw bytes 4, signature 8; then the count of
  // keys.
  CHECK(fault_of(changed(good, kHeaderBytes + 34, 200, true)) == FrameFault::kCount);
  CHECK(fault_of(changed(good, kHeaderBytes + 34, 0, true)) == FrameFault::kTooLong);
  const Bytes heartbeat = sample_frame(samples()[0]);
  CHECK(fault_of(changed(heartbeat, kHeaderBytes + 16, 2, true)) == FrameFault::kValue);
}

TEST_CASE("wire: a count makes no reader allocate more than the packet can fill") {
  Bytes table = sample_frame(samples()[2]);
  for (size_t i = 0; i < 4; ++i) table[kHeaderBytes + 8 + i] = 0xff;  // 4,294,967,295 chains
  mend_checksum(table);
  CHECK(fault_of(table) == FrameFault::kCount);
}

TEST_CASE("wire: every truncation and every changed byte is refused") {
  for (const Message& message : samples()) {
    const Bytes good = sample_frame(message);
    CAPTURE(name_of(message));
    for (size_t size = 0; size < good.size(); ++size) {
      const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
      CHECK_THROWS_AS(decode(cut, kWorld), FrameError);
      Bytes mended = cut;
      mend_checksum(mended);
      CHECK_THROWS_AS(decode(mended, kWorld), FrameError);
    }
    for (size_t at = 0; at < good.size(); ++at)
      for (int bit = 0; bit < 8; ++bit)
        CHECK_THROWS_AS(decode(changed(good, at, static_cast<uint8_t>(good[at] ^ (1 << bit)), false), kWorld),
                        FrameError);
  }
}

// RINGSIDE_FUZZ_S=3600 parameter_server_test "fuzz:*" is an hour of it; RINGSIDE_FUZZ_SEED begins elsewhere.
TEST_CASE("fuzz: the reader of frames takes a message or throws a FrameError", "[one_thread]") {
  const int64_t seconds = from_environment("RINGSIDE_FUZZ_S", 1);
  const auto first = static_cast<uint64_t>(from_environment("RINGSIDE_FUZZ_SEED", 0));
  const int64_t until_ns = now_ns() + seconds * 1'000'000'000;
  const std::vector<Message> messages = samples();
  std::map<std::string, int64_t> outcomes;
  for (uint64_t seed = first; now_ns() < until_ns; ++seed) {
    RandomStream random(seed, "frames");
    Bytes bytes = random.below(8) == 0
                      ? random_bytes(random, 200)
                      : mutate(sample_frame(messages[random.below(messages.size())]), random);
    try {
      const Message message = decode(bytes, kWorld);
      ++outcomes["taken"];
      if (sample_frame(message).size() != bytes.size())
        FAIL("seed " << seed << " comes out longer or shorter");
    } catch (const FrameError& error) {
      ++outcomes[name_of(error.fault)];
    }
  }
  std::string report;
  for (const auto& [name, count] : outcomes) report += " " + name + " " + std::to_string(count);
  INFO(report);
  CHECK(outcomes.size() == kFrameFaults + 1);  // each of them, and "taken"
}
