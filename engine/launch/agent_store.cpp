#include "ringside/launch/agent_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "ringside/base/text.h"
#include "ringside/base/threads.h"
#include "ringside/launch/store.h"
#include "ringside/launch/stream.h"

namespace ringside::inline launch {
namespace {

constexpr int kSet = 0, kGet = 2, kCheck = 4, kWait = 5, kCount = 6;  // up to 2.1
constexpr uint32_t kMagic = 0x3C85F7CE;                               // behind a `validate`
constexpr std::chrono::seconds kAgentToAnswer{10};
constexpr std::chrono::milliseconds kAgentPause{20};
constexpr uint64_t kMostValue = 512, kMostKeys = uint64_t{1} << 32;

template <typename T>
std::string number_bytes(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
std::string text_bytes(std::string_view value) {
  return number_bytes(uint64_t{value.size()}) + std::string(value);
}

TimePoint agent_answers_by(TimePoint deadline) {
  return std::min(deadline, SteadyClock::now() + kAgentToAnswer);
}

}  // namespace

AgentStore::AgentStore(const std::string& address, int port, TimePoint deadline)
    : place_(fmt::format("torchrun's store at {}:{}", as_typed(address), port)) {
  const WaitScope scope(place_);
  while (!meet(address, port, deadline)) {
    if (SteadyClock::now() >= deadline)
      throw StoreTimeoutError(place_ + " does not answer: MASTER_ADDR and MASTER_PORT say that it is there");
    std::this_thread::sleep_for(kAgentPause);
  }
}

// False: nobody listens there. The number of keys is asked for four times: a store up to 2.1 takes those for
// the length of a text that no memory holds, and ends the connection.
bool AgentStore::meet(const std::string& address, int port, TimePoint deadline) {
  for (const int first : {1, 0}) {
    first_word_ = first;
    socket_ = connect_to(address, port, deadline);
    if (!socket_.open()) return false;
    std::array<uint64_t, 4> counts{};
    const std::string hello = (first > 0 ? number_bytes(uint8_t{0}) + number_bytes(kMagic) : "") +
                              std::string(counts.size(), char(kCount + first));
    write_stream(socket_.number(), hello.data(), hello.size(), agent_answers_by(deadline));
    const Streamed heard =
        read_stream(socket_.number(), counts.data(), sizeof counts, agent_answers_by(deadline));
    if (heard == Streamed::kAll && std::ranges::max(counts) < kMostKeys) return true;
    if (heard == Streamed::kLate && SteadyClock::now() >= deadline) return false;
    if (heard != Streamed::kLost) break;
  }
  throw StoreRefusedError(place_ + " does not speak as LibTorch's TCPStore does");
}

std::string AgentStore::question(int word, std::string_view rest) const {
  return number_bytes(uint8_t(word + first_word_)) + std::string(rest);
}

void AgentStore::send(const std::string& bytes, TimePoint deadline) {
  if (write_stream(socket_.number(), bytes.data(), bytes.size(), deadline) != Streamed::kAll)
    throw StoreLostError(-1, place_ + " is gone");
}

template <typename T>
T AgentStore::number(TimePoint deadline, const std::string& awaited) {
  T value{};
  const Streamed heard = read_stream(socket_.number(), &value, sizeof value, deadline);
  if (heard == Streamed::kLate) throw StoreTimeoutError("{}: {}", place_, awaited);
  if (heard == Streamed::kLost) throw StoreLostError(-1, place_ + " is gone");
  return value;
}

void AgentStore::set(const std::string& key, std::string_view value) {
  const TimePoint deadline = SteadyClock::now() + kAgentToAnswer;
  send(question(kSet, text_bytes(key) + text_bytes(value)), deadline);
  send(question(kCheck, number_bytes(uint64_t{1}) + text_bytes(key)), deadline);  // so that it has been read
  if (number<uint8_t>(deadline, "it does not answer") != 0)
    throw StoreRefusedError("{} has not kept '{}'", place_, as_typed(key));
}

std::string AgentStore::get(const std::string& key, TimePoint deadline) {
  const WaitScope scope("key " + key);
  send(question(kWait, number_bytes(uint64_t{1}) + text_bytes(key)), deadline);
  number<uint8_t>(deadline, fmt::format("nobody has set '{}' by the deadline", as_typed(key)));
  const TimePoint answered = SteadyClock::now() + kAgentToAnswer;
  send(question(kGet, text_bytes(key)), answered);
  const auto size = number<uint64_t>(answered, "it does not answer");
  if (size > kMostValue)
    throw StoreRefusedError("{}: '{}' has {} bytes, at most {} are expected", place_, as_typed(key), size,
                            kMostValue);
  std::string value(size, '\0');
  if (read_stream(socket_.number(), value.data(), value.size(), answered) != Streamed::kAll)
    throw StoreLostError(-1, place_ + " is gone");
  return value;
}

std::string AgentStore::own_address() const { return address_of(socket_); }

}  // namespace ringside::inline launch
