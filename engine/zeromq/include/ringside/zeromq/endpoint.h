// An Endpoint over ZeroMQ (libzmq, https://zeromq.org): inproc:// between threads, tcp:// between processes
// and hosts. The nodes above it are those of the simulation.
//
// How nodes find one another. All are given the scheduler's address. An endpoint greets the scheduler's: with
// its number, its world (the run), and the address where it listens. The answer shows the scheduler's version
// and world: who is of another one ends with a GreetingError. Whom an endpoint wants to send to for the first
// time it asks the scheduler's for; that packet is lost, as any may be. A scheduler that was started again
// asks each node that it hears of to greet it again.
//
// What is promised of each packet: it is dropped and counted where its receiver is away, slow or unknown;
// a send never waits. Before bytes from outside are believed, libzmq bounds their length, and the frame's
// header (wire.h) its kind and its receiver; the node reads the rest. Nothing is encrypted, and who can reach
// the address can take part: it binds 127.0.0.1 unless told otherwise.
#pragma once

#include <memory>
#include <string>

#include "ringside/base/error.h"
#include "ringside/comm/endpoint.h"
#include "ringside/parameter_server/wire.h"

namespace ringside::inline ps {

// A port in use, or an interface that this machine does not have.
struct AddressError : MissingError {
  using MissingError::MissingError;
};
// The peer at the scheduler's address is of another version, or of another world.
struct GreetingError : Error {
  GreetingError(FrameFault why, const std::string& message)
      : Error(ExitCode::kMismatch, message), fault(why) {}
  FrameFault fault;  // kVersion, kWorld
};

// Its threads carry the packets of all endpoints made of it; inproc:// addresses are its own. It must outlive
// them.
class ZeromqContext {
 public:
  ZeromqContext();
  ~ZeromqContext();
  ZeromqContext& operator=(ZeromqContext&&) = delete;
  void* get() const { return context_; }

 private:
  void* context_;
};

struct ZeromqOptions {
  uint64_t world = 1;
  std::string listen = "tcp://127.0.0.1:*";         // "*": any free port
  std::string scheduler = {};                       // where it listens; empty: this one is the scheduler's
  double greeting_s = 5;                            // how long the scheduler may take to answer
  size_t most_bytes = kHeaderBytes + kMostPayload;  // of a packet
  int most_packets = 256;                           // that wait for one receiver, on either side
};

struct ZeromqCounts {
  int64_t sent = 0, received = 0, sent_bytes = 0, received_bytes = 0;  // packets of nodes
  int64_t dropped = 0;    // not sent: the receiver is away, slow or not known yet
  int64_t strangers = 0;  // came, and are no packets for this node
};

// Belongs to one thread.
class ZeromqEndpoint final : public Endpoint {
 public:
  // Listens, and has been greeted when it returns. Its number is drawn at random: no life has that of
  // another. AddressError; UsageError for what is no address; GreetingError; an Error of kTimeout where no
  // scheduler answers.
  ZeromqEndpoint(const ZeromqContext& context, ZeromqOptions options);
  ~ZeromqEndpoint() override;

  NodeId id() const override;
  int64_t now_ns() const override;
  void send(NodeId to, Bytes packet) override;
  // GreetingError where another scheduler took the place of its own.
  std::optional<Packet> receive(int64_t deadline_ns) override;

  const std::string& address() const;  // where others reach it
  const ZeromqCounts& counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ringside::inline ps
