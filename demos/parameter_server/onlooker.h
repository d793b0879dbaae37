// Who reads and never pushes: nobody waits for it.
#pragma once

#include "ringside/parameter_server/client.h"

namespace ringside::ps {

class Onlooker final : public Node {
 public:
  Onlooker(Endpoint& endpoint, const Cluster& cluster) : client_(endpoint, cluster, kRank) {}
  void receive(const Packet& packet) override { client_.receive(packet); }
  void tick() override { client_.tick(); }
  int64_t deadline_ns() const override { return client_.deadline_ns(); }
  Client& client() { return client_; }

 private:
  static constexpr uint32_t kRank = 1'000'001;  // no worker's
  Client client_;
};

}  // namespace ringside::ps
