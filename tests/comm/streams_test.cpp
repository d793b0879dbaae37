// Calls on memory of a device whose stream is behind its rank's thread: a kernel runs when who carries the
// call has asked for the mark behind it a few times, and never before.
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <span>

#include "connected_ranks.h"
#include "endings.h"
#include "patience.h"
#include "ringside/base/error.h"
#include "ringside/comm/accumulator.h"

using namespace ringside;
using namespace ringside::testing;
using namespace std::chrono_literals;

namespace {

constexpr int kNever = std::numeric_limits<int>::max();

struct LateStream {
  int behind = 3;  // times that a mark is asked for in vain
  bool fails = false;
  std::mutex mutex;  // guards what follows
  std::vector<std::function<void()>> kernels;
  size_t done = 0;

  void run(size_t to) {
    const std::lock_guard lock(mutex);
    while (done < to) kernels[done++]();
  }
};
thread_local std::shared_ptr<LateStream> stream;  // of the calling rank

class LateDevice final : public DeviceMemory {
 public:
  LateDevice() { set_device_memory(this); }
  ~LateDevice() override { set_device_memory(before_); }
  LateDevice& operator=(LateDevice&&) = delete;

  std::shared_ptr<void> allocate(int64_t) const override { return nullptr; }
  void copy(void* to, const void* from, int64_t bytes) const override {
    std::memmove(to, from, static_cast<size_t>(bytes));
  }
  void reduce(MutableView out, const std::vector<ConstView>& inputs, ReduceOp op) const override {
    std::vector<ConstView> all;
    for (const ConstView& input : inputs) all.push_back({input.data, input.count, input.dtype});
    reduce_into({out.data, out.count, out.dtype}, all, op);
  }
  std::optional<int64_t> first_non_finite(ConstView view) const override {
    return ringside::first_non_finite({view.data, view.count, view.dtype});
  }
  void wait() const override { throw InvariantError("a call holds its rank's thread up"); }
  std::function<bool()> mark() const override {
    const std::lock_guard lock(stream->mutex);
    return [own = stream, to = stream->kernels.size(), left = stream->behind]() mutable {
      if (own->fails) throw MissingError("a kernel failed");
      if (left == kNever || left-- > 0) return false;
      own->run(to);
      return true;
    };
  }

 private:
  const DeviceMemory* const before_ = device_memory();
};

MutableView on_device(std::vector<float>& values) {
  return {values.data(), std::ssize(values), Dtype::kFloat32, Device::kCuda};
}
void launch_fill(std::vector<float>& values, float value) {
  const std::lock_guard lock(stream->mutex);
  stream->kernels.emplace_back([&values, value] { std::ranges::fill(values, value); });
}

// Of three ranks with a stream each.
std::vector<Ending> on_streams(std::chrono::milliseconds timeout, const std::function<void(Handle&)>& body) {
  const LateDevice device;
  ThreadGroupOptions options = with_timeout(timeout);
  options.check_finite = true;
  return endings(3, options, [&](Handle& group) {
    stream = std::make_shared<LateStream>();
    body(group);
  });
}
// An all-reduce on each; rank 1's stream is as `prepare` leaves it.
std::vector<Ending> sums(std::chrono::milliseconds timeout,
                         const std::function<void(std::vector<float>&)>& prepare) {
  return on_streams(timeout, [&](Handle& group) {
    std::vector<float> values(10);
    if (group->rank() == 1) prepare(values);
    group->all_reduce(on_device(values), {"gradients", "", true})->wait();
  });
}
void check_all(const std::vector<Ending>& endings, Kind kind, int rank) {
  for (const Ending& end : endings) {
    INFO(end.text);
    CHECK(end.kind == kind);
    CHECK(end.ranks == std::vector{rank});
  }
}

}  // namespace

TEST_CASE("peers read what a rank's stream has computed, and no call holds the rank's thread up") {
  if (is_as_processes()) return;
  for (const size_t count : {size_t{10}, size_t{100'000}}) {
    const auto ends = on_streams(60s, [&](Handle& group) {
      const int rank = group->rank(), next = (rank + 1) % 3, last = (rank + 2) % 3;
      std::vector<float> sum(count), own(count), all(3 * count), from(count);
      launch_fill(sum, static_cast<float>(rank + 1));
      const WorkPtr reduces = group->all_reduce(on_device(sum), {});
      launch_fill(own, static_cast<float>(rank));
      const WorkPtr sends = group->send(on_device(own), next, {}),
                    receives = group->recv(on_device(from), last, {}),
                    gathers = group->all_gather(on_device(own), on_device(all), {});
      wait_all({reduces, sends, receives, gathers});
      const auto all_are = [](std::span<const float> values, int value) {
        return std::ranges::count(values, static_cast<float>(value)) == std::ssize(values);
      };
      if (!all_are(sum, 6) || !all_are(from, last)) throw InvariantError("a peer's sum or message is older");
      for (size_t place = 0; place < 3; ++place)
        if (!all_are(std::span(all).subspan(place * count, count), static_cast<int>(place)))
          throw InvariantError("what a peer gathered is older");
    });
    for (const Ending& end : ends) CHECK(end.text == "");
  }
}

TEST_CASE("memory of two devices in one call is refused") {
  if (is_as_processes() || is_over("device")) return;  // there all memory is of one
  on_streams(60s, [](Handle& group) {
    std::vector<float> one(10), all(30);
    if (group->rank() != 0) return;
    const MutableView here{one.data(), 10, Dtype::kFloat32}, there{all.data(), 30, Dtype::kFloat32};
    CHECK_THROWS_AS(group->all_gather(on_device(one), there, {}), UsageError);
    CHECK_THROWS_AS(group->all_gather(here, on_device(all), {}), UsageError);
  });
}

TEST_CASE("a stream that never comes to a call ends it by the deadline, and its rank is named") {
  if (is_as_processes()) return;
  check_all(sums(200ms, [](auto&) { stream->behind = kNever; }), Kind::kTimeout, 1);
}

TEST_CASE("who waits for a stream is woken where the group breaks") {
  if (is_as_processes()) return;
  const auto ends = on_streams(2 * kPatience, [](Handle& group) {
    stream->behind = kNever;
    std::vector<float> values(10);
    const WorkPtr work = group->all_reduce(on_device(values), {});
    if (group->rank() == 2) group->abort("it gives up");
    work->wait();
  });
  check_all(ends, Kind::kPeerLost, 2);
  for (const Ending& end : ends) CHECK(end.time < kPatience);
}

TEST_CASE("a kernel that fails before a call ends it, and its rank is named") {
  if (is_as_processes()) return;
  const auto ends = sums(60s, [](auto&) { stream->fails = true; });
  check_all(ends, Kind::kPeerLost, 1);
  for (const Ending& end : ends) CHECK(end.text.find("a kernel failed") != std::string::npos);
}

TEST_CASE("a rank's input is looked at for NaN once its stream has computed it") {
  if (is_as_processes()) return;
  check_all(sums(60s, [](auto& values) { launch_fill(values, NAN); }), Kind::kNonFinite, 1);
}
