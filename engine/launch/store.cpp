#include "ringside/launch/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "ringside/base/text.h"
#include "ringside/base/threads.h"
#include "ringside/launch/stream.h"
#include "store_frames.h"

namespace ringside::inline launch {
namespace {

constexpr std::chrono::seconds kToAnswer{10};  // the store waits for nobody, so an answer is there soon

void check_bounds(const std::string& key, size_t value_bytes) {
  if (key.size() > kMostKeyBytes || value_bytes > kMostValueBytes)
    throw InputError("store: {} bytes for key '{}': allowed are {} bytes, and keys of {}", value_bytes,
                     as_typed(key), kMostValueBytes, kMostKeyBytes);
}

[[noreturn]] void throw_late(const std::string& key) {
  throw StoreTimeoutError("store: nobody has set '" + as_typed(key) + "' by the deadline");
}

class MemoryStore final : public Store {
 public:
  void set(const std::string& key, std::string_view value) override {
    check_bounds(key, value.size());
    const std::lock_guard lock(mutex_);
    values_[key] = value;
    changed_.notify_all();
  }
  std::string get(const std::string& key, TimePoint deadline) override {
    const WaitScope scope("key " + key);
    std::unique_lock lock(mutex_);
    if (!changed_.wait_until(lock, deadline, [&] { return values_.contains(key); })) throw_late(key);
    return values_[key];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string> values_;
};

class Connection final : public TcpStore {
 public:
  Connection(Descriptor socket, const RunName& run, int rank, TimePoint deadline)
      : socket_(std::move(socket)), prefix_(fmt::format("{}/", run.restart)) {
    ask({.word = StoreWord::kHello, .value = pack(Member{run, rank})}, deadline);
  }
  ~Connection() override {
    const std::string bye = pack(StoreFrame{.word = StoreWord::kBye});
    write_stream(socket_.number(), bye.data(), bye.size(),
                 SteadyClock::now() + std::chrono::milliseconds(100));
  }

  void set(const std::string& key, std::string_view value) override {
    const std::string whole = prefix_ + key;
    check_bounds(whole, value.size());
    ask({.word = StoreWord::kSet, .key = whole, .value = std::string(value)}, SteadyClock::now() + kToAnswer);
  }

  std::string get(const std::string& key, TimePoint deadline) override {
    StoreFrame answer = wait_for(key, deadline);
    if (answer.word == StoreWord::kLost)
      throw StoreLostError(int(answer.number), fmt::format("rank {} was lost, before '{}' was set",
                                                           answer.number, as_typed(key)));
    if (answer.word != StoreWord::kValue) throw_late(key);
    return std::move(answer.value);
  }

  Found look(int rank, const std::string& key) override {
    StoreFrame answer = ask_for(key, rank);
    if (answer.word == StoreWord::kValue) return {.value = std::move(answer.value)};
    return {.is_gone = answer.word == StoreWord::kLost};
  }

  void check_all_there() override {
    const StoreFrame answer = ask({.word = StoreWord::kGet, .number = -1, .key = "nobody sets this"},
                                  SteadyClock::now() + kToAnswer);
    if (answer.word == StoreWord::kLost)
      throw StoreLostError(int(answer.number), fmt::format("rank {} was lost", answer.number));
  }
  void answer_by(TimePoint latest) override {
    const std::lock_guard lock(mutex_);
    latest_ = latest;
  }
  std::string own_address() const override { return address_of(socket_); }

  ClockOffset measure_clock(int rounds, TimePoint deadline) override {
    ClockOffset best{0, INT64_MAX};
    for (int round = 0; round < rounds; ++round) {
      const int64_t before = now_ns();
      const int64_t theirs = ask({.word = StoreWord::kTime}, deadline).number;
      const int64_t after = now_ns(), error = (after - before + 1) / 2;
      if (error < best.error_ns) best = {theirs - before - (after - before) / 2, error};
    }
    return best;
  }

