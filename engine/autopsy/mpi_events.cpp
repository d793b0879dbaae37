// What MPI, UCX and UCC say: Open MPI's help files (ompi/mpi/help-mpi-api.txt, help-mpi-errors.txt,
// orte/tools/orterun/help-orterun.txt, prrte), MPICH's hydra and its error strings, UCX's log, UCC's
// schedule/ucc_schedule.h, and ProcessGroupUCC.cpp.
#include <algorithm>

#include "line.h"
#include "ringside/base/text.h"

namespace ringside::inline logs {
namespace {

using Kind = LogEventKind;

// "MPI_ABORT was invoked on rank 3 in communicator MPI_COMM_WORLD", "application called
// MPI_Abort(MPI_COMM_WORLD, 1) - process 3".
std::optional<LogEvent> aborted(std::string_view text) {
  const bool open_mpi = has(text, "MPI_ABORT was invoked on rank ");
  if (!open_mpi && !has(text, "application called MPI_Abort(")) return std::nullopt;
  const bool of_world = open_mpi ? text.ends_with("MPI_COMM_WORLD") || has(text, "MPI_COMM_WORLD ")
                                 : has(text, "(MPI_COMM_WORLD");
  const int rank = rank_behind(text, open_mpi ? "invoked on rank " : "- process ");
  return exit_event("MPI_Abort", 1, of_world ? rank : -1);
}

int64_t signal_behind(std::string_view text, std::string_view word) {
  return std::clamp<int64_t>(number_behind(text, word).value_or(0), 0, 255);
}

std::optional<LogEvent> mpi(std::string_view text) {
  if (has(text, "noticed that process rank ") && has(text, "exited on signal "))
    return exit_event("", -signal_behind(text, "on signal "), rank_behind(text, "process rank "));
  // Of MPICH, which kills the others by signal 9 itself, so that 9 may be one of theirs.
  if (const std::string_view how = behind(text, "TERMINATED WITH THE EXIT STRING: "); !how.empty())
    return exit_event("exit string", -signal_behind(how, "(signal "));
  if (has_any(text, {"MPI_ERR_TRUNCATE", "essage truncated"}) &&
      has_any(text, {"MPI_ERR", "Fatal error in", "Abort("}))
    return event(Kind::kFingerprint, "truncated");
  if (has_any(text, {"time limit for job execution has been reached", "APPLICATION TIMED OUT, TIMEOUT ="}))
    return event(Kind::kKilled, "mpirun's time limit");
  if (has_any(text,
              {"peer process has unexpectedly disconnected", "MPI_ERR_PROC_FAILED", "MPIX_ERR_PROC_FAILED"}))
    return event(Kind::kPeerLost);
  if (has(text, "lost communication with a remote daemon")) return event(Kind::kPeerLost, "a node");
  if (has(text, "PMIX ERROR: ") && has_any(text, {"UNREACHABLE", "COMM-FAILURE", "LOST-CONNECTION"}))
    return event(Kind::kPeerLost);
  if (has(text, "Communication error with rank ")) {
    LogEvent made = event(Kind::kPeerLost);
    made.ranks = {rank_behind(text, "error with rank ")};
    return made;
  }
  return std::nullopt;
}

std::optional<LogEvent> ucx(std::string_view text) {
  if (has_any(text, {"Transport retry count exceeded", "Transport retry  count exceeded",
                     "unhandled timeout error"}))
    return event(Kind::kNetwork, "UCX sent again and again without an answer");
  if (has(text, "UCX") &&
      has_any(text, {"Endpoint timeout", "Destination is unreachable", "port is not active"}))
    return event(Kind::kNetwork, "UCX has no way through");
  if (has(text, "Caught signal 11 (") || has(text, "Caught signal 7 (")) return event(Kind::kCrash);
  return std::nullopt;
}

// "UCC  WARN  timeout 600 sec has expired on task 0x5, seq_num 12, req 0x7: Allreduce Cuda sum inplace=1
// bytes=32 team id 1 size 4 rank 2 ctx_rank 2", and older ones without seq_num.
std::optional<LogEvent> ucc(std::string_view text) {
  if (has(text, "UCC") && has(text, " sec has expired on task")) {
    LogEvent made = event(Kind::kTimeout, "", rank_behind(text, " rank "));
    constexpr int64_t kMostSeconds = int64_t{1} << 40;
    const int64_t seconds = number_behind(text, "timeout ").value_or(-1);
    if (seconds >= 0 && seconds <= kMostSeconds) made.timeout_ms = seconds * 1000;
    made.call.seq = number_behind(text, "seq_num ").value_or(-1);
    for (const std::string_view op : {"Allreduce", "Allgatherv", "Allgather", "Alltoallv", "Alltoall",
                                      "Barrier", "Bcast", "Reduce_scatter", "Reduce"})
      if (made.call.op.empty() && has(text, op)) made.call.op = upper(op);
    return made;
  }
  if (has(text, "Failed to progress communication"))
    return event(has(text, "Timeout expired") ? Kind::kTimeout : Kind::kPeerLost, "",
                 rank_behind(text, "[Rank "));
  return std::nullopt;
}

}  // namespace

std::optional<LogEvent> mpi_event(std::string_view text) {
  std::optional<LogEvent> made = aborted(text);
  for (const auto parse : {mpi, ucx, ucc})
    if (!made) made = parse(text);
  return made;
}

}  // namespace ringside::inline logs
