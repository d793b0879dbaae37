// Where the processes of a run meet: values by key, kept by one process and reached by the others over TCP.
//
//   StoreServer server({.run_id = "a run", .size = 4});  // in one process
//   const auto store = connect_store("127.0.0.1", server.port(), run, rank, deadline);
//   store->set("address/1", "127.0.0.1:4711");
//   store->get("address/0", deadline);                   // waits until rank 0 has set it
//
// Who connects says who it is: protocol version, run id, world size, restart and rank. Another version, run,
// size or restart, and a rank that is there already, are refused by name; whoever speaks something else, such
// as HTTP, is disconnected, and the run goes on. Frames are bounded before they are believed
// (store_frames.h). A member whose connection ends without a word is lost: who waits for a value then hears
// so. Keys carry the restart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ringside/base/clock.h"
#include "ringside/base/error.h"
#include "ringside/launch/process.h"

namespace ringside::inline launch {

// Refused by the other side: another version, run, size or restart, or a rank twice. The message says which.
using StoreRefusedError = ErrorOf<ExitCode::kMismatch>;
// A deadline passed; the message names what was waited for.
using StoreTimeoutError = ErrorOf<ExitCode::kTimeout>;
// The store, or a rank that waits are for, is gone; rank -1: the store itself.
struct StoreLostError : Error {
  StoreLostError(int of, const std::string& message) : Error(ExitCode::kPeerLost, message), rank(of) {}
  int rank;
};

inline constexpr size_t kMostKeyBytes = 256, kMostValueBytes = size_t{16} << 20;
inline constexpr size_t kMostStored = size_t{1} << 30;  // bytes of all values

// Safe from any thread.
class Store {
 public:
  virtual ~Store() = default;
  // Replaces what is there; an empty value frees it. InputError for a key or value over its bound;
  // StoreRefusedError where the store is full.
  virtual void set(const std::string& key, std::string_view value) = 0;
  // Waits until it is there. StoreTimeoutError, StoreLostError.
  virtual std::string get(const std::string& key, TimePoint deadline) = 0;
};

// Of one process alone: for threads, and tests.
std::shared_ptr<Store> make_memory_store();

// The same in all processes of a run.
struct RunName {
  std::string run_id = {};  // at most 128 bytes
  int size = 1;             // ranks
  int restart = 0;          // how often a launcher has started it again
  bool operator==(const RunName&) const = default;
};

// Listens from its construction on. With port 0 the system chooses one. MissingError naming address and port
// where it cannot listen there. Its destructor ends all connections.
class StoreServer {
 public:
  explicit StoreServer(RunName run, const std::string& address = "127.0.0.1", int port = 0,
                       size_t most_stored = kMostStored);
  // A socket that listens, from whoever started this process.
  StoreServer(RunName run, Descriptor listening, size_t most_stored = kMostStored);
  ~StoreServer();
  StoreServer& operator=(StoreServer&&) = delete;
  int port() const;
  // From now on whoever waits for a value gets a StoreTimeoutError that says why.
  void give_up(const std::string& why);
  // Until every member has left or is lost; false: not by the deadline. Whoever ends the store ends their
  // waits.
  bool wait_until_left(TimePoint deadline) const;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

// Another process's clock, as this one sees it: theirs = ours + offset, give or take the error.
struct ClockOffset {
  int64_t offset_ns = 0, error_ns = 0;
};

class TcpStore : public Store {
 public:
  // What that rank has set by now. is_gone: it is gone, or has left, and has not set it.
  struct Found {
    std::optional<std::string> value = {};
    bool is_gone = false;
  };
  virtual Found look(int rank, const std::string& key) = 0;
  // StoreLostError where a rank has gone without a word.
  virtual void check_all_there() = 0;
  // From now on no question waits longer than that: a store that does not answer by then is not asked again.
  virtual void answer_by(TimePoint latest) = 0;
  virtual std::string own_address() const = 0;  // by which this process reaches the store
  // Of the process that keeps the store, by the shortest of `rounds` ways there and back.
  virtual ClockOffset measure_clock(int rounds, TimePoint deadline) = 0;
};

// Tries until the deadline: whoever keeps the store may be slow to start. StoreRefusedError,
// StoreTimeoutError.
std::unique_ptr<TcpStore> connect_store(const std::string& address, int port, const RunName& run, int rank,
                                        TimePoint deadline);

}  // namespace ringside::inline launch
