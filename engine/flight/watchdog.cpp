#include <array>

#include <fmt/format.h>

#include "ringside/flight/report.h"

namespace ringside {
namespace {

// In the order of Op; c10d's opTypeToString (torch/csrc/distributed/c10d/Work.cpp). Those of one buffer a
// rank have names of their own.
constexpr std::array<std::string_view, 8> kOpTypes = {
    "ALLREDUCE", "_REDUCE_SCATTER_BASE", "_ALLGATHER_BASE", "BROADCAST", "ALLTOALL_BASE", "SEND", "RECV",
    "BARRIER"};

}  // namespace

std::string watchdog_line(int rank, const FlightEntry& entry) {
  return fmt::format(
      "[rank{}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={}, OpType={}, NumelIn={}, "
      "NumelOut={}, Timeout(ms)={})",
      rank, entry.is_p2p() ? entry.p2p_seq_id : entry.collective_seq_id,
      kOpTypes[static_cast<size_t>(entry.op)], entry.elements_in, entry.elements_out, entry.timeout_ms);
}

}  // namespace ringside
