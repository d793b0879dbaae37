#include "ringside/launch/stream.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "ringside/base/check.h"
#include "ringside/base/error.h"
#include "ringside/base/text.h"

namespace ringside::inline launch {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

std::string place(const std::string& address, int port) {
  return fmt::format("{}:{}", as_typed(address), port);
}

Addresses addresses_of(const std::string& address, int port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) throw MissingError(place(address, port) + ": " + ::gai_strerror(error));
  return {found, &::freeaddrinfo};
}

Descriptor make_socket(const addrinfo& at) {
  return Descriptor(::socket(at.ai_family, at.ai_socktype | SOCK_CLOEXEC, at.ai_protocol));
}

// A name of Linux's abstract ones: behind a zero.
struct HostName {
  explicit HostName(const std::string& name) {
    RINGSIDE_CHECK_LE(name.size(), size_t{100});
    name.copy(where.sun_path + 1, name.size());
    bytes += static_cast<socklen_t>(name.size());
  }
  const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&where); }
  sockaddr_un where{AF_UNIX, {}};
  socklen_t bytes = offsetof(sockaddr_un, sun_path) + 1;
};

Descriptor make_host_socket(int flags = 0) {
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  const int room = 1 << 20;  // of what is sent and not yet read, as far as the system allows
  ::setsockopt(socket.number(), SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  return socket;
}

void send_at_once(const Descriptor& socket) {
  const int on = 1;
  ::setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// Whether one of them can be read or written, or has ended; false: none by the deadline.
bool wait_until(std::span<pollfd> sockets, TimePoint deadline) {
  for (;;) {
    const int found = ::poll(sockets.data(), sockets.size(), milliseconds_until(deadline));
    if (found > 0) return true;
    if (SteadyClock::now() >= deadline) return false;
  }
}
bool wait_until(int socket, short events, TimePoint deadline) {
  pollfd wait{socket, events, 0};
  return wait_until(std::span(&wait, 1), deadline);
}

struct Own {
  sockaddr_storage address{};
  socklen_t bytes = sizeof address;
};
Own own_end(int socket) {
  Own own;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&own.address), &own.bytes);
  return own;
}

std::string text_of(const sockaddr* address, socklen_t bytes) {
  char text[NI_MAXHOST] = {};
  if (::getnameinfo(address, bytes, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0)
    throw MissingError("a socket's address cannot be read");
  return text;
}

// A socket connected to itself: a port that nobody listens at was chosen for the own end too.
bool is_own_echo(const Descriptor& socket) {
  const Own own = own_end(socket.number());
  Own peer;
  ::getpeername(socket.number(), reinterpret_cast<sockaddr*>(&peer.address), &peer.bytes);
  return own.bytes == peer.bytes && std::memcmp(&own.address, &peer.address, own.bytes) == 0;
}

bool connect_by(const Descriptor& socket, const addrinfo& at, TimePoint deadline) {
  const int flags = ::fcntl(socket.number(), F_GETFL);
  ::fcntl(socket.number(), F_SETFL, flags | O_NONBLOCK);
  if (::connect(socket.number(), at.ai_addr, at.ai_addrlen) != 0) {
    if (errno != EINPROGRESS || !wait_until(socket.number(), POLLOUT, deadline)) return false;
    int error = 0;
    socklen_t bytes = sizeof error;
    ::getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &bytes);
    if (error != 0) return false;
  }
  ::fcntl(socket.number(), F_SETFL, flags);
  return !is_own_echo(socket);
}

// Until `move`, which sends or receives what goes at once behind the bytes that are done, has moved all.
template <typename Move>
Streamed move_all(int socket, short events, size_t bytes, TimePoint deadline, size_t& done,
                  const Move& move) {
  for (done = 0; done < bytes;) {
    const ssize_t moved = move();
    if (moved > 0) {
      done += size_t(moved);
    } else if (moved < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (!wait_until(socket, events, deadline)) return Streamed::kLate;
    } else if (moved == 0 || errno != EINTR) {
      return Streamed::kLost;
    }
  }
  return Streamed::kAll;
}

}  // namespace