 private:
  // Asks again and again: so the store waits for nobody, and this rank's other threads have their turns.
  StoreFrame wait_for(const std::string& key, TimePoint deadline) {
    const WaitScope scope("key " + key);
    constexpr std::chrono::milliseconds kFirst{1}, kMost{16};
    for (auto pause = kFirst;; pause = std::min(2 * pause, kMost)) {
      StoreFrame answer = ask_for(key, -1);
      if (answer.word != StoreWord::kNone || SteadyClock::now() >= deadline) return answer;
      std::this_thread::sleep_until(std::min(SteadyClock::now() + pause, deadline));
    }
  }

  StoreFrame ask_for(const std::string& key, int setter) {
    const std::string whole = prefix_ + key;
    check_bounds(whole, 0);
    return ask({.word = StoreWord::kGet, .number = setter, .key = whole}, SteadyClock::now() + kToAnswer);
  }

  StoreFrame ask(const StoreFrame& question, TimePoint deadline) {
    const std::lock_guard lock(mutex_);
    if (is_late_) check(Streamed::kLate);
    deadline = std::min(deadline, latest_);
    const std::string bytes = pack(question);
    check(write_stream(socket_.number(), bytes.data(), bytes.size(), deadline));
    std::string in(kStoreHeaderBytes, '\0');
    check(read_stream(socket_.number(), in.data(), in.size(), deadline));
    StoreFrame answer;
    size_t used = 0;
    for (StoreBytes found; (found = parse_store_frame(in, answer, used)) != StoreBytes::kFrame;) {
      if (found == StoreBytes::kOther)
        throw StoreRefusedError("the store's protocol is of version {}, and this program's of version {}",
                                answer.version, kStoreVersion);
      if (found == StoreBytes::kForeign)
        throw StoreRefusedError("who listens there is no store of this program");
      const size_t done = in.size();
      in.resize(store_frame_bytes(in));
      check(read_stream(socket_.number(), in.data() + done, in.size() - done, deadline));
    }
    if (answer.word == StoreWord::kGivenUp) throw StoreTimeoutError(printable(answer.value));
    if (answer.word == StoreWord::kRefused)
      throw StoreRefusedError("the store refused {}: {}",
                              question.word == StoreWord::kHello ? "this process" : "a value",
                              printable(answer.value));
    return answer;
  }

  // What was not answered in time may be answered later: nothing is asked after that.
  void check(Streamed streamed) {
    is_late_ = streamed == Streamed::kLate;
    if (is_late_) throw StoreTimeoutError("the store does not answer");
    if (streamed == Streamed::kLost)
      throw StoreLostError(-1, "the store is gone: the process that kept it, rank 0, has ended");
  }

  const Descriptor socket_;
  const std::string prefix_;
  std::mutex mutex_;  // one question at a time
  TimePoint latest_ = TimePoint::max();
  bool is_late_ = false;
};

}  // namespace

std::shared_ptr<Store> make_memory_store() { return std::make_shared<MemoryStore>(); }

std::unique_ptr<TcpStore> connect_store(const std::string& address, int port, const RunName& run, int rank,
                                        TimePoint deadline) {
  const std::string place = fmt::format("{}:{}", as_typed(address), port);
  const WaitScope scope("the store at " + place);
  constexpr std::chrono::milliseconds kPause{20};
  for (;;) {
    try {
      Descriptor socket = connect_to(address, port, deadline);
      if (socket.open()) return std::make_unique<Connection>(std::move(socket), run, rank, deadline);
    } catch (const StoreLostError&) {  // it was ending, or has many strangers: once more
    } catch (const StoreRefusedError& refused) {
      throw StoreRefusedError("rank {}, at {}: {}", rank, place, refused.what());
    }
    if (SteadyClock::now() >= deadline)
      throw StoreTimeoutError("rank {}: no store answers at {}: is rank 0 there?", rank, place);
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace ringside::inline launch
