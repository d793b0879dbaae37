// One ZeroMQ socket, and messages on it. Nothing here waits.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "ringside/zeromq/endpoint.h"

namespace ringside::inline ps {

class Socket {
 public:
  Socket(const ZeromqContext& context, int type, const ZeromqOptions& options);
  ~Socket();
  Socket(Socket&& other) noexcept : socket_(std::exchange(other.socket_, nullptr)) {}

  std::string bind(const std::string& address);  // the address that it got; AddressError, UsageError
  void connect(const std::string& address);      // UsageError
  // False: it cannot be sent now. `more`: the next one belongs to the same message.
  bool send(const Bytes& part, bool more = false);
  // A whole message of `parts` parts; empty where it has another number of them. Nothing: there is none.
  std::optional<std::vector<Bytes>> receive(size_t parts);
  void* get() const { return socket_; }

 private:
  void set(int option, int value);
  void* socket_;
};

}  // namespace ringside::inline ps