int milliseconds_until(TimePoint deadline) {
  const auto rest = std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::now()).count();
  return int(std::clamp<int64_t>(rest, 0, 1000));
}

Descriptor listen_at(const std::string& address, int port) {
  const Addresses found = addresses_of(address, port);
  Descriptor socket = make_socket(*found);
  const int on = 1;
  ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (!socket.open() || ::bind(socket.number(), found->ai_addr, found->ai_addrlen) != 0 ||
      ::listen(socket.number(), SOMAXCONN) != 0)
    throw MissingError("cannot listen at {}: {}", place(address, port), std::strerror(errno));
  return socket;
}

int port_of(const Descriptor& socket) {
  const Own own = own_end(socket.number());
  return ntohs(own.address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(own.address).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(own.address).sin_port);
}

std::string address_of(const Descriptor& socket) {
  const Own own = own_end(socket.number());
  return text_of(reinterpret_cast<const sockaddr*>(&own.address), own.bytes);
}

std::string address_of_interface(const std::string& name) {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) throw MissingError("no network interface can be read");
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(all, &::freeifaddrs);
  std::string known;
  for (const int family : {AF_INET, AF_INET6})
    for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
      if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != family) continue;
      if (one->ifa_name == name)
        return text_of(one->ifa_addr, family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
      if (family == AF_INET) known += (known.empty() ? "" : ", ") + std::string(one->ifa_name);
    }
  throw MissingError("there is no network interface '{}'; there are: {}", as_typed(name), known);
}

Descriptor connect_to(const std::string& address, int port, TimePoint deadline) {
  const Addresses found = addresses_of(address, port);
  for (const addrinfo* at = found.get(); at != nullptr; at = at->ai_next) {
    Descriptor socket = make_socket(*at);
    if (!socket.open() || !connect_by(socket, *at, deadline)) continue;
    send_at_once(socket);
    return socket;
  }
  return Descriptor();
}

Descriptor accept_from(std::initializer_list<int> listening, TimePoint deadline) {
  std::vector<pollfd> waits;
  for (const int one : listening) waits.push_back({one, POLLIN, 0});
  while (wait_until(waits, deadline)) {
    const auto ready = std::ranges::find_if(waits, [](const pollfd& wait) { return wait.revents != 0; });
    Descriptor socket(::accept4(ready->fd, nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket.open()) continue;  // who came has gone again
    send_at_once(socket);
    return socket;
  }
  return Descriptor();
}

Descriptor listen_on_host(const std::string& name) {
  const HostName at(name);
  Descriptor socket = make_host_socket();
  if (::bind(socket.number(), at.address(), at.bytes) == 0 && ::listen(socket.number(), SOMAXCONN) == 0)
    return socket;
  return Descriptor();
}

Descriptor connect_on_host(const std::string& name) {
  const HostName at(name);
  Descriptor socket = make_host_socket(SOCK_NONBLOCK);
  if (::connect(socket.number(), at.address(), at.bytes) != 0) return Descriptor();
  ::fcntl(socket.number(), F_SETFL, ::fcntl(socket.number(), F_GETFL) & ~O_NONBLOCK);
  return socket;
}

bool is_on_host(int socket) { return own_end(socket).address.ss_family == AF_UNIX; }

Streamed write_stream(int socket, const void* from, size_t bytes, TimePoint deadline, size_t* written) {
  size_t own = 0;
  size_t& done = written != nullptr ? *written : own;
  return move_all(socket, POLLOUT, bytes, deadline, done, [&] {
    return ::send(socket, static_cast<const std::byte*>(from) + done, bytes - done,
                  MSG_NOSIGNAL | MSG_DONTWAIT);
  });
}

Streamed read_stream(int socket, void* to, size_t bytes, TimePoint deadline) {
  size_t done = 0;
  return move_all(socket, POLLIN, bytes, deadline, done, [&] {
    return ::recv(socket, static_cast<std::byte*>(to) + done, bytes - done, MSG_DONTWAIT);
  });
}

}  // namespace ringside::inline launch
