// Where the nodes of a run listen, as they said when they greeted: the scheduler's endpoint keeps it, and
// answers from it. What endpoints say to each other, beside the packets of the nodes, are frames of types
// that no message has:
//
//   Hello, Where           ->  the scheduler's endpoint
//   Welcome, Here, Who     ->  the one that wrote, on the same connection
#pragma once

#include <map>
#include <string>

#include "ringside/parameter_server/wire.h"

namespace ringside::inline ps {

enum class Greeting : uint16_t { kHello = 0xFF10, kWelcome, kWho, kWhere, kHere };
inline constexpr uint16_t kFirstGreeting = 0xFF00;

struct Hello {
  uint64_t life = 0;  // drawn at random: tells two nodes of one number apart
  Bytes address = {};
};
struct Welcome {
  bool accepted = false;  // false: another node has this number
};
struct Who {};  // the scheduler does not know the sender: greet me
struct Where {
  NodeId node = 0;
};
struct Here {
  NodeId node = 0;
  Bytes address = {};  // empty: nobody of this number was here
};

template <typename T>
Bytes seal_greeting(Greeting kind, const T& greeting, uint64_t world, NodeId from, NodeId to) {
  Writer writer;
  writer(greeting);
  const Bytes payload = writer.take();
  return seal({static_cast<uint16_t>(kind), world, from, to, payload});
}

template <typename T>
T read_greeting(const Frame& frame) {  // FrameError
  T greeting;
  Reader reader(frame.payload);
  reader(greeting);
  reader.end();
  return greeting;
}

inline constexpr size_t kMostAddress = 256;  // bytes

class Directory {
 public:
  // The answer to a Hello or a Where, sealed. FrameError where it is neither; one of kVersion or kWorld has
  // an answer too, a Welcome, which shows this run's.
  Bytes answer(const Bytes& greeting, uint64_t world);
  static Bytes refusal(uint64_t world, NodeId to);

  bool knows(NodeId node) const { return nodes_.contains(node); }
  std::string address_of(NodeId node) const;  // empty: nobody of this number was here

 private:
  static constexpr size_t kMostNodes = 100'000;
  struct Entry {
    std::string address;
    uint64_t life = 0;
  };
  bool take(NodeId node, const Hello& hello);

  std::map<NodeId, Entry> nodes_ = {};
};

}  // namespace ringside::inline ps
