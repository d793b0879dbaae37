// A simulated link between ranks: a transfer takes latency x hops + bytes / bandwidth, waited for in earnest
// on the deadline's clock. Always labelled simulated wherever a figure rests on it.
//
// Presets, as orders of magnitude of one rank's outgoing link, not of a product's test:
//   nvlink    450 GB/s    3 us   NVLink 4 of one H100, one direction
//   pcie       25 GB/s   10 us   PCIe 4.0 x16: 32 GB/s less framing
//   100g     12.5 GB/s    5 us   100 Gbit/s InfiniBand or RoCE: a network card without a kernel takes about 1
//   to
//                                2 us at each end, a switch below 1 us
//   ethernet  0.125 GB/s 50 us   1 Gbit/s through one switch and a kernel's TCP stack
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ringside/trace/events.h"

namespace ringside::inline comm {

struct LinkModel {
  std::string name = "none";  // "none": memory speed, nothing is simulated
  double latency_s = 0;       // one hop
  double bytes_per_s = 0;     // one rank's outgoing bandwidth
  bool simulated() const { return bytes_per_s > 0; }
  double seconds(int64_t hops, int64_t bytes) const;  // 0 where nothing is simulated
};

// Hops in a row that a collective needs among `size` ranks: 2(N-1) for an all-reduce, N-1 for
// reduce-scatter, all-gather and all-to-all, 1 for broadcast, send and recv; 0 among one rank.
int64_t hops(Op op, int size);

// "none", a preset, or LATENCYus/BANDWIDTHGBps such as "50us/0.1GBps" (0 to 1e6 us, 1e-3 to 1e5 GBps).
// UsageError naming what is allowed.
LinkModel parse_link(const std::string& text);
std::vector<LinkModel> link_presets();
std::vector<std::string> link_names();  // "none" and the presets, the fastest first
// For a help: "nvlink (450 GB/s, 3 us), pcie (25 GB/s, 10 us), ..."
std::string link_figures();

}  // namespace ringside::inline comm
