// An endpoint without a network: what is sent is lost, nothing comes, and the test sets the time.
#pragma once

#include "ringside/comm/endpoint.h"

namespace ringside::testing {

struct LoneEndpoint final : Endpoint {
  explicit LoneEndpoint(NodeId own) : self(own) {}
  NodeId id() const override { return self; }
  int64_t now_ns() const override { return now; }
  void send(NodeId, Bytes) override {}
  std::optional<Packet> receive(int64_t) override { return std::nullopt; }
  const NodeId self;
  int64_t now = 1;
};

}  // namespace ringside::testing
