#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <thread>

#include "patience.h"
#include "ringside/launch/stream.h"

namespace ringside::testing {

// As much of LibTorch's TCPStore as is asked for, for one guest after the other. first: 0 as up to 2.1, 1 as
// from 2.2 on.
class FakeAgent {
 public:
  using Values = std::map<std::string, std::string>;
  // next: what takes the place of a value once it has been read.
  explicit FakeAgent(int first, Values values = {}, Values next = {})
      : first_(first), values_(std::move(values)), next_(std::move(next)), thread_([this] { serve(); }) {}
  ~FakeAgent() {
    ends_ = true;
    thread_.join();
  }
  int port() const { return port_of(listening_); }

 private:
  static constexpr std::chrono::milliseconds kLook{50};
  struct Over {};  // the connection is

  void serve() {
    while (!ends_) {
      const Descriptor guest = accept_from({listening_.number()}, SteadyClock::now() + kLook);
      if (!guest.open()) continue;
      try {
        if (first_ > 0 && (take<uint8_t>(guest) != 0 || take<uint32_t>(guest) != 0x3C85F7CE)) continue;
        while (!ends_) answer(guest);
      } catch (const Over&) {
      }
    }
  }
  template <typename T>
  T take(const Descriptor& guest) {
    T value{};
    Streamed streamed = Streamed::kLate;
    while (streamed == Streamed::kLate && !ends_)
      streamed = read_stream(guest.number(), &value, sizeof value, SteadyClock::now() + kLook);
    if (streamed != Streamed::kAll) throw Over();
    return value;
  }
  std::string take_text(const Descriptor& guest) {
    const auto size = take<uint64_t>(guest);
    if (size > 1000) throw Over();
    std::string text;
    while (text.size() < size) text += take<char>(guest);
    return text;
  }
  template <typename T>
  void say(const Descriptor& guest, T value) {
    write_stream(guest.number(), &value, sizeof value, SteadyClock::now() + kPatience);
  }
  void answer(const Descriptor& guest) {
    switch (take<uint8_t>(guest) - first_) {
      case 0: {
        const std::string key = take_text(guest);
        values_[key] = take_text(guest);
        return;
      }
      case 2: {
        const std::string key = take_text(guest), value = values_.at(key);
        say(guest, uint64_t{value.size()});
        write_stream(guest.number(), value.data(), value.size(), SteadyClock::now() + kPatience);
        if (next_.contains(key)) values_[key] = next_[key];
        return;
      }
      case 4:
      case 5: {
        if (take<uint64_t>(guest) != 1) throw Over();
        if (values_.contains(take_text(guest))) say(guest, uint8_t{0});  // else nobody sets it any more
        return;
      }
      case 6:
        return say(guest, int64_t(values_.size()));
      default:
        throw Over();
    }
  }

  const int first_;
  Values values_, next_;  // of the thread
  std::atomic<bool> ends_{false};
  const Descriptor listening_ = listen_at("127.0.0.1", 0);
  std::thread thread_;  // the last
};

}  // namespace ringside::testing
