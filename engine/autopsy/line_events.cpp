// The lines are those of torch/csrc/distributed/c10d (ProcessGroupNCCL.cpp, ProcessGroupWrapper.cpp,
// TraceUtils.h, ProcessGroupGloo.cpp, TCPStore.cpp, ProcessGroupUCC.cpp), torch/distributed/elastic, NCCL's
// WARN lines, and launchers; of MPI, UCX and UCC those of Open MPI's help files (ompi/mpi/help-mpi-api.txt,
// help-mpi-errors.txt, orte/tools/orterun/help-orterun.txt, prrte), MPICH's hydra and its error strings,
// UCX's log, and UCC's schedule/ucc_schedule.h.
#include <algorithm>

#include "line.h"
#include "ringside/base/text.h"

namespace ringside::inline logs {
namespace {

using Kind = LogEventKind;

// ---- Lines that say more than words and a rank

// "1, 2" of "[1, 2] finished ..." or "Ranks 1, 2 failed".
std::vector<int> ranks_in(std::string_view text) {
  std::vector<int> ranks;
  while (!text.empty() && ranks.size() < 4096) {
    const size_t comma = std::min(text.find(','), text.size());
    const auto rank = number_behind(text.substr(0, comma), "");
    if (!rank || *rank < 0 || *rank > kMostRanks) break;
    ranks.push_back(int(*rank));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return ranks;
}

// "WorkNCCL(SeqNum=5, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000)"
LoggedCall call_in(std::string_view text) {
  LoggedCall call;
  const std::string_view op = behind(text, "OpType=");
  call.op = std::string(op.substr(0, std::min(op.find_first_of(",)"), size_t{40})));
  call.seq = number_behind(text, "SeqNum=").value_or(number_behind(text, "SequenceNumber=").value_or(-1));
  call.numel_in = number_behind(text, "NumelIn=").value_or(-1);
  call.numel_out = number_behind(text, "NumelOut=").value_or(-1);
  const std::string_view shape = between(text, "TensorShape=[", "]");
  if (shape.data() != nullptr) call.shape = "[" + std::string(shape.substr(0, 60)) + "]";
  return call;
}

// "[PG ID 0 PG GUID 0(default_pg) Rank 1]" -> "0(default_pg)"; "[PG 1 Rank 0]" -> "1"
std::string group_in(std::string_view text) {
  std::string_view group = between(text, "PG GUID ", " Rank ");
  if (group.empty()) group = between(text, "[PG ", " Rank ");
  if (group.starts_with("ID ")) group.remove_prefix(3);
  if (group.starts_with("0 (")) group = "0";
  return std::string(group.substr(0, 60));
}

std::optional<LogEvent> watchdog(const Line& line) {
  const std::string_view text = line.whole;
  if (has(text, "Work") && has(text, "OpType=") &&
      has_any(text, {"operation timeout", "timed out in blocking wait"})) {
    LogEvent made = event(Kind::kTimeout, "", rank_behind(text, "[Rank "));
    made.call = call_in(text);
    made.timeout_ms = number_behind(text, "Timeout(ms)=").value_or(-1);
    return made;
  }
  if (has(text, "last enqueued")) {
    LogEvent made = event(Kind::kProgress, "", rank_behind(text, " Rank "));
    made.group = group_in(text);
    for (const std::string_view word : {"at work: ", "at NCCL work: ", "work sequence id: "})
      if (made.call.seq < 0) made.call.seq = number_behind(text, word).value_or(-1);
    return made;
  }
  if (has_any(text, {"watchdog got stuck", "eartbeat monitor timed out", "no heartbeat of its watchdog"})) {
    LogEvent made = event(Kind::kStuck, "", rank_behind(text, " Rank "));
    made.group = group_in(text);
    return made;
  }
  return std::nullopt;
}

std::optional<LogEvent> desync(const Line& line) {
  const std::string_view text = line.whole;
  if (has(text, "Detected mismatch between collectives")) {
    LogEvent made = event(Kind::kFingerprint, "", rank_behind(text, "ranks. Rank "));
    const size_t but = text.find("but Rank ");
    made.call = call_in(text.substr(0, but));
    if (but == std::string_view::npos) return made;
    made.ranks = {rank_behind(text.substr(but), "but Rank ")};
    made.other = call_in(text.substr(but));
    if (made.other.op.empty())  // "but Rank 1 is running collective: REDUCE."
      made.other.op = std::string(between(text.substr(but), "collective: ", ".").substr(0, 40));
    return made;
  }
  if (has_any(text, {"didn't join collective #", "didn't finish collective #"})) {
    LogEvent made = event(Kind::kLagging);
    const size_t open = text.rfind('[', text.find("collective #"));  // a prefix may have brackets too
    if (open != std::string_view::npos) made.ranks = ranks_in(between(text.substr(open), "[", "]"));
    made.call.seq = number_behind(text, "didn't join collective #")
                        .value_or(number_behind(text, "didn't finish collective #").value_or(-1));
    if (made.ranks.empty()) return std::nullopt;
    return made;
  }
  if (has(text, "failed to pass monitoredBarrier")) {
    LogEvent made = event(Kind::kLagging, "monitoredBarrier");
    const size_t failed = text.find(" failed to pass");
    const size_t named = std::max(text.rfind("Rank ", failed) + 1, text.rfind("Ranks ", failed) + 1);
    if (named > 0) made.ranks = ranks_in(behind(text.substr(named - 1, failed - named + 1), " "));
    return made;
  }
  return std::nullopt;
}

std::optional<LogEvent> duplicate_gpu(const Line& line) {
  if (!has(line.whole, "Duplicate GPU detected")) return std::nullopt;
  LogEvent made = event(Kind::kSetup, "one GPU twice");
  made.ranks = {rank_behind(line.whole, "rank "), rank_behind(line.whole, "and rank ")};
  return made;
}

// "MPI_ABORT was invoked on rank 3 in communicator MPI_COMM_WORLD", "application called
// MPI_Abort(MPI_COMM_WORLD, 1) - process 3".
std::optional<LogEvent> aborted(const Line& line) {
  const std::string_view text = line.whole;
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

std::optional<LogEvent> ended_by_mpi(const Line& line) {
  const std::string_view text = line.whole;
  if (has(text, "noticed that process rank ") && has(text, "exited on signal "))
    return exit_event("", -signal_behind(text, "on signal "), rank_behind(text, "process rank "));
  // Of MPICH, which kills the others by signal 9 itself, so that 9 may be one of theirs.
  if (const std::string_view how = behind(text, "TERMINATED WITH THE EXIT STRING: "); !how.empty())
    return exit_event("exit string", -signal_behind(how, "(signal "));
  return std::nullopt;
}

// "UCC  WARN  timeout 600 sec has expired on task 0x5, seq_num 12, req 0x7: Allreduce Cuda sum inplace=1
// bytes=32 team id 1 size 4 rank 2 ctx_rank 2", and older ones without seq_num.
std::optional<LogEvent> ucc(const Line& line) {
  const std::string_view text = line.whole;
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
  return std::nullopt;
}

std::optional<LogEvent> killed(const Line& line) {
  return trimmed(line.content) == "Killed" ? std::optional(event(Kind::kKilled)) : std::nullopt;
}

std::optional<LogEvent> exit_of(const Line& line) {
  const std::string_view text = line.whole;
  if (has(text, "failed (exitcode: ")) {
    LogEvent made = exit_event("", number_behind(text, "exitcode: ").value_or(0));
    made.local_rank = rank_behind(text, "local_rank: ");
    return made;
  }
  if (has_any(text, {"Signals.SIGKILL", "terminated with signal SIGKILL"}))
    return exit_event("", -9, rank_behind(text, "process "));
  if (const auto code = number_behind(text, "Exited with exit code "); code && has(text, "srun: error:"))
    return exit_event("srun", *code, rank_behind(text, ": task "));
  if (const auto code = number_behind(text, "exits with return code = ")) return exit_event("", *code);
  return std::nullopt;
}

std::optional<LogEvent> of_launch(const Line& line) {
  constexpr size_t kMostCommand = 4096;
  const std::string_view text = line.content;
  const bool settings = has_any(text, {"zero_config", "num_local_procs=", "dist_world_size=",
                                       "using world size: ", "Num processes: ", "nproc_per_node   : "});
  if (!settings && !is_launch(text)) return std::nullopt;
  return event(settings ? Kind::kSettings : Kind::kLaunch, text.substr(0, kMostCommand));
}

// ---- The lines, by what stands in them

// A line has one of `any`, one of `also` where there are any, and none of `never`, with "|" between.
struct Rule {
  Kind kind = Kind::kFact;
  std::string_view what = {}, any = {}, also = {}, never = {};
  std::string_view rank = {}, other = {};  // what stands before the rank that says it, and before another
  std::optional<LogEvent> (*parse)(const Line&) = nullptr;  // in place of all that
};

// The first that fits counts.
constexpr Rule kRules[] = {
    {.parse = watchdog},
    {Kind::kSignal, "", "dump signal|a timeout signal|global timeout", "", "", "", "from rank "},
    {.parse = desync},
    // stores
    {Kind::kRendezvous, "not all came",
     "clients joined|client socket has timed out|RendezvousTimeoutError|RendezvousConnectionError"},
    {Kind::kRendezvous, "the port is taken", "ddress already in use|EADDRINUSE"},
    {Kind::kStoreWait, "", "waitForInput: ", "timed out after"},
    {Kind::kPeerLost, "", "is setting up NCCL communicator",
     "onnection reset|roken pipe|onnection closed|onnection was|failed to recv", "", "[", "from ["},
    {Kind::kStoreWait, "", "is setting up NCCL communicator", "", "", "[", "from ["},
    // how NCCL is set up, and what it sends over; Gloo
    {.parse = duplicate_gpu},
    {Kind::kSetup, "shared memory",
     "creating shared memory segment|insufficient shared memory|posix_fallocate failed|out of shared memory"},
    {Kind::kSetup, "shared memory", "shm|shared memory", "No space left on device"},
    {Kind::kSetup, "versions of NCCL differ", "ismatched NCCL version|NCCL version mismatch"},
    {Kind::kSetup, "no network interface", "no socket interface found"},
    {Kind::kFingerprint, "", "Mismatched collective detected", "", "", "", "around rank "},
    {Kind::kNetwork, "a completion with an error", "Got completion from peer|Got completion with error", "",
     "error 5,|status=5 "},
    {Kind::kNetwork, "no way through",
     "No route to host|Network is unreachable|onnection timed out|Call to ibv_|Port down|port error|"
     "link down",
     "NCCL WARN"},
    {Kind::kGpuFault, "Cuda failure in NCCL", "Cuda failure", "NCCL WARN", "out of memory"},
    {Kind::kOutOfMemory, "Cuda failure in NCCL", "Cuda failure", "NCCL WARN"},
    {Kind::kGlooTimeout, "recv", "Timed out waiting ", "recv operation"},
    {Kind::kGlooTimeout, "send", "Timed out waiting ", "send operation"},
    {Kind::kGlooTimeout, "pair", "Application timeout caused pair closure"},
    // MPI, UCX and UCC
    {.parse = aborted},
    {.parse = ended_by_mpi},
    {Kind::kFingerprint, "truncated", "MPI_ERR_TRUNCATE|essage truncated", "MPI_ERR|Fatal error in|Abort("},
    {Kind::kKilled, "mpirun's time limit",
     "time limit for job execution has been reached|APPLICATION TIMED OUT, TIMEOUT ="},
    {Kind::kPeerLost, "",
     "peer process has unexpectedly disconnected|MPI_ERR_PROC_FAILED|MPIX_ERR_PROC_FAILED"},
    {Kind::kPeerLost, "a node", "lost communication with a remote daemon"},
    {Kind::kPeerLost, "", "PMIX ERROR: ", "UNREACHABLE|COMM-FAILURE|LOST-CONNECTION"},
    {Kind::kPeerLost, "", "Communication error with rank ", "", "", "", "error with rank "},
    {Kind::kNetwork, "UCX sent again and again without an answer",
     "Transport retry count exceeded|Transport retry  count exceeded|unhandled timeout error"},
    {Kind::kNetwork, "UCX has no way through",
     "Endpoint timeout|Destination is unreachable|port is not active", "UCX"},
    {Kind::kCrash, "", "Caught signal 11 (|Caught signal 7 ("},
    {.parse = ucc},
    {Kind::kTimeout, "", "Failed to progress communication", "Timeout expired", "", "[Rank "},
    {Kind::kPeerLost, "", "Failed to progress communication", "", "", "[Rank "},
    // GPUs
    {Kind::kOutOfMemory, "",
     "CUDA out of memory|CUDA error: out of memory|HIP out of memory|NPU out of memory"},
    {Kind::kOutOfMemory, "", "OutOfMemoryError", "", "ray."},
    {Kind::kGpuFault, "hardware", "NVRM: Xid|uncorrectable ECC|fallen off the bus"},
    {Kind::kGpuFault, "CUDA error", "CUDA error: |device-side assert|CUDNN_STATUS_|CUBLAS_STATUS_"},
    // a process that was killed or crashed, and its end as a launcher tells it
    {Kind::kKilled, "the host had no memory left",
     "oom_kill event|oom-kill|Out of memory: Killed|running low on memory|OOMKilled|oom_killed"},
    {Kind::kKilled, "a process of the data loader", "DataLoader worker", "killed by signal: Killed"},
    {Kind::kKilled, "the scheduler's time limit", "CANCELLED", "DUE TO TIME LIMIT"},
    {Kind::kCrash, "", "srun: error:", "Segmentation fault|Bus error", "", ": task "},
    {Kind::kCrash, "", "Fatal Python error: Segmentation|Fatal Python error: Bus error|Segmentation fault"},
    {Kind::kKilled, "its launcher was told to end", "death signal"},
    {Kind::kKilled, "", "srun: error:", ": Killed", "", "task "},
    {.parse = killed},
    {.parse = exit_of},
    {Kind::kPeerLost, "",
     "onnection closed by|onnection reset by peer|Broken pipe|ncclRemoteError|"
     "remote process exited|recvValue failed|onnection was likely closed"},
    {.parse = work_event},
    {.parse = of_launch}};

bool has_one_of(std::string_view text, std::string_view words) {
  while (!words.empty()) {
    const size_t end = std::min(words.find('|'), words.size());
    if (has(text, words.substr(0, end))) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

std::optional<LogEvent> by_rule(const Rule& rule, const Line& line) {
  if (rule.parse != nullptr) return rule.parse(line);
  const std::string_view text = line.whole;
  if (!has_one_of(text, rule.any) || has_one_of(text, rule.never)) return std::nullopt;
  if (!rule.also.empty() && !has_one_of(text, rule.also)) return std::nullopt;
  LogEvent made = event(rule.kind, rule.what, rule.rank.empty() ? -1 : rank_behind(text, rule.rank));
  const int other = rule.other.empty() ? -1 : rank_behind(text, rule.other);
  if (other >= 0) made.ranks = {other};
  return made;
}

}  // namespace

std::optional<LogEvent> line_event(const Line& line) {
  std::optional<LogEvent> made;
  for (const Rule& rule : kRules)
    if (made = by_rule(rule, line); made) break;
  if (!made) return std::nullopt;
  // What is told of oneself inside a group has the group's rank, the prefix that of the world.
  if (made->rank < 0 && made->kind != Kind::kFingerprint && has_any(line.whole, {"[PG ", "[Rank "}))
    made->rank = rank_behind(line.whole, "Rank ");
  if (line.rank >= 0 && made->kind != Kind::kFingerprint) made->rank = line.rank;
  if (made->local_rank < 0) made->local_rank = line.local_rank;
  return made;
}

}  // namespace ringside::inline logs
