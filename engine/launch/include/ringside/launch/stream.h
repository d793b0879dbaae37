// Stream sockets over TCP, with a deadline for every wait.
#pragma once

#include <string>

#include "ringside/base/clock.h"
#include "ringside/launch/process.h"

namespace ringside::inline launch {

// Listens there; with port 0 the system chooses one. MissingError naming the place and the system's reason.
Descriptor listen_at(const std::string& address, int port);
int port_of(const Descriptor& socket);             // of its own end
std::string address_of(const Descriptor& socket);  // likewise, as a number
// Of a network interface, "eth0": its first address. MissingError naming it and those that there are.
std::string address_of_interface(const std::string& name);

// One try. Closed where nobody answered; MissingError where the address is none. Blocking, without delay.
Descriptor connect_to(const std::string& address, int port, TimePoint deadline);
// Whoever comes next; closed where nobody did by the deadline.
Descriptor accept_from(const Descriptor& listening, TimePoint deadline);

enum class Streamed { kAll, kLate, kLost };
Streamed write_stream(int socket, const void* from, size_t bytes, TimePoint deadline);
Streamed read_stream(int socket, void* to, size_t bytes, TimePoint deadline);

// For poll(): not negative, at most a second, so that a loop looks at what else there is.
int milliseconds_until(TimePoint deadline);

}  // namespace ringside::inline launch
