// What nodes say to each other: one struct a message, its fields in the order in which they lie in a frame.
//
//   worker     Push, Pull                ->  head of a range's chain
//   head       Pushed, Pulled, Refused, UnknownKeys    ->  worker
//   server     Forward, Snapshot         ->  the next of the chain;   Stored  ->  the one before
//   all        Heartbeat                 ->  scheduler
//   scheduler  Lease, Table              ->  all
#pragma once

#include <variant>

#include "ringside/parameter_server/wire.h"

namespace ringside::inline ps {

inline constexpr NodeId kScheduler = 0;
// Of a worker that joined and has not pushed yet: nobody waits for it.
inline constexpr int64_t kNoClock = -1;
inline constexpr int64_t kMostClock = int64_t{1} << 62;  // no training comes so far

// Values for keys of one range. Whole: one value for each key, in order, and no list of keys.
struct KeyedValues {
  bool whole = false;
  std::vector<uint64_t> keys = {};  // rising
  std::vector<float> values = {};   // one for each key
};

inline int64_t bytes_of(const KeyedValues& values) {
  return int64_t(values.keys.size() * sizeof(uint64_t) + values.values.size() * sizeof(float));
}

// Who trains. A worker that was there at the start counts from clock 0; one that joined counts from its first
// push (-1).
struct Member {
  NodeId worker = 0;
  uint32_t rank = 0;
  int64_t from_clock = 0;
  bool operator==(const Member&) const = default;
};

// Who holds a range: the head serves, each one copies to the next. `epoch` rises with each change of the
// chain. `birth` is the epoch in which the range began with its initial values; `lost`: it was there before,
// and what was acknowledged is gone.
struct Chain {
  uint64_t epoch = 0, birth = 0;
  bool lost = false;
  std::vector<NodeId> nodes = {};
  bool operator==(const Chain&) const = default;
};

// The last epoch of a range whose state a replica held: it has all that this one and earlier ones
// acknowledged.
struct Held {
  uint32_t range = 0;
  uint64_t epoch = 0;
};

// An entry of a range's log, the same on all of its copies: a push, or new members.
struct Operation {
  uint64_t index = 0;     // 1, 2, ... in the range
  NodeId worker = 0;      // of a push
  uint64_t sequence = 0;  // of a push: the worker's pushes to this range, from 1
  int64_t clock = 0;      // of a push: the worker's iteration, from 0
  KeyedValues gradient = {};
  uint64_t members_version = 0;  // not 0: this is no push, and members are
  std::vector<Member> members = {};
};

struct Heartbeat {
  int64_t sent_ns = 0;         // by the sender's clock
  uint64_t table_version = 0;  // what it has
  bool is_server = false, leaving = false;
  uint32_t rank = 0;            // of a worker
  std::vector<Held> held = {};  // by a server
};
// Until sent_ns + the lease a server may serve what `table_version` gives it.
struct Lease {
  int64_t sent_ns = 0;  // of the heartbeat that it answers
  uint64_t table_version = 0;
};
struct Table {
  uint64_t version = 0;            // 0: none yet
  std::vector<Chain> chains = {};  // by range
  uint64_t members_version = 0;    // the version in which the members changed last
  std::vector<Member> members = {};
};

enum class KeyForm : uint8_t { kWhole, kList, kSignature };  // of a range; listed; those of a list of before
enum class ValueForm : uint8_t { kFloat32, kFloat16, kInt8, kFloat64 };

// Keys and values of one range, through the filters (filters.h).
struct Block {
  KeyForm key_form = KeyForm::kWhole;
  ValueForm value_form = ValueForm::kFloat32;
  uint32_t raw_bytes = 0;           // of the values before zstd; 0: they are as they are
  uint64_t signature = 0;           // of the list of keys
  std::vector<uint64_t> keys = {};  // of kList
  Bytes values = {};
};

struct Push {
  uint32_t range = 0;
  uint64_t sequence = 0;  // the worker's pushes to this range, from 1
  int64_t clock = 0;
  Block block = {};
};
struct Pushed {
  uint32_t range = 0;
  uint64_t epoch = 0, sequence = 0;
};
struct Pull {
  uint32_t range = 0;
  uint64_t request = 0;  // a later one of the worker takes its place
  int64_t clock = 0;     // the iteration that reads; -1: whatever there is
  Block block = {};      // without values
};
struct Pulled {
  uint32_t range = 0;
  uint64_t request = 0;
  int64_t oldest = 0;  // of the members' clocks in what was read
  Block block = {};    // values alone, of the keys that were asked for
};
// The sender does not serve the range, or not this worker: ask the scheduler for the table.
struct Refused {
  uint32_t range = 0;
  uint64_t table_version = 0;
};
// The sender has no list of this signature: send it again, with the list.
struct UnknownKeys {
  uint32_t range = 0;
  uint64_t signature = 0;
};

struct Forward {
  uint32_t range = 0;
  uint64_t epoch = 0;
  Operation operation = {};
};
struct Stored {
  uint32_t range = 0;
  uint64_t epoch = 0, index = 0;  // all to the end of the chain have the operations up to here
};
struct Snapshot {
  uint32_t range = 0;
  uint64_t epoch = 0;
  Bytes state = {};  // a RangeState
};

// A frame's type is the place in this list, from 1. New messages go to its end.
using Message = std::variant<Heartbeat, Lease, Table, Push, Pushed, Pull, Pulled, Refused, Forward, Stored,
                             Snapshot, UnknownKeys>;

void check_clock(int64_t clock);  // FrameError below 0, or from kMostClock on
bool is_member_clock(int64_t clock);
// FrameError where it is not one of so many ranges, names nobody for one of them, or a member with no clock.
void check_table(const Table& table, size_t ranges);

const char* name_of(const Message& message);
const char* name_of_kind(size_t index);  // of Message's alternatives
Bytes encode(const Message& message, uint64_t world, NodeId from, NodeId to);
Message decode(std::span<const uint8_t> bytes, uint64_t world);  // FrameError
// Lets `take` have what the packet says; one that cannot be read, or says what cannot be, is dropped.
template <typename Take>
void take_message(const Packet& packet, uint64_t world, const Take& take) try {
  std::visit(take, decode(packet.bytes, world));
} catch (const FrameError&) {
}

}  // namespace ringside::inline ps
