// A simulated link between ranks: each transfer takes latency x hops + bytes /
// bandwidth, waited for in earnest on the deadline's clock. Always labelled
// simulated wherever a figure rests on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringside {

struct LinkModel {
  std::string name = "none";      // "none": memory speed, nothing is simulated
  double latency_s = 0;           // one hop
  double bytes_per_s = 0;         // one rank's outgoing bandwidth
  bool simulated() const { return bytes_per_s > 0; }
  double seconds(int64_t hops, int64_t bytes) const;
};

// "none", "nvlink", "pcie", "ethernet", or "LATENCY_us/GB_per_s" such as "50us/0.1GBps".
// UsageError naming what is allowed.
LinkModel parse_link(const std::string& text);
std::vector<LinkModel> link_presets();

}  // namespace ringside
