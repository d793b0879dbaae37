// Frames of a channel, mutated and random: each is read or the peer is given up; nothing else happens, and no
// more memory is taken than bytes have come. By hand for longer: RINGSIDE_FUZZ_SECONDS=3600 comm_test "fuzz:
// frames*"
#include <catch.h>

#include <chrono>
#include <cstring>

#include "channel_frames.h"
#include "mutated.h"

using namespace ringside;

namespace {

// Bytes that have come already; the peer is gone behind them.
class ReadOnly final : public Channel {
 public:
  explicit ReadOnly(std::string bytes) : bytes_(std::move(bytes)) {}
  Written write(const void*, size_t, TimePoint) override { return Written::kLost; }
  bool read(void* to, size_t bytes) override {
    if (bytes > bytes_.size() - at_) return false;
    std::memcpy(to, bytes_.data() + at_, bytes);
    at_ += bytes;
    return true;
  }
  void shut() override {}

 private:
  const std::string bytes_;
  size_t at_ = 0;
};

std::string frame(RandomStream& random) {
  FrameHeader header;
  header.kind = static_cast<FrameKind>(random.below(8));
  header.op = static_cast<Op>(random.below(8));
  header.has_part = static_cast<uint8_t>(random.below(2));
  const bool has_bytes = header.kind == FrameKind::kData || header.kind == FrameKind::kBreak ||
                         header.kind == FrameKind::kLook ||
                         (header.kind == FrameKind::kRecord && header.has_part == 1);
  header.bytes = has_bytes ? random.below(300) : 0;
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  const std::string failure = pack(Failure{Failure::Kind::kTimeout, {1, 2}, "late", "dp #3"});
  for (uint64_t i = 0; i < header.bytes; ++i) bytes += i < failure.size() ? failure[i] : '}';
  return bytes;
}

}  // namespace

TEST_CASE("fuzz: frames of a channel are read, or their sender is given up") {
  const auto end = std::chrono::steady_clock::now() + testing::fuzz_time();
  RandomStream random(13, "frames");
  int64_t read = 0, given_up = 0;
  constexpr int64_t kFewest = 2'000;  // channels, however slow the machine is
  bool within_bounds = true;
  do {
    std::string bytes;
    for (uint64_t count = 1 + random.below(4); count > 0; --count) bytes += frame(random);
    if (random.below(4) > 0) bytes = testing::mutated(bytes, random);
    SpareMemory memory(4);
    ReadOnly channel(bytes);
    std::vector<std::byte> place(random.below(64));
    const auto landing = [&](const FrameHeader& header) {
      return !place.empty() && header.bytes == place.size() ? place.data() : nullptr;
    };
    while (auto one = read_frame(channel, memory, landing)) {
      if (one->has_landed) continue;
      ++read;
      within_bounds = within_bounds && one->bytes.size() <= bytes.size();
      if (one->header.kind == FrameKind::kBreak)
        unpack({reinterpret_cast<const char*>(one->bytes.data()), one->bytes.size()});
    }
    ++given_up;
  } while (given_up < kFewest || std::chrono::steady_clock::now() < end);
  CHECK(within_bounds);
  CHECK(read > 1000);
}
