#include "socket.h"

#include <zmq.h>

#include <cerrno>

#include "ringside/base/check.h"
#include "ringside/base/text.h"

namespace ringside::inline ps {
namespace {

constexpr int kReconnectMs = 10, kReconnectMostMs = 200;
constexpr int kHandshakeMs = 2000;  // a connection that has not said ZeroMQ's hello until then ends
constexpr int kBeatMs = 1000, kSilentMs = 4000;  // of a connection whose other side is gone without a word

[[noreturn]] void refuse_address(const std::string& address, int reason) {
  if (reason == EADDRINUSE)
    throw AddressError("{} is in use: choose another port, or * for a free one", as_typed(address));
  if (reason == EADDRNOTAVAIL || reason == ENODEV || reason == EACCES)
    throw AddressError("{} cannot be bound here: {}", as_typed(address), zmq_strerror(reason));
  throw UsageError("'{}' is no address ({}): tcp://HOST:PORT, or inproc://NAME between threads",
                   as_typed(address), zmq_strerror(reason));
}

}  // namespace

ZeromqContext::ZeromqContext() : context_(zmq_ctx_new()) {
  RINGSIDE_CHECK(context_ != nullptr, zmq_strerror(zmq_errno()));
}
ZeromqContext::~ZeromqContext() { zmq_ctx_term(context_); }

Socket::Socket(const ZeromqContext& context, int type, const ZeromqOptions& options)
    : socket_(zmq_socket(context.get(), type)) {
  RINGSIDE_CHECK(socket_ != nullptr, zmq_strerror(zmq_errno()));
  set(ZMQ_LINGER, 0);
  set(ZMQ_SNDHWM, options.most_packets);
  set(ZMQ_RCVHWM, options.most_packets);
  set(ZMQ_RECONNECT_IVL, kReconnectMs);
  set(ZMQ_RECONNECT_IVL_MAX, kReconnectMostMs);
  set(ZMQ_HANDSHAKE_IVL, kHandshakeMs);
  set(ZMQ_HEARTBEAT_IVL, kBeatMs);
  set(ZMQ_HEARTBEAT_TIMEOUT, kSilentMs);
  set(ZMQ_IMMEDIATE, 1);  // what is sent while nobody is there does not wait for a stranger
  const auto most = int64_t(options.most_bytes);
  RINGSIDE_CHECK_EQ(zmq_setsockopt(socket_, ZMQ_MAXMSGSIZE, &most, sizeof most), 0);
}

Socket::~Socket() {
  if (socket_ != nullptr) zmq_close(socket_);
}

void Socket::set(int option, int value) {
  RINGSIDE_CHECK_EQ(zmq_setsockopt(socket_, option, &value, sizeof value), 0);
}

std::string Socket::bind(const std::string& address) {
  if (zmq_bind(socket_, address.c_str()) != 0) refuse_address(address, zmq_errno());
  char text[256];
  size_t size = sizeof text;
  RINGSIDE_CHECK_EQ(zmq_getsockopt(socket_, ZMQ_LAST_ENDPOINT, text, &size), 0);
  return text;
}

void Socket::connect(const std::string& address) {
  if (zmq_connect(socket_, address.c_str()) != 0) refuse_address(address, zmq_errno());
}

bool Socket::send(const Bytes& part, bool more) {
  const int flags = ZMQ_DONTWAIT | (more ? ZMQ_SNDMORE : 0);
  return zmq_send(socket_, part.data(), part.size(), flags) >= 0;
}

std::optional<std::vector<Bytes>> Socket::receive(size_t parts) {
  std::vector<Bytes> message;
  for (bool more = true; more;) {
    zmq_msg_t part;
    zmq_msg_init(&part);
    const bool came = zmq_msg_recv(&part, socket_, ZMQ_DONTWAIT) >= 0;
    if (came && message.size() <= parts) {  // one more than that says that there are too many
      const auto* begin = static_cast<const uint8_t*>(zmq_msg_data(&part));
      message.emplace_back(begin, begin + zmq_msg_size(&part));
    }
    more = came && zmq_msg_more(&part) != 0;
    zmq_msg_close(&part);
    if (!came) return std::nullopt;
  }
  if (message.size() != parts) message.clear();
  return message;
}

}  // namespace ringside::inline ps
