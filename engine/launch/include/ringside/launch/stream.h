// Stream sockets, over TCP and within a host, with a deadline for every wait.
#pragma once

#include <initializer_list>
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
// Whoever comes next, to any of them; closed where nobody did by the deadline.
Descriptor accept_from(std::initializer_list<int> listening, TimePoint deadline);

// Unix sockets by names that are no files and go with their listener, of at most 100 bytes. Processes of a
// host reach each other where they see the same network.
Descriptor listen_on_host(const std::string& name);   // closed where the name is taken
Descriptor connect_on_host(const std::string& name);  // closed where nobody here listens by that name
bool is_on_host(int socket);

enum class Streamed { kAll, kLate, kLost };
// written: bytes that went out, all or not.
Streamed write_stream(int socket, const void* from, size_t bytes, TimePoint deadline,
                      size_t* written = nullptr);
Streamed read_stream(int socket, void* to, size_t bytes, TimePoint deadline);

// For poll(): not negative, at most a second, so that a loop looks at what else there is.
int milliseconds_until(TimePoint deadline);

}  // namespace ringside::inline launch
