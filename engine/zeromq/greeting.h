// What endpoints say to each other, beside the packets of the nodes: frames of types that no message has.
//
//   Hello, Where           ->  the scheduler's endpoint
//   Welcome, Here, Who     ->  the one that wrote, on the same connection
#pragma once

#include "ringside/parameter_server/wire.h"

namespace ringside::ps {

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

}  // namespace ringside::ps
