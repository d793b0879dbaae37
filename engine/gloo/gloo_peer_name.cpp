// Gloo asks each new connection for its peer's name. Where the peer's reset has come before, Gloo's own
// function throws in its device's thread, which ends the process. The linker finds this one in its place:
// such a connection has no peer's name, and the first read ends it.
#include <gloo/transport/tcp/address.h>
#include <sys/socket.h>

namespace gloo::transport::tcp {

Address Address::fromPeerName(int fd) {
  sockaddr_storage name{};
  socklen_t bytes = sizeof(name);
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&name), &bytes) != 0) name = {};
  return Address(name);
}

}  // namespace gloo::transport::tcp
