// A hash of all that happens on a simulated network: of time, kind, from, to and bytes.
#pragma once

#include "ringside/base/sha256.h"
#include "ringside/parameter_server/simulated_network.h"

namespace ringside::testing {

class EventLog {
 public:
  explicit EventLog(ps::SimulatedNetwork& network) {  // which does not outlive it
    network.observe([this](const ps::NetworkEvent& event) {
      const uint64_t record[] = {static_cast<uint64_t>(event.time_ns), static_cast<uint64_t>(event.kind),
                                 event.from, event.to};
      hash_.update(record, sizeof record);
      if (event.bytes != nullptr) hash_.update(event.bytes->data(), event.bytes->size());
    });
  }
  EventLog& operator=(EventLog&&) = delete;
  std::string hex() { return hash_.hex(); }  // ends it

 private:
  Sha256 hash_;
};

}  // namespace ringside::testing
